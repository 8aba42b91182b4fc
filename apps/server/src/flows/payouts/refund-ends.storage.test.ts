import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { sandboxAddress } from "../../testing/sandbox-addresses.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { refundOrder } from "../orders/refund.ts";

// Only one of an order's refunds moves the order. Each other refund also reports its end.

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const EVENTS = statement(
  "test_refund_end_events",
  "select count(*)::int as count from events where order_id = $1 and event_type = 'OrderUpdated'",
);
async function updatesOf({ order }: OrderView): Promise<number> {
  const [row] = await world.database.query<{ count: number }>(EVENTS, [String(order.id)]);
  return row?.count ?? 0;
}

const isFinal = ({ deposits }: OrderView): boolean =>
  deposits.length === 2 && deposits.every(({ state }) => state === "final");

/** Refunds both payments of an order in review, and waits until both refunds have ended. */
async function refundBoth(view: OrderView): Promise<OrderView> {
  await refundOrder(world.deps, {
    merchantId: MERCHANT_ID,
    orderId: view.order.id,
    by: "operator",
  });
  const isEnded = ({ state }: OrderView["refunds"][number]) =>
    state === "confirmed" || state === "void";
  return world.until(view, ({ refunds }) => refunds.length === 2 && refunds.every(isEnded));
}

const notesOf = ({ timeline }: OrderView) => timeline.map(({ note }) => note);

test("the return of money beyond an order is in the timeline, with an OrderUpdated event", async () => {
  const placed = await world.order(ORDERS.transfer);
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  const before = await updatesOf(placed);
  await world.pay(placed);
  const done = await world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(done.timeline.at(-1)).toMatchObject({
    status: "completed",
    actor: "system",
    note: "money beyond the order was returned",
  });
  expect(await updatesOf(placed)).toBe(before + 1);
});

test.each([
  ["arrives", "accepted", "a part was refunded"],
  ["is rejected", "rejected", "the refund was rejected"],
] as const)(
  "a second refund that %s is in the timeline, with an OrderUpdated event",
  async (_ends, returns, note) => {
    const placed = await world.order(ORDERS.buyByBank);
    await world.pay(placed, { units: 30n, returns: "rejected" });
    await world.untilStatus(placed, "in_review");
    await world.pay(placed, { units: 20n, returns });
    const paid = await world.until(placed, isFinal);
    const before = await updatesOf(placed);
    const ended = await refundBoth(paid);
    const notes = notesOf(ended).slice(notesOf(paid).length);
    expect(notes.toSorted()).toEqual(
      ["the operator asked for a refund", "the refund was rejected", note].toSorted(),
    );
    expect(await updatesOf(placed)).toBe(before + 3);
  },
);

test("each refund that a screening hit holds is in the timeline with the hit", async () => {
  const refundAddress = sandboxAddress("evm", "sanctioned_later");
  const request = { ...ORDERS.sell.request, refundAddress };
  const placed = await world.order({ ...ORDERS.sell, request });
  await world.pay(placed, { units: 30n });
  await world.untilStatus(placed, "in_review");
  await world.pay(placed, { units: 20n });
  const ended = await refundBoth(await world.until(placed, isFinal));
  expect(ended.timeline.slice(-2)).toMatchObject([
    { screeningHits: [`address ${refundAddress}`] },
    { screeningHits: [`address ${refundAddress}`] },
  ]);
});
