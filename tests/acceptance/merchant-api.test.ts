import type {
  EventItem,
  ExchangeLimits,
  OrderData,
  SandboxClock,
  SessionData,
  Wallet,
} from "@exchange/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Call, call, type ErrorAnswer } from "../support/http/api.ts";
import {
  addWebhook,
  createMerchant,
  type Merchant,
  merchantCall,
} from "../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  type BuyChoice,
  buyChoice,
  CARDS,
  type Ok,
  orderWithStatus,
  type PlacedOrder,
  payByCard,
  startOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";
import { type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

interface List<Item> extends Ok<readonly Item[]> {
  readonly nextCursor: string | null;
}

// A service of its own: its clock is moved.
let service: StartedService;
let merchant: Merchant;
let choice: BuyChoice;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService();
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
  receiver = await startReceiver();
  await addWebhook(service, merchant, receiver);
});
afterAll(async () => {
  await receiver.close();
  await service.discard();
});

const ask = <Body>(path: string, request: Omit<Call, "path"> = {}) =>
  merchantCall<Body>(service, merchant, { ...request, path: `/v1${path}` });

const advance = (advanceSeconds: number) =>
  ask<Ok<SandboxClock>>("/sandbox/clock", { method: "POST", body: { advanceSeconds } });

const place = (): Promise<PlacedOrder> => startOrder(service, merchant, choice);

test("a merchant follows its orders by lists, sessions and events, which agree with the webhooks", async () => {
  const paid = await place();
  await payByCard(paid.customer, paid.orderId, CARDS.visa);
  await orderWithStatus(paid.customer, paid.orderId, "completed");
  const unpaid = await place();
  const cancelled = await ask<Ok<OrderData>>(`/orders/${unpaid.orderId}/cancel`, {
    method: "POST",
  });
  expect(cancelled.body.data.statusReason).toBe("merchant_cancelled");

  const first = await ask<List<OrderData>>("/orders?limit=1");
  const second = await ask<List<OrderData>>(`/orders?limit=1&cursor=${first.body.nextCursor}`);
  const listed = [...first.body.data, ...second.body.data];
  expect(listed.map(({ orderId }) => orderId)).toEqual([unpaid.orderId, paid.orderId]);
  expect(second.body.nextCursor).toBeNull();
  const completed = await ask<List<OrderData>>("/orders?status=completed&operationType=B");
  expect(completed.body.data).toEqual([listed[1]]);
  const session = await ask<Ok<SessionData>>(`/sessions/${paid.customer.sessionId}`);
  expect(session.body.data.order).toEqual(listed[1]);

  const deliveries = await receiver.waitForDeliveries(3);
  const { text, body } = await ask<List<EventItem>>("/events?limit=100");
  expect(body.data.map(({ sequence }) => sequence)).toEqual(body.data.map((_, at) => at + 1));
  for (const delivery of deliveries) expect(text).toContain(`"payload":${delivery.body}`);
  const last = body.data.at(-1)?.sequence;
  expect((await ask<List<EventItem>>(`/events?after=${last}`)).body.data).toEqual([]);
});

test("half an hour passes in a moment: the order expires, the token does not", async () => {
  const { customer, orderId } = await place();
  const { body } = await advance(31 * 60);
  expect(body.data.aheadSeconds).toBeGreaterThanOrEqual(31 * 60);
  const order = await orderWithStatus(customer, orderId, "expired");
  expect(order.statusReason).toBe("payment_timeout");
});

test("a webhook that failed is tried again when its time was made to come, with a real timestamp", async () => {
  receiver.answerWith(500);
  const before = receiver.received.length;
  const { orderId } = await place();
  const attempts = () =>
    receiver.received.slice(before).filter(({ body }) => body.includes(`"orderId":${orderId},`));
  // The third attempt comes five minutes after the second, so the test moves the clock.
  const third = await vi.waitUntil(
    async () => {
      if (attempts().length > 0) await advance(400);
      return attempts()[2];
    },
    { timeout: 60_000 },
  );
  receiver.answerWith(200);
  expect(third.headers["x-webhook-attempt"]).toBe("3");
  const sentAt = Number(third.headers["x-webhook-timestamp"]);
  expect(Math.abs(sentAt - Date.now() / 1000)).toBeLessThan(60);
});

test("limits name what an amount may be, and a wallet is kept once and forgotten", async () => {
  const { base, target, card } = choice;
  const query = `operationType=B&baseCurrencyId=${base.id}&targetCurrency=${target.reference}`;
  const limits = await ask<Ok<ExchangeLimits>>(
    `/exchange/limits?${query}&paymentMethodId=${card.id}`,
  );
  const quote = await takeQuote(await startSession(service, merchant), choice);
  const { min, max, currencyCode } = limits.body.data;
  expect(quote.limits).toEqual({ min, max, currencyCode });

  const wallet = { walletAddress: BITCOIN_ADDRESS, currencyCode: "BTC" };
  const saved = await ask<Ok<Wallet>>("/wallets", { method: "POST", body: wallet });
  const again = await ask<Ok<Wallet>>("/wallets", { method: "POST", body: wallet });
  expect([saved.status, again.status]).toEqual([201, 201]);
  expect(again.body.data).toEqual(saved.body.data);
  const { id } = saved.body.data;
  expect((await ask(`/wallets/${id}`, { method: "DELETE" })).status).toBe(204);
  expect((await ask<ErrorAnswer>(`/wallets/${id}`)).body.code).toBe("NOT_FOUND");
});

test.each([
  ["GET", "/orders?cursor=x"],
  ["GET", "/events?after=x"],
  ["GET", "/wallets?cursor=x"],
  ["GET", "/exchange/limits?operationType=B"],
  ["GET", "/sessions/a%0Ab"],
  ["POST", "/wallets"],
  ["POST", "/sandbox/clock"],
  ["DELETE", "/wallets/x"],
])("%s %s refuses what it cannot read, and who has no key", async (method, path) => {
  const body = method === "POST" ? { body: {} } : {};
  const bad = await ask<ErrorAnswer>(path, { method, ...body });
  expect([bad.status, bad.body.code]).toEqual([400, "INVALID_INPUT"]);
  const stranger = await call<ErrorAnswer>(service, { method, path: `/v1${path}`, ...body });
  expect([stranger.status, stranger.body.code]).toEqual([401, "UNAUTHORIZED"]);
});
