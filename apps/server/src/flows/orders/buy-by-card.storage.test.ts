import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { type JobWorker, startJobs } from "../../jobs/worker.ts";
import { sandboxIssuer } from "../../sandbox/cards/issuer.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { cardPayment } from "../../testing/orders.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { QuoteExpired } from "../quotes/quote-expired.ts";
import { cancelOrder } from "./cancel.ts";
import { payOrder } from "./pay.ts";
import { placeOrder } from "./place.ts";
import { readOrder } from "./read.ts";
import { refundOrder } from "./refund.ts";
import { releaseOrder } from "./release.ts";

const ADDRESS = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const APPROVED = "4000 0000 0000 2701";
const DECLINED = "4000000000000002";

let world: World;
let worker: JobWorker;

beforeAll(async () => {
  world = await makeWorld({ jobTaker: () => worker });
  worker = startJobs(world.deps);
});
afterAll(async () => {
  await worker.stop();
  await world.close();
});

async function place(changes: { walletAddress?: string; networkCode?: string } = {}) {
  const session = await world.openSession();
  const quote = await world.quote(session.sessionId);
  return placeOrder(world.deps, {
    merchantId: MERCHANT_ID,
    ...session,
    request: { quoteId: quote.id, walletAddress: ADDRESS, ...changes },
  });
}

const pay = ({ order }: OrderView, number = APPROVED) =>
  payOrder(world.deps, {
    merchantId: MERCHANT_ID,
    sessionId: order.sessionId,
    orderId: order.id,
    payment: cardPayment(number),
  });

async function until(view: OrderView, done: (view: OrderView) => boolean): Promise<OrderView> {
  for (let round = 0; round < 2_400; round++) {
    const now = await readOrder(world.deps, { merchantId: MERCHANT_ID, orderId: view.order.id });
    if (done(now)) return now;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("the order never got there");
}

const untilStatus = (view: OrderView, status: string) =>
  until(view, (now) => now.order.status === status);

const count = async (text: string, value: unknown): Promise<number> => {
  const [row] = await world.database.query<{ count: number }>(
    statement(`count_${text.length}_${text.slice(-40)}`, `select count(*)::int as count ${text}`),
    [value],
  );
  return row?.count ?? -1;
};

const eventsOf = async (view: OrderView): Promise<string[]> => {
  const rows = await world.database.query<{ event_type: string }>(
    statement("events_of", "select event_type from events where order_id = $1 order by sequence"),
    [view.order.id],
  );
  return rows.map((row) => row.event_type);
};

test("a purchase by card ends with one capture, one payout and balanced books", async () => {
  const placed = await place();
  expect(placed.order.status).toBe("awaiting_payment");
  const paying = await pay(placed);
  expect(paying.order.status).toBe("payment_pending");
  const done = await untilStatus(placed, "completed");
  expect(done.attempt).toMatchObject({ status: "captured", brand: "Visa", lastFour: "2701" });
  expect(done.attempt?.threeDSecure).toMatchObject({ transStatus: "Y", eci: "05" });
  expect(done.payout).toMatchObject({ state: "confirmed", address: ADDRESS, units: 110_000n });
  expect(done.order.receivedUnits).toBe(10_000n);
  const attemptId = done.attempt?.id;
  expect(await count("from sandbox.card_captures where reference = $1", attemptId)).toBe(1);
  const intentId = done.payout?.id;
  expect(await count("from sandbox.chain_transactions where intent_id = $1", intentId)).toBe(1);
  expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
});

test("a card that is charged for a part is held: nothing is exchanged, and the part is refunded", async () => {
  const placed = await place();
  await pay(placed, "4000000000003063");
  const held = await untilStatus(placed, "in_review");
  expect(held.order).toMatchObject({ statusReason: "underpaid", receivedUnits: 5_000n });
  expect(held.attempt).toMatchObject({ status: "captured", units: 5_000n });
  expect(held.payout).toBeUndefined();
  const key = { merchantId: MERCHANT_ID, orderId: placed.order.id };
  // The order has its only capture, so another card could not pay the rest.
  await expect(releaseOrder(world.deps, key)).rejects.toThrow("can only be refunded");
  await refundOrder(world.deps, { ...key, by: "operator" });
  await untilStatus(placed, "refunded");
  const refunds = "from sandbox.card_refunds where payment_reference = $1 and amount = 50";
  expect(await count(refunds, held.attempt?.id)).toBe(1);
  expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
});

test("an authorization of a part is voided, and another card may pay the order", async () => {
  const placed = await place();
  await pay(placed, "4000000000003055");
  const refused = await until(placed, ({ order }) => order.statusReason === "provider_error");
  expect(refused.order).toMatchObject({ status: "awaiting_payment", receivedUnits: null });
  expect(refused.attempt).toMatchObject({ status: "voided" });
  expect(await count("from sandbox.card_captures where reference = $1", refused.attempt?.id)).toBe(
    0,
  );
  await pay(placed);
  await untilStatus(placed, "completed");
});

test("the shop gets one event when the order is placed and one when it is fulfilled", async () => {
  const placed = await place();
  await pay(placed);
  await untilStatus(placed, "completed");
  const events = await eventsOf(placed);
  expect(events[0]).toBe("OrderCreated");
  expect(events.at(-1)).toBe("OrderFulfillment");
  expect(events.filter((event) => event !== "OrderUpdated")).toHaveLength(2);
});

test("the timeline tells each step, by whom and why", async () => {
  const placed = await place();
  await pay(placed);
  const { timeline } = await untilStatus(placed, "completed");
  expect(timeline.map(({ status, actor }) => `${status} by ${actor}`)).toEqual([
    "awaiting_payment by customer",
    "payment_pending by customer",
    "processing by system",
    "sending by system",
    "completed by system",
  ]);
});

test("of a hundred tabs that place an order in one session, one succeeds", async () => {
  const session = await world.openSession();
  const quotes = await Promise.all(
    Array.from({ length: 100 }, () => world.quote(session.sessionId)),
  );
  const results = await Promise.allSettled(
    quotes.map((quote) =>
      placeOrder(world.deps, {
        merchantId: MERCHANT_ID,
        ...session,
        request: { quoteId: quote.id, walletAddress: ADDRESS },
      }),
    ),
  );
  const refused = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  expect(refused).toHaveLength(99);
  for (const reason of refused) expect(reason).toMatchObject({ code: "SESSION_EXPIRED" });
  expect(await count("from orders where session_id = $1", session.sessionId)).toBe(1);
  expect(
    await count(
      "from quotes where consumed_by_order_id is not null and session_id = $1",
      session.sessionId,
    ),
  ).toBe(1);
});

test("a used session, a replaced token, another session's quote and an expired quote place nothing", async () => {
  const session = await world.openSession();
  const quote = await world.quote(session.sessionId);
  const request = { quoteId: quote.id, walletAddress: ADDRESS };
  const command = { merchantId: MERCHANT_ID, ...session, request };
  const replaced = placeOrder(world.deps, { ...command, tokenJti: randomUUID() });
  await expect(replaced).rejects.toMatchObject({ code: "TOKEN_INVALID" });
  const other = await world.openSession();
  const stolen = placeOrder(world.deps, { ...command, ...other });
  await expect(stolen).rejects.toMatchObject({ code: "NOT_FOUND" });
  const createdAt = new Date(Date.now() - 60_000);
  const expiresAt = new Date(Date.now() - 1_000);
  const old = await world.quote(session.sessionId, { createdAt, expiresAt });
  const late = placeOrder(world.deps, { ...command, request: { ...request, quoteId: old.id } });
  await expect(late).rejects.toBeInstanceOf(QuoteExpired);
  await placeOrder(world.deps, command);
  await expect(placeOrder(world.deps, command)).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
});

test("an address with a broken checksum or of another network is refused in words", async () => {
  const broken = ADDRESS.replace("fyu", "fyz");
  await expect(place({ walletAddress: broken })).rejects.toMatchObject({
    code: "INVALID_WALLET_ADDRESS",
  });
  const ethereum = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
  await expect(place({ walletAddress: ethereum })).rejects.toMatchObject({
    code: "NETWORK_MISMATCH",
  });
  await expect(place({ networkCode: "litecoin" })).rejects.toMatchObject({
    code: "NETWORK_MISMATCH",
  });
});

test("a real card number goes nowhere", async () => {
  const placed = await place();
  await expect(pay(placed, "4242 4242 4242 4242")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect((await untilStatus(placed, "awaiting_payment")).order.cardAttempts).toBe(0);
});

test("a declined card leaves the order payable, and the next one completes it", async () => {
  const placed = await place();
  await pay(placed, DECLINED);
  const declined = await until(placed, (view) => view.order.statusReason === "card_declined");
  expect(declined.order.status).toBe("awaiting_payment");
  expect(declined.attempt).toMatchObject({ status: "declined", declineReason: "do_not_honor" });
  await pay(placed);
  const done = await untilStatus(placed, "completed");
  expect(done.order.cardAttempts).toBe(2);
});

test("the fifth refused card ends the order", async () => {
  const placed = await place();
  for (let attempt = 1; attempt <= 5; attempt++) {
    await pay(placed, DECLINED);
    await until(placed, (view) => view.order.status !== "payment_pending");
  }
  const failed = await untilStatus(placed, "failed");
  expect(failed.order.statusReason).toBe("card_declined");
  await expect(pay(placed)).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
});

test("a processor that does not answer is asked again, and charges once", async () => {
  const placed = await place();
  await pay(placed, "4000000000000119");
  const done = await untilStatus(placed, "completed");
  expect(await count("from sandbox.card_captures where reference = $1", done.attempt?.id)).toBe(1);
});

test("a challenge waits for the cardholder, and the card decides how it ends", async () => {
  const issuer = sandboxIssuer(world.database);
  for (const [number, status] of [
    ["4000000000002503", "completed"],
    ["4000000000002370", "awaiting_payment"],
  ] as const) {
    const placed = await place();
    await pay(placed, number);
    const challengedOrder = await until(placed, (view) => view.attempt?.status === "challenge");
    const id = challengedOrder.attempt?.challengeUrl?.split("/").at(-1) ?? "";
    expect(await issuer.challenge(id)).toMatchObject({ open: true, amount: "100" });
    await issuer.answer(id, "confirm");
    const ended = await untilStatus(placed, status);
    expect(ended.attempt?.threeDSecure?.flow).toBe("challenge");
  }
});

test("a customer may cancel before paying", async () => {
  const placed = await place();
  const key = { merchantId: MERCHANT_ID, orderId: placed.order.id, by: "customer" } as const;
  const cancelled = await cancelOrder(world.deps, key);
  expect(cancelled.order).toMatchObject({ status: "cancelled", statusReason: "user_cancelled" });
  await expect(pay(placed)).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
});

test("a payment that is cancelled during its authorization is voided, never captured", async () => {
  const placed = await place();
  const key = { merchantId: MERCHANT_ID, orderId: placed.order.id, by: "customer" } as const;
  await pay(placed);
  await cancelOrder(world.deps, key);
  const ended = await until(placed, (view) => view.attempt?.status === "voided");
  expect(ended.order.status).toBe("cancelled");
  expect(await count("from sandbox.card_captures where reference = $1", ended.attempt?.id)).toBe(0);
});

test("an order that took its money cannot be cancelled, and the reason is its status", async () => {
  const placed = await place();
  await pay(placed);
  await untilStatus(placed, "completed");
  const key = { merchantId: MERCHANT_ID, orderId: placed.order.id, by: "customer" } as const;
  await expect(cancelOrder(world.deps, key)).rejects.toMatchObject({
    code: "INVALID_ORDER_STATE",
    message: "An order that is completed cannot be cancelled.",
  });
});

test("two payments of one order at once make one attempt", async () => {
  const placed = await place();
  const results = await Promise.allSettled([pay(placed), pay(placed), pay(placed)]);
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  const done = await untilStatus(placed, "completed");
  expect(done.order.cardAttempts).toBe(1);
});

test("two workers on the same jobs capture and send once", async () => {
  const others = [startJobs(world.deps), startJobs(world.deps)];
  const placed = await Promise.all(Array.from({ length: 8 }, () => place()));
  await Promise.all(placed.map((view) => pay(view)));
  for (const view of placed) {
    const done = await untilStatus(view, "completed");
    expect(await count("from sandbox.card_captures where reference = $1", done.attempt?.id)).toBe(
      1,
    );
    const intentId = done.payout?.id;
    expect(await count("from sandbox.chain_transactions where intent_id = $1", intentId)).toBe(1);
  }
  await Promise.all(others.map((other) => other.stop()));
});
