import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { addWebhook, createMerchant, type Merchant } from "../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  type BuyChoice,
  buy,
  buyChoice,
  CARDS,
  type Ok,
  orderWithStatus,
  payByCard,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";
import { type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** The collector's side of OTLP over HTTP: it takes what is posted to `/v1/traces` as JSON. */
const received: string[] = [];
let collector: Server;
let receiver: Receiver;
let service: StartedService;
let merchant: Merchant;
let choice: BuyChoice;
let secret: string;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const body = await new Response(request as never).text();
    if (request.url === "/v1/traces") received.push(body);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => {
    collector.listen(0, "127.0.0.1", () => resolve());
  });
  const { port } = collector.address() as AddressInfo;
  receiver = await startReceiver();
  service = await startService({
    env: {
      SHOP_PORT: "0",
      // The request and the jobs of an order are in different processes.
      EXCHANGE_WORKERS: "2",
      EXCHANGE_TRACES_URL: `http://127.0.0.1:${port}/v1/traces`,
      EXCHANGE_TRACES_RATIO: "1",
    },
  });
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
  ({ secret } = await addWebhook(service, merchant, receiver));
});
afterAll(async () => {
  collector.close();
  await service.discard();
  await receiver.close();
});

const spans = (): Span[] =>
  received.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  );

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";

test("one purchase is one trace, from the merchant's page over jobs and rails to both webhooks", async () => {
  const customer = await startSession(service, merchant);
  const { quoteId } = await takeQuote(customer, choice);
  const { body } = await customer.call<Ok<{ orderId: number }>>({
    method: "POST",
    path: "/v1/checkout/orders",
    body: { quoteId, walletAddress: BITCOIN_ADDRESS },
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
  });
  const { orderId } = body.data;
  await payByCard(customer, orderId, CARDS.visa);
  await orderWithStatus(customer, orderId, "completed");
  const names = [
    "POST /v1/checkout/orders",
    "job authorize_payment",
    "card authorize",
    "job capture_payment",
    "card capture",
    "job exchange_order",
    "job send_payout",
    "chain broadcast",
    "webhook OrderCreated",
    "webhook OrderFulfillment",
  ];
  // A span is sent when it has ended, and so before the one above it.
  await vi.waitFor(() => expectOneTrace(names), { timeout: 60_000 });
  expect(receiver.received.length).toBeGreaterThanOrEqual(2);
});

/** Expects every span under its right parent, and in each webhook the id of its own span. */
function expectOneTrace(names: readonly string[]): void {
  const ofTrace = spans().filter(({ traceId }) => traceId === TRACE);
  expect(ofTrace.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
  const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
  const root = ofTrace.find(({ parentSpanId }) => parentSpanId === CALLER);
  expect(root?.name).toBe(names[0]);
  for (const { name, parentSpanId = "" } of ofTrace) {
    const parent = byId.get(parentSpanId);
    if (/^(job|webhook) /.test(name)) expect([name, parent]).toEqual([name, root]);
    if (/^(card|chain) /.test(name))
      expect([name, parent?.name]).toEqual([name, expect.stringMatching(/^job /)]);
  }
  for (const { headers } of receiver.received) {
    const [, traceId, spanId = ""] = String(headers["traceparent"]).split("-");
    expect([traceId, byId.get(spanId)?.name]).toEqual([TRACE, expect.stringMatching(/^webhook /)]);
  }
}

test("spans hold ids and codes, and no secret or personal data", () => {
  const text = received.join("\n");
  for (const word of [
    "Lovelace",
    "Main Street",
    CARDS.visa,
    BITCOIN_ADDRESS,
    merchant.apiKey,
    secret,
  ]) {
    expect(text).not.toContain(word);
  }
  const keys = new Set(spans().flatMap(({ attributes }) => attributes.map(({ key }) => key)));
  expect([...keys].filter((key) => !/^(exchange|http|error)\./.test(key))).toEqual([]);
});

test("a dead collector loses spans only", async () => {
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
  await buy(service, merchant, choice);
  expect(await service.stop()).toBe(0);
  expect(service.process.output()).not.toContain("traces: did not stop");
});
