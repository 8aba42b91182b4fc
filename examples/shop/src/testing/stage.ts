import { type TestWebhook, webhooks } from "@exchange/node";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { Settings } from "../settings.ts";
import { makeShop } from "../shop.ts";

export const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
export const OTHER_SECRET = `whsec_${Buffer.from("another secret, 32 bytes long...").toString("base64")}`;

/** The order that the service accepts a payment for. */
export const PAYABLE_ORDER_ID = 4200017;

/** The own page of every order. */
export const CUSTOMER_URL = "https://pay.example.com/o/secret";

/** The service's pinned script. */
export const PINNED = { script: "http://exchange.test/exchange-9.js", integrity: "sha384-abc" };

export interface SentWebhook extends Partial<Omit<TestWebhook, "payload">> {
  readonly sessionId: string;
  readonly eventType?: "OrderCreated" | "OrderFulfillment";
  readonly ageSeconds?: number;
  readonly details?: Record<string, unknown>;
}

export interface WebhookRequest {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A webhook signed as the service does. */
export function signedWebhook({
  sessionId,
  eventType = "OrderFulfillment",
  ageSeconds = 0,
  details = {},
  ...rest
}: SentWebhook): WebhookRequest {
  const price = { totalPrice: 100, totalPriceCurrency: "EUR", paymentMethod: "Card" };
  const own = { orderId: PAYABLE_ORDER_ID, ...price, ...details };
  const sentAt = new Date(Date.now() - ageSeconds * 1_000);
  const payload = webhooks.testPayload(eventType, { sessionId, details: own });
  const { body, headers } = webhooks.signForTest({ secret: SECRET, payload, sentAt, ...rest });
  return { method: "POST", headers: { ...headers }, body };
}

interface TokenCall {
  readonly headers: FastifyRequest["headers"];
  readonly body: Record<string, unknown>;
}

/** A shop on a free port, in front of a service that answers like the real one. */
export class Stage {
  readonly tokenCalls: TokenCall[] = [];
  readonly deposits: unknown[] = [];
  readonly usedSessions = new Set<string>();
  /** The statuses of orders that the service can read. */
  readonly orderStatuses = new Map<number, string>();
  /** The cookie that the browser of this stage keeps. */
  #cookie = "";
  readonly #service = this.#makeService();
  #shop: FastifyInstance | undefined;
  shopUrl = "";

  static async open(more: Partial<Settings> = {}): Promise<Stage> {
    const stage = new Stage();
    const serviceUrl = await stage.#service.listen({ port: 0, host: "127.0.0.1" });
    stage.#shop = makeShop({
      port: 0,
      exchangeUrl: `${serviceUrl}/v1`,
      environment: "dev",
      clientId: "client_dev_1",
      apiKey: "exk_dev_secret",
      webhookSecrets: [SECRET],
      ...more,
    });
    stage.shopUrl = await stage.#shop.listen({ port: 0, host: "127.0.0.1" });
    return stage;
  }

  async close(): Promise<void> {
    await Promise.all([this.#shop?.close(), this.#service.close()]);
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.shopUrl}${path}`, { headers: { cookie: this.#cookie } });
  }

  async post(path: string, body: unknown): Promise<Response> {
    const response = await fetch(`${this.shopUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: this.#cookie },
      body: JSON.stringify(body),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.#cookie = set.split(";")[0] ?? "";
    return response;
  }

  /** Another browser takes the place of the present one. */
  changeBrowser(): void {
    this.#cookie = "";
  }

  /** Starts a purchase of this product and returns its session id. */
  async startPurchase(productId = "bitcoin-100-eur"): Promise<string> {
    const answer = await this.post("/api/checkout", { productId });
    return ((await answer.json()) as { sessionId: string }).sessionId;
  }

  async statusOf(sessionId: string): Promise<string> {
    const purchase = await this.get(`/api/purchases/${sessionId}`);
    return ((await purchase.json()) as { status: string }).status;
  }

  async deliver(webhook: RequestInit): Promise<number> {
    return (await fetch(`${this.shopUrl}/webhooks`, webhook)).status;
  }

  #makeService(): FastifyInstance {
    const service = Fastify({ forceCloseConnections: true });
    service.get("/v1/sdk/exchange.json", async () => PINNED);
    service.post<{ Body: TokenCall["body"] }>(
      "/v1/public_token/create",
      async ({ headers, body }, reply) => {
        this.tokenCalls.push({ headers, body });
        if (this.usedSessions.has(String(body["sessionId"]))) {
          const refusal = { code: "SESSION_ALREADY_USED", message: "Restart the checkout." };
          return reply.code(400).send(refusal);
        }
        const data = { accessToken: "public.token" };
        return reply.code(201).send({ code: "OK", data, message: "Created." });
      },
    );
    service.get<{ Params: { orderId: number } }>(
      "/v1/orders/:orderId",
      async ({ params }, reply) => {
        const status = this.orderStatuses.get(Number(params.orderId));
        if (status === undefined)
          return reply.code(404).send({ code: "NOT_FOUND", message: "No." });
        return { success: true, code: "ok", data: { status, customerUrl: CUSTOMER_URL } };
      },
    );
    service.post<{ Body: { orderId: number } }>("/v1/sandbox/deposits", async ({ body }, reply) => {
      this.deposits.push(body);
      if (body.orderId === PAYABLE_ORDER_ID) return reply.code(201).send({ data: {} });
      return reply.code(409).send({ code: "INVALID_ORDER_STATE", message: "It is paid." });
    });
    return service;
  }
}
