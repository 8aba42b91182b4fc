import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { makeShop } from "../shop.ts";
import { SECRET } from "./signed-webhook.ts";

interface TokenCall {
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

/** The order that the service is asked to let a payment arrive for. */
export const PAYABLE_ORDER_ID = 4200017;

/** What the service says of its pinned script. */
export const PINNED = { script: "http://exchange.test/exchange-9.js", integrity: "sha384-abc" };

/** A shop on a free port, before a service that answers like the real one. */
export class Stage {
  readonly #servers: Server[] = [];
  readonly tokenCalls: TokenCall[] = [];
  readonly deposits: unknown[] = [];
  readonly usedSessions = new Set<string>();
  shopUrl = "";

  static async open(): Promise<Stage> {
    const stage = new Stage();
    const exchangeUrl = `${await stage.#listen(stage.#answer)}/v1`;
    const shop = makeShop({
      port: 0,
      exchangeUrl,
      environment: "dev",
      clientId: "client_dev_1",
      apiKey: "exk_dev_secret",
      webhookSecret: SECRET,
    });
    stage.shopUrl = await stage.#listen(shop);
    return stage;
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.shopUrl}${path}`);
  }

  post(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.shopUrl}${path}`, { method: "POST", body: JSON.stringify(body) });
  }

  /** A purchase of this product; its session id. */
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

  async #listen(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  readonly #answer: RequestListener = async (request, response) => {
    if (request.url === "/v1/sdk/exchange.json") return void response.end(JSON.stringify(PINNED));
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as Record<string, unknown>;
    if (request.url === "/v1/sandbox/deposits") {
      this.deposits.push(body);
      response.writeHead(body["orderId"] === PAYABLE_ORDER_ID ? 201 : 409).end("{}");
      return;
    }
    this.tokenCalls.push({ headers: request.headers, body });
    const isUsed = this.usedSessions.has(String(body["sessionId"]));
    response.writeHead(isUsed ? 400 : 201, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        isUsed
          ? { code: "SESSION_ALREADY_USED", message: "Restart the checkout." }
          : { code: "OK", data: { accessToken: "public.token" }, message: "Created." },
      ),
    );
  };
}
