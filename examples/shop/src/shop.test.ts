import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeShop } from "./shop.ts";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const OTHER_SECRET = `whsec_${Buffer.from("another secret, 32 bytes long...").toString("base64")}`;

let servers: Server[];
let shopUrl: string;
let tokenCalls: { headers: IncomingMessage["headers"]; body: Record<string, unknown> }[];
let deposits: unknown[];
let usedSessions: Set<string>;

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers token calls like the service does. */
const fakeExchange: RequestListener = async (request, response) => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const body = JSON.parse(text) as Record<string, unknown>;
  if (request.url === "/v1/sandbox/deposits") {
    deposits.push(body);
    response.writeHead(body["orderId"] === 4200017 ? 201 : 409).end("{}");
    return;
  }
  tokenCalls.push({ headers: request.headers, body });
  const isUsed = usedSessions.has(String(body["sessionId"]));
  response.writeHead(isUsed ? 400 : 201, { "content-type": "application/json" });
  response.end(
    JSON.stringify(
      isUsed
        ? { code: "SESSION_ALREADY_USED", message: "Restart the checkout." }
        : { code: "OK", data: { accessToken: "public.token" }, message: "Created." },
    ),
  );
};

beforeEach(async () => {
  servers = [];
  tokenCalls = [];
  deposits = [];
  usedSessions = new Set();
  const exchangeUrl = `${await listen(fakeExchange)}/v1`;
  const shop = makeShop({
    port: 0,
    exchangeUrl,
    environment: "dev",
    clientId: "client_dev_1",
    apiKey: "exk_dev_secret",
    webhookSecret: SECRET,
  });
  shopUrl = await listen(shop);
});
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const checkOut = (body: unknown): Promise<Response> =>
  fetch(`${shopUrl}/api/checkout`, { method: "POST", body: JSON.stringify(body) });

async function startPurchase(): Promise<string> {
  const answer = (await (await checkOut({ productId: "bitcoin-100-eur" })).json()) as {
    sessionId: string;
  };
  return answer.sessionId;
}

async function statusOf(sessionId: string): Promise<string> {
  const purchase = await fetch(`${shopUrl}/api/purchases/${sessionId}`);
  return ((await purchase.json()) as { status: string }).status;
}

interface Sent {
  readonly sessionId: string;
  readonly eventType?: string;
  readonly secret?: string;
  readonly ageSeconds?: number;
  readonly id?: string;
  readonly details?: Record<string, unknown>;
}

interface SignedWebhook {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Signs as the service does: documented and standard. */
function signedWebhook({
  sessionId,
  eventType = "OrderFulfillment",
  ...sent
}: Sent): SignedWebhook {
  const { secret = SECRET, ageSeconds = 0, id = randomUUID() } = sent;
  const details = {
    orderId: 4200017,
    status: "completed",
    paymentMethod: "Card",
    fulfilled: eventType === "OrderFulfillment",
    totalPrice: 100,
    totalPriceCurrency: "EUR",
    ...sent.details,
  };
  const body = JSON.stringify({ eventType, sessionId, details });
  const sentAt = new Date(Date.now() - ageSeconds * 1_000);
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signature = createHmac("sha256", secret)
    .update(`${id}.${timestamp}.${eventType}.${details.orderId}`)
    .digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-webhook-id": id,
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": signature,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": new Webhook(secret).sign(id, sentAt, body),
  };
  return { method: "POST", headers, body };
}

const deliver = async (webhook: RequestInit): Promise<number> =>
  (await fetch(`${shopUrl}/webhooks`, webhook)).status;

test("a checkout asks for a token with the merchant's credentials and a locked price", async () => {
  const response = await checkOut({ productId: "bitcoin-100-eur", baseAmount: 1 });
  expect(response.status).toBe(201);
  const answer = (await response.json()) as { sessionId: string; token: string };
  expect(answer.token).toBe("public.token");
  expect(tokenCalls).toHaveLength(1);
  expect(tokenCalls[0]?.headers).toMatchObject({
    "x-api-key": "exk_dev_secret",
    "x-client-id": "client_dev_1",
  });
  expect(tokenCalls[0]?.body).toMatchObject({
    sessionId: answer.sessionId,
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 100, targetCurrency: "BTC" },
  });
});

test("each purchase attempt has a session of its own", async () => {
  expect(await startPurchase()).not.toBe(await startPurchase());
});

test("a product the shop does not sell is refused", async () => {
  expect((await checkOut({ productId: "house" })).status).toBe(400);
  expect(tokenCalls).toHaveLength(0);
});

test("a used session is passed on as such, with its message", async () => {
  const sessionId = await startPurchase();
  usedSessions.add(sessionId);
  const response = await checkOut({ sessionId });
  expect(response.status).toBe(409);
  expect(await response.json()).toEqual({
    code: "SESSION_ALREADY_USED",
    message: "Restart the checkout.",
  });
});

test("the page holds no secret and allows no inline script or style", async () => {
  const response = await fetch(shopUrl);
  expect(await response.text()).not.toMatch(/exk_|whsec_|<script>|style=| on\w+="/);
  expect(response.headers.get("content-security-policy")).not.toContain("unsafe");
});

test("a purchase goes from waiting to placed to paid by verified webhooks", async () => {
  const sessionId = await startPurchase();
  expect(await statusOf(sessionId)).toBe("waiting_for_payment");
  expect(await deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }))).toBe(200);
  expect(await statusOf(sessionId)).toBe("order_placed");
  expect(await deliver(signedWebhook({ sessionId }))).toBe(200);
  expect(await statusOf(sessionId)).toBe("paid");
});

test("an OrderCreated that comes late does not unpay a purchase", async () => {
  const sessionId = await startPurchase();
  await deliver(signedWebhook({ sessionId }));
  await deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }));
  expect(await statusOf(sessionId)).toBe("paid");
});

test("the documented signature may be written in capitals", async () => {
  const sessionId = await startPurchase();
  const webhook = signedWebhook({ sessionId });
  const signature = webhook.headers["x-webhook-signature"]?.toUpperCase() ?? "";
  webhook.headers["x-webhook-signature"] = signature;
  expect(await deliver(webhook)).toBe(200);
  expect(await statusOf(sessionId)).toBe("paid");
});

test.each<[string, (sessionId: string) => SignedWebhook]>([
  ["of another secret", (sessionId) => signedWebhook({ sessionId, secret: OTHER_SECRET })],
  ["older than five minutes", (sessionId) => signedWebhook({ sessionId, ageSeconds: 301 })],
  ["from the future", (sessionId) => signedWebhook({ sessionId, ageSeconds: -400 })],
  [
    "with a made-up signature",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId });
      return { ...webhook, headers: { ...webhook.headers, "x-webhook-signature": "0".repeat(64) } };
    },
  ],
  ["without signatures", (sessionId) => ({ ...signedWebhook({ sessionId }), headers: {} })],
  [
    "without the standard signature",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId });
      const { "webhook-signature": _signature, ...headers } = webhook.headers;
      return { ...webhook, headers };
    },
  ],
  [
    // The documented signature does not cover the session; only the standard one catches this.
    "whose body was changed to another session",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId: "shop-other" });
      return { ...webhook, body: webhook.body.replace("shop-other", sessionId) };
    },
  ],
  [
    "with a newer timestamp than the one signed",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId, ageSeconds: 900 });
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const headers = { ...webhook.headers, "x-webhook-timestamp": timestamp };
      return { ...webhook, headers: { ...headers, "webhook-timestamp": timestamp } };
    },
  ],
  ["whose body is no JSON", (sessionId) => ({ ...signedWebhook({ sessionId }), body: "{" })],
])("a webhook %s is refused with 400 and changes nothing", async (_name, make) => {
  const sessionId = await startPurchase();
  expect(await deliver(make(sessionId))).toBe(400);
  expect(await statusOf(sessionId)).toBe("waiting_for_payment");
});

test("the same webhook again is acknowledged and not applied again", async () => {
  const sessionId = await startPurchase();
  const id = randomUUID();
  const created = signedWebhook({ sessionId, eventType: "OrderCreated", id });
  expect(await deliver(created)).toBe(200);
  // A retry is signed anew with the same id. Were it applied, the purchase would be paid.
  expect(await deliver(signedWebhook({ sessionId, id }))).toBe(200);
  expect(await statusOf(sessionId)).toBe("order_placed");
});

test("a forged webhook does not use up the id of the real one", async () => {
  const sessionId = await startPurchase();
  const id = randomUUID();
  expect(await deliver(signedWebhook({ sessionId, id, secret: OTHER_SECRET }))).toBe(400);
  expect(await deliver(signedWebhook({ sessionId, id }))).toBe(200);
  expect(await statusOf(sessionId)).toBe("paid");
});

test.each<[string, Sent["details"]]>([
  ["another amount", { totalPrice: 1 }],
  ["another currency", { totalPriceCurrency: "CAD" }],
  ["fulfilled false", { fulfilled: false }],
])("an OrderFulfillment with %s does not mark the purchase paid", async (_name, details) => {
  const sessionId = await startPurchase();
  expect(await deliver(signedWebhook({ sessionId, ...(details && { details }) }))).toBe(200);
  expect(await statusOf(sessionId)).not.toBe("paid");
});

test("a body of more than 64 kB is refused", async () => {
  const sessionId = await startPurchase();
  const webhook = signedWebhook({ sessionId, details: { note: "x".repeat(70_000) } });
  expect(await deliver(webhook)).toBe(413);
});

const simulate = (body: unknown): Promise<Response> =>
  fetch(`${shopUrl}/api/simulate-payment`, { method: "POST", body: JSON.stringify(body) });

test("a payment is simulated for an order that a webhook told of, and for no other", async () => {
  const sessionId = await startPurchase();
  expect((await simulate({ sessionId })).status).toBe(404);
  expect((await simulate({ sessionId: "another" })).status).toBe(404);
  await fetch(`${shopUrl}/webhooks`, signedWebhook({ sessionId, eventType: "OrderCreated" }));
  expect((await simulate({ sessionId })).status).toBe(202);
  expect(deposits).toEqual([{ orderId: 4200017 }]);
});

test("a simulated payment that Exchange refuses is told", async () => {
  const sessionId = await startPurchase();
  const created = signedWebhook({ sessionId, eventType: "OrderCreated", details: { orderId: 7 } });
  await fetch(`${shopUrl}/webhooks`, created);
  expect((await simulate({ sessionId })).status).toBe(409);
});
