import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebhookPayload } from "@exchange/contract";
import { webhooks } from "@exchange/node";
import { afterAll, beforeAll, expect, inject, vi } from "vitest";
import { fieldStatements, readInterface, type Statement } from "../support/interface/statements.ts";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import { buy, buyChoice, type Customer } from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";

/** A webhook as it came over the wire, with the spelling of its header names. */
interface Delivery {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly payload: WebhookPayload;
}

const service = inject("service");
const deliveries: Delivery[] = [];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { rawHeaders } = request;
  const names = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );
  const headers = new Map(names);
  const id = headers.get("X-Webhook-Id");
  // A webhook whose answer came too late is sent again.
  if (!deliveries.some((delivery) => delivery.headers.get("X-Webhook-Id") === id)) {
    deliveries.push({ headers, body, payload: JSON.parse(body) as WebhookPayload });
  }
  response.end();
});

let merchant: Merchant;
let secret: string;
let customer: Customer;
let orderId: number;
let created: Delivery;
let fulfilled: Delivery;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  merchant = await createMerchant(service);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/webhooks`;
  const to = ["--client", merchant.clientId, "--url", url];
  ({ secret } = await exchangeHere<{ secret: string }>(service, "webhook", "add", ...to));
  const choice = await buyChoice(service, merchant);
  ({ customer, orderId } = await buy(service, merchant, choice));
  await vi.waitUntil(() => deliveries.length >= 2, { timeout: 60_000 });
  const of = (type: string) =>
    deliveries.find(({ payload }) => payload.eventType === type) ?? expect.fail(`no ${type}`);
  [created, fulfilled] = [of("OrderCreated"), of("OrderFulfillment")];
  expect((await merchantCall(service, merchant, { path: "/v1/events" })).status).toBe(200);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const header = ({ headers }: Delivery, name: string): string =>
  headers.get(name) ?? expect.fail(`no header ${name}`);

/** The statements that hold for the headers and the body of each of the two events. */
const deliveryStatements = (eventType: string, delivery: () => Delivery): Statement[] => [
  [
    "6 Events",
    `${eventType}: X-Webhook-Id is a UUID`,
    () =>
      expect(header(delivery(), "X-Webhook-Id")).toMatch(
        /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      ),
  ],
  [
    "6 Events",
    `${eventType}: X-Webhook-Timestamp is the Unix second of sending`,
    () => {
      const timestamp = header(delivery(), "X-Webhook-Timestamp");
      expect(timestamp).toMatch(/^\d{10}$/);
      expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(300);
    },
  ],
  [
    "6 Events",
    `${eventType}: X-Webhook-Signature is lower-case hexadecimal`,
    () => expect(header(delivery(), "X-Webhook-Signature")).toMatch(/^[0-9a-f]{64}$/),
  ],
  [
    "6 Events",
    `${eventType}: the signature is the HMAC-SHA256 of id, timestamp, event type and order id, joined by periods`,
    () => {
      const signed = [
        header(delivery(), "X-Webhook-Id"),
        header(delivery(), "X-Webhook-Timestamp"),
        delivery().payload.eventType,
        delivery().payload.details.orderId,
      ].join(".");
      const expected = createHmac("sha256", secret).update(signed).digest("hex");
      expect(header(delivery(), "X-Webhook-Signature")).toBe(expected);
    },
  ],
  ...fieldStatements(`6 Events, ${eventType}`, () => delivery().payload, {
    eventType: "string",
    sessionId: "string",
    "details.orderId": "integer",
    "details.status": "string",
    "details.paymentMethod": "string",
    "details.fulfilled": "boolean",
    "details.totalPrice": "number",
    "details.totalPriceCurrency": "string",
    "details.exchangeDetails.baseCurrency": "string",
    "details.exchangeDetails.amountReceived": "number",
    "details.exchangeDetails.targetCurrency": "string",
    "details.exchangeDetails.amountToSend": "number",
    "details.exchangeDetails.operationType": "string",
  }),
  [
    "6 Events",
    `${eventType}: sessionId correlates the event to the session, orderId to the order`,
    () =>
      expect(delivery().payload).toMatchObject({
        eventType,
        sessionId: customer.sessionId,
        details: { orderId },
      }),
  ],
];

readInterface("events", [
  [
    "6 Events",
    "the merchant registers the URL and gets the secret out of band",
    () => expect(secret).toMatch(/^whsec_/),
  ],
  [
    "6 Events",
    "the endpoint's URL must be a web address; only the sandbox takes plain HTTP",
    async () => {
      const refused = await merchantCall(service, merchant, {
        method: "POST",
        path: "/v1/webhook_endpoints",
        body: { url: "ftp://shop.example/webhooks" },
      });
      expect(refused.status).toBe(400);
    },
  ],
  ...deliveryStatements("OrderCreated", () => created),
  ...deliveryStatements("OrderFulfillment", () => fulfilled),
  [
    "6 Events",
    "OrderCreated is sent when the order is new, before it is fulfilled",
    () => {
      expect(deliveries.map(({ payload }) => payload.eventType)).toEqual([
        "OrderCreated",
        "OrderFulfillment",
      ]);
      expect(created.payload.details.fulfilled).toBe(false);
    },
  ],
  [
    "3 States and transitions",
    "OrderFulfillment has the status completed and fulfilled true",
    () => expect(fulfilled.payload.details).toMatchObject({ status: "completed", fulfilled: true }),
  ],
  [
    "6 Events",
    "details hold the order's price, its currencies and its operation type",
    () =>
      expect(fulfilled.payload.details).toMatchObject({
        totalPrice: 100,
        totalPriceCurrency: "CAD",
        exchangeDetails: {
          baseCurrency: "CAD",
          amountReceived: 100,
          targetCurrency: "BTC",
          operationType: "B",
        },
      }),
  ],
  [
    "8 Limits",
    "a receiver rejects a webhook that is older than five minutes",
    () => {
      const { body } = fulfilled;
      const headers = Object.fromEntries(fulfilled.headers);
      const sentMs = Number(header(fulfilled, "X-Webhook-Timestamp")) * 1000;
      const verifyAfter = (seconds: number) =>
        webhooks.verify({
          body,
          headers,
          secret,
          scheme: "documented",
          now: new Date(sentMs + seconds * 1000),
        });
      expect(verifyAfter(299).eventType).toBe("OrderFulfillment");
      expect(() => verifyAfter(301)).toThrow();
    },
  ],
  [
    "6 Events",
    "the signature's header is compared whatever its case",
    () => {
      const headers = Object.fromEntries(fulfilled.headers);
      const signature = header(fulfilled, "X-Webhook-Signature").toUpperCase();
      const upper = { ...headers, "X-Webhook-Signature": signature };
      const { body } = fulfilled;
      expect(webhooks.verify({ body, headers: upper, secret, scheme: "documented" }).id).toBe(
        header(fulfilled, "X-Webhook-Id"),
      );
    },
  ],
  [
    "6 Events",
    "each event has one identifier of its own",
    () => expect(header(created, "X-Webhook-Id")).not.toBe(header(fulfilled, "X-Webhook-Id")),
  ],
]);
