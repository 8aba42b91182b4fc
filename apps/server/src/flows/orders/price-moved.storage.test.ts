import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { confirmDeposit } from "../../sandbox/chains/deposits.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { codeOf, keyOf, type MovingWorld, makeMovingWorld } from "../../testing/moving-price.ts";
import { ORDERS } from "../../testing/orders.ts";
import { acceptPrice, declinePrice } from "./answer-price.ts";
import { cancelOrder } from "./cancel.ts";
import { holdOrder } from "./hold.ts";
import { refundOrder } from "./refund.ts";
import { releaseOrder } from "./release.ts";

let world: MovingWorld;
beforeAll(async () => {
  world = await makeMovingWorld();
});
afterEach(() => world.priceAt(1000n));
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

async function confirm(view: OrderView, id: string, confirmations: number): Promise<void> {
  await confirmDeposit(world.database, id, confirmations);
  await world.hurry(view);
}

test("an order whose price moved beyond the band waits for the customer", async () => {
  const moved = await world.movedOrder();
  expect(moved.order).toMatchObject({ statusReason: "rate_moved", heldFrom: "processing" });
  expect(moved.timeline.at(-1)).toMatchObject({
    status: "in_review",
    statusReason: "rate_moved",
    actor: "system",
    note: "the price moved; waiting for the customer's answer to a new price",
  });
  expect(moved.payout).toBeUndefined();
  const events = await world.database.query<{ event_type: string; payload: string }>(
    statement(
      "test_updates_of_order",
      "select event_type, payload::text from events where order_id = $1 order by created_at, id",
    ),
    [moved.order.id],
  );
  expect(events.at(-1)?.event_type).toBe("OrderUpdated");
  expect(events.at(-1)?.payload).toContain("in_review");
});

test("the customer's yes exchanges the order at the new price", async () => {
  const moved = await world.movedOrder();
  const offer = await world.offerFor(moved);
  expect(offer.spend.units).toBe(moved.order.spendUnits);
  expect(offer.receive.units).toBeLessThan(moved.order.receiveUnits);
  const accepted = await acceptPrice(world.deps, { ...keyOf(moved), quoteId: offer.id });
  expect(accepted.order).toMatchObject({ quoteId: offer.id, receiveUnits: offer.receive.units });
  expect(accepted.timeline.at(-1)).toMatchObject({ status: "processing", actor: "customer" });
  const done = await world.untilStatus(moved, "completed");
  expect(done.payout).toMatchObject({ state: "confirmed", units: offer.receive.units });
  expect(done.quote.receive.units).toBe(offer.receive.units);
  expect(await codeOf(acceptPrice(world.deps, { ...keyOf(moved), quoteId: offer.id }))).toBe(
    "INVALID_ORDER_STATE",
  );
});

test("the customer's no returns the money", async () => {
  const moved = await world.movedOrder();
  const declined = await declinePrice(world.deps, keyOf(moved));
  expect(declined.timeline.at(-1)).toMatchObject({ status: "refund_pending", actor: "customer" });
  const done = await world.untilStatus(moved, "refunded");
  expect(done.refunds).toMatchObject([{ units: moved.order.spendUnits, state: "confirmed" }]);
});

test("yes and no at once: one of them counts", async () => {
  const moved = await world.movedOrder();
  const offer = await world.offerFor(moved);
  const answers = await Promise.all([
    codeOf(acceptPrice(world.deps, { ...keyOf(moved), quoteId: offer.id })),
    codeOf(declinePrice(world.deps, keyOf(moved))),
  ]);
  expect(answers.toSorted()).toEqual(["INVALID_ORDER_STATE", "nothing"]);
  await world.until(moved, ({ order }) => ["completed", "refunded"].includes(order.status));
});

test("a move within the band goes on at the accepted price", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  world.priceAt(1002n);
  await world.pay(placed);
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(placed.order.receiveUnits);
});

test("a move in the other direction goes on at the accepted price", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  world.priceAt(950n);
  await world.pay(placed);
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(placed.order.receiveUnits);
});

test("coins that were seen in time keep the locked rate", async () => {
  const placed = await world.order(ORDERS.swap);
  world.priceAt(1100n);
  await world.pay(placed);
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(placed.order.receiveUnits);
});

test("coins that a block had in time keep the locked rate, however late they are final", async () => {
  const placed = await world.order(ORDERS.swap);
  const id = await world.pay(placed, { confirmations: 1 });
  await world.untilStatus(placed, "payment_pending");
  await world.skip(16 * 60);
  world.priceAt(1100n);
  await confirm(placed, id, 1_000);
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(placed.order.receiveUnits);
});

test("a payment without a block is only shown: its order expires, and its first block is late money", async () => {
  const placed = await world.order(ORDERS.swap);
  const id = await world.pay(placed, { confirmations: 0 });
  const shown = await world.until(placed, ({ deposits }) => deposits.length === 1);
  expect(shown.deposits).toMatchObject([{ state: "seen", confirmations: 0, minedAt: null }]);
  expect(shown.order.status).toBe("awaiting_payment");
  await world.skip(16 * 60);
  await world.hurry(placed);
  await world.untilStatus(placed, "expired");
  world.priceAt(1100n);
  await confirm(placed, id, 1);
  const mined = await world.until(placed, ({ deposits }) => deposits[0]?.confirmations === 1);
  expect(mined.order.status).toBe("expired");
  await confirm(placed, id, 1_000);
  await world.until(placed, ({ order }) => order.statusReason === "late_payment");
  await releaseOrder(world.deps, keyOf(placed));
  const moved = await world.until(placed, ({ order }) => order.statusReason === "rate_moved");
  expect(moved.payout).toBeUndefined();
});

test("a released order is not kept open by a payment without a block", async () => {
  const placed = await world.order(ORDERS.swap);
  await world.pay(placed, { units: placed.order.spendUnits / 2n });
  await world.until(placed, ({ order }) => order.statusReason === "underpaid");
  await world.pay(placed, { units: 1n, confirmations: 0 });
  await world.until(placed, ({ deposits }) => deposits.length === 2);
  await releaseOrder(world.deps, keyOf(placed));
  expect((await world.read(placed)).order.status).toBe("awaiting_payment");
});

test("a promise far above the market waits for a person, also at a locked rate", async () => {
  const placed = await world.order(ORDERS.swap);
  world.priceAt(1300n);
  await world.pay(placed);
  const held = await world.until(placed, ({ order }) => order.status === "in_review");
  expect(held.order.statusReason).toBe("limit_exceeded");
  expect(held.payout).toBeUndefined();
  await releaseOrder(world.deps, keyOf(placed));
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(placed.order.receiveUnits);
});

test("a release for another reason does not let a promise far above the market pass", async () => {
  const placed = await world.order(ORDERS.swap);
  world.priceAt(1300n);
  await world.pay(placed, { units: 2n * placed.order.spendUnits });
  await world.until(placed, ({ order }) => order.statusReason === "overpaid");
  await releaseOrder(world.deps, keyOf(placed));
  const held = await world.until(placed, ({ order }) => order.statusReason === "limit_exceeded");
  expect(held.payout).toBeUndefined();
  await releaseOrder(world.deps, keyOf(placed));
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(placed.order.receiveUnits);
});

test("an operator's own hold and release do not let a promise far above the market pass", async () => {
  const placed = await world.order(ORDERS.swap);
  world.priceAt(undefined);
  await world.pay(placed);
  await world.untilStatus(placed, "processing");
  await holdOrder(world.deps, { ...keyOf(placed), holdReason: "limit_exceeded" });
  world.priceAt(1300n);
  await releaseOrder(world.deps, keyOf(placed));
  const held = await world.until(placed, ({ order }) => order.statusReason === "limit_exceeded");
  expect(held.payout).toBeUndefined();
  expect(held.timeline.at(-1)?.actor).toBe("system");
});

test("a release of one promise does not let a later one far above the market pass", async () => {
  const placed = await world.movedOrder(1300n);
  expect(placed.order.statusReason).toBe("limit_exceeded");
  await releaseOrder(world.deps, keyOf(placed));
  await world.until(placed, ({ order }) => order.statusReason === "rate_moved");
  const offer = await world.offerFor(placed);
  world.priceAt(1700n);
  await acceptPrice(world.deps, { ...keyOf(placed), quoteId: offer.id });
  const held = await world.until(placed, ({ order }) => order.status === "in_review");
  expect(held.order.statusReason).toBe("limit_exceeded");
  expect(held.payout).toBeUndefined();
});

test("coins that came late are priced again when a person releases them", async () => {
  const placed = await world.order(ORDERS.swap);
  await world.skip(16 * 60);
  await world.untilStatus(placed, "expired");
  world.priceAt(1100n);
  await world.pay(placed);
  await world.until(placed, ({ order }) => order.statusReason === "late_payment");
  await releaseOrder(world.deps, keyOf(placed));
  await world.until(placed, ({ order }) => order.statusReason === "rate_moved");
  // A second release is the operator's decision for the accepted price.
  await releaseOrder(world.deps, keyOf(placed));
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.units).toBe(placed.order.receiveUnits);
});

test("an offer is used for its own order and within its lifetime only", async () => {
  const [moved, other] = [await world.movedOrder(), await world.movedOrder()];
  const offer = await world.offerFor(moved);
  const accept = (view: OrderView, quoteId: string) =>
    codeOf(acceptPrice(world.deps, { ...keyOf(view), quoteId }));
  expect(await accept(other, offer.id)).toBe("NOT_FOUND");
  expect(await accept(moved, moved.order.quoteId)).toBe("NOT_FOUND");
  expect(await accept({ ...moved, order: { ...moved.order, sessionId: "other" } }, offer.id)).toBe(
    "NOT_FOUND",
  );
  await world.skip(31);
  expect(await accept(moved, offer.id)).toBe("QUOTE_EXPIRED");
  expect((await world.read(moved)).order.status).toBe("in_review");
});

test("only an order that waits for an answer takes one", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  const key = keyOf(placed);
  expect(await codeOf(world.offerFor(placed))).toBe("INVALID_ORDER_STATE");
  expect(await codeOf(declinePrice(world.deps, key))).toBe("INVALID_ORDER_STATE");
  expect(await codeOf(acceptPrice(world.deps, { ...key, quoteId: "quo_1" }))).toBe(
    "INVALID_ORDER_STATE",
  );
  expect(await codeOf(refundOrder(world.deps, { ...key, by: "customer" }))).toBe(
    "INVALID_ORDER_STATE",
  );
  await cancelOrder(world.deps, { ...key, by: "customer" });
});

test("without an answer for a day the money is returned", async () => {
  const moved = await world.movedOrder();
  await world.hurry(moved);
  await world.untilTried(moved);
  expect((await world.read(moved)).order.status).toBe("in_review");
  await world.skip(24 * 60 * 60 + 1);
  await world.hurry(moved);
  const done = await world.untilStatus(moved, "refunded");
  expect(done.timeline.find(({ status }) => status === "refund_pending")).toMatchObject({
    actor: "system",
    note: "nobody answered the new price in time; the money is returned",
  });
});

test("without fresh prices the order waits for them", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  world.priceAt(undefined);
  await world.pay(placed);
  await world.untilStatus(placed, "processing");
  await world.untilTried(placed);
  expect((await world.read(placed)).order.status).toBe("processing");
  world.priceAt(1000n);
  await world.hurry(placed);
  await world.untilStatus(placed, "completed");
});

test("the database keeps the price of an order that does not wait for an answer", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  const change = statement(
    "test_change_price",
    "update orders set receive_units = receive_units - 1, version = version + 1 where id = $1",
  );
  await expect(world.database.query(change, [placed.order.id])).rejects.toThrow(
    "what an order promises cannot be changed",
  );
});
