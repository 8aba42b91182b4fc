import { afterAll, beforeAll, expect, test } from "vitest";
import { makeObserve } from "../../auditor/observer.ts";
import { nextWords } from "../../cli/explain/next-words.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { listOpenAlerts } from "../../storage/alerts/alerts.ts";
import { readGauges } from "../../storage/audit/gauges.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { heldOf } from "../orders/held-money.ts";
import { readStory } from "../orders/read-story.ts";
import { refundOrder } from "../orders/refund.ts";

// Money beyond an order's amount is returned by itself. The rail may reject that.

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

/** A completed order that was paid twice, and whose bank rejected the refund of the second payment. */
async function rejectExcess(units?: bigint): Promise<OrderView> {
  const placed = await world.order(ORDERS.transfer);
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  await world.pay(placed, { returns: "rejected", ...(units !== undefined && { units }) });
  return world.until(placed, ({ refunds }) => refunds[0]?.state === "void");
}

const ACCEPT = statement(
  "rejected_excess_accept",
  "update sandbox.bank_transfers set returns = 'accepted'",
);

/** The causes of alerts that are there now. An alert ends a minute after its cause. */
async function causes(): Promise<readonly string[]> {
  const options = {
    isAuditor: () => true,
    failingRails: () => new Map(),
    lowFloats: () => [],
    hasPrices: () => true,
    liveNetworks: [],
  };
  await makeObserve(world.deps, { ...options, channels: [] })();
  const seen = (await readGauges(world.database)).heldExcess;
  const alerts = (await listOpenAlerts(world.database)).map(({ cause }) => cause);
  return alerts.filter((cause) => seen.some(({ orderId }) => cause === `excess_held:${orderId}`));
}

const wordsOf = async (view: OrderView): Promise<string> => {
  const { rows, order, money } = await readStory(world.deps, keyOf(view));
  return nextWords(rows, heldOf(order, money)).join("\n");
};

test("a person is told of an excess whose refund was rejected, and an operator returns it", async () => {
  const held = await rejectExcess();
  expect(held.order.status).toBe("completed");
  const note = found(held.timeline.at(-1));
  expect(note).toMatchObject({ status: "completed", actor: "system" });
  expect(note.note).toContain("money beyond the order could not be returned");
  expect(await causes()).toEqual([`excess_held:${held.order.id}`]);
  expect(await wordsOf(held)).toContain(`exchange orders refund --order ${held.order.id}`);

  const by = refundOrder(world.deps, { ...keyOf(held), by: "merchant" });
  await expect(by).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
  await world.database.query(ACCEPT);
  await refundOrder(world.deps, { ...keyOf(held), by: "operator" });
  const done = await world.until(held, ({ refunds }) => refunds[1]?.state === "confirmed");
  expect(done.order.status).toBe("completed");
  expect(done.refunds.map(({ purpose, units }) => [purpose, units])).toEqual([
    ["excess_refund", held.order.spendUnits],
    ["excess_refund", held.order.spendUnits],
  ]);
  expect(await causes()).toEqual([]);
  expect(await wordsOf(held)).not.toContain("orders refund");
  const again = refundOrder(world.deps, { ...keyOf(held), by: "operator" });
  await expect(again).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
});

const refundsOf = ({ refunds }: OrderView) => refunds.map(({ units, state }) => [units, state]);

test("the rest of a rejected excess is not forgotten when an operator returned a part of it", async () => {
  const held = await rejectExcess();
  const { spendUnits } = held.order;
  await world.database.query(ACCEPT);
  const part = { units: 40n, scale: 0 };
  await refundOrder(world.deps, { ...keyOf(held), by: "operator", amount: part });
  await world.until(held, ({ refunds }) => refunds[1]?.state === "confirmed");
  expect(await causes()).toEqual([`excess_held:${held.order.id}`]);
  expect(await wordsOf(held)).toContain("orders refund");
  await refundOrder(world.deps, { ...keyOf(held), by: "operator" });
  const done = await world.until(held, ({ refunds }) => refunds[2]?.state === "confirmed");
  expect(refundsOf(done)).toEqual([
    [spendUnits, "void"],
    [4_000n, "confirmed"],
    [spendUnits - 4_000n, "confirmed"],
  ]);
  expect(await causes()).toEqual([]);
  expect(await wordsOf(held)).not.toContain("orders refund");
});

test("another payment is returned alone: it neither sends a rejected excess again nor hides it", async () => {
  const held = await rejectExcess();
  await world.database.query(ACCEPT);
  await world.pay(held, { units: 5_000n });
  const returned = await world.until(held, ({ refunds }) => refunds[1]?.state === "confirmed");
  expect(refundsOf(returned)).toEqual([
    [held.order.spendUnits, "void"],
    [5_000n, "confirmed"],
  ]);
  expect(await causes()).toEqual([`excess_held:${held.order.id}`]);
  expect(await wordsOf(held)).toContain("orders refund");
  await refundOrder(world.deps, { ...keyOf(held), by: "operator" });
  await world.until(held, ({ refunds }) => refunds[2]?.state === "confirmed");
  expect(await causes()).toEqual([]);
});

test("coins worth less than a euro wait for an operator, or until a euro has come", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  const payDust = async (count: number) => {
    await world.pay(placed, { units: 5n });
    return world.until(placed, ({ deposits }) => deposits[count]?.state === "final");
  };
  const held = await payDust(1);
  expect(refundsOf(held)).toEqual([]);
  expect(await wordsOf(held)).toContain("orders refund");
  const { spendUnits } = placed.order;
  await world.pay(placed);
  const both = await world.until(placed, ({ refunds }) => refunds[1]?.state === "confirmed");
  expect(refundsOf(both).map(([units]) => units)).toEqual([5n, spendUnits]);
  expect(refundsOf(await payDust(3))).toHaveLength(2);
  await refundOrder(world.deps, { ...keyOf(placed), by: "operator" });
  await world.until(placed, ({ refunds }) => refunds[2]?.state === "confirmed");
});

test("a rejected refund of less than a euro is in the timeline, and nobody is called", async () => {
  const held = await rejectExcess(7n);
  expect(held.timeline.at(-1)?.note).toContain("could not be returned");
  expect(await causes()).toEqual([]);
});

test("an operator names the first refund address of coins that were paid twice", async () => {
  const { refundAddress, ...request } = ORDERS.sell.request;
  const placed = await world.order({ ...ORDERS.sell, request });
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  await world.pay(placed);
  await world.until(placed, ({ deposits }) => deposits[1]?.state === "final");
  const refund = { ...keyOf(placed), by: "operator" } as const;
  await expect(refundOrder(world.deps, refund)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await refundOrder(world.deps, { ...refund, refundAddress });
  const done = await world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(done.order).toMatchObject({ status: "completed", refundAddress });
  expect(done.timeline.map(({ note }) => note)).toContain(
    "the operator gave a refund address and asked for a refund",
  );
});
