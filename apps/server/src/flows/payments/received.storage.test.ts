import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { cardPayment, makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { advanceOrder } from "../orders/advance.ts";
import { payOrder } from "../orders/pay.ts";
import { releaseOrder } from "../orders/release.ts";
import { depositStep } from "./record-deposits.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const BODIES = statement(
  "test_received_bodies",
  "select payload::jsonb -> 'details' as details from events where order_id = $1 order by sequence",
);

/** The status of an order and its `amountReceived`, event by event. */
async function amountsOf({ order }: OrderView) {
  const rows = await world.database.query<{
    details: { status: string; exchangeDetails: { amountReceived: number } };
  }>(BODIES, [order.id]);
  return rows.map(({ details }) => [details.status, details.exchangeDetails.amountReceived]);
}

test("until its money is final, every event has the amount of the order as received", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed, { confirmations: 1 });
  const seen = await world.untilStatus(placed, "payment_pending");
  expect(seen.order.receivedUnits).toBeNull();
  expect(await amountsOf(placed)).toEqual([
    ["awaiting_payment", 0.1],
    ["payment_pending", 0.1],
  ]);
});

/** A bank reports a transfer for an order that is paid by card. */
async function transfer(
  { order: { id: orderId, spendAssetId: assetId } }: OrderView,
  units: bigint,
) {
  const other = await world.order(ORDERS.buyByBank);
  const instruction = { ...found(other.instruction), orderId };
  const deposit = { source: "bank", externalId: `transfer-${orderId}`, assetId, units };
  const seen = [{ ...deposit, state: "final" as const, confirmations: 0, blockHash: null }];
  await advanceOrder(world.deps, { orderId }, (order, now) =>
    depositStep(world.deps, order, now, { instruction, seen }),
  );
}

const payByCard = ({ order: { id: orderId, sessionId } }: OrderView) =>
  payOrder(world.deps, { merchantId: MERCHANT_ID, sessionId, orderId, payment: cardPayment() });

const byCard = () => world.order({ ...ORDERS.buyByBank, method: "card" });

test("a transfer that follows a captured card is received beside it", async () => {
  const placed = await byCard();
  await payByCard(placed);
  await world.untilStatus(placed, "completed");
  const { spendUnits } = placed.order;
  await transfer(placed, spendUnits);
  expect((await world.read(placed)).order.receivedUnits).toBe(2n * spendUnits);
});

test("a card that is captured after a part came by transfer is received beside it", async () => {
  const placed = await byCard();
  const key = { merchantId: MERCHANT_ID, orderId: placed.order.id };
  await transfer(placed, 7n);
  await releaseOrder(world.deps, key);
  await payByCard(placed);
  const done = await world.untilStatus(placed, "completed");
  expect(done.order.receivedUnits).toBe(placed.order.spendUnits + 7n);
});

test("a stranger's coins worth less than a euro at the address of an order do not hold it", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed, { units: 340_000_000_000_000n });
  await world.untilStatus(placed, "in_review");
  await world.pay(placed, { units: placed.order.spendUnits });
  const done = await world.untilStatus(placed, "completed");
  expect(done.order.receivedUnits).toBe(placed.order.spendUnits + 340_000_000_000_000n);
  expect(done.refunds).toEqual([]);
  expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
});

test("a transfer of a cent too many waits for a person", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await world.pay(placed, { units: placed.order.spendUnits + 1n });
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("overpaid");
});

test("an excess of coins worth a euro waits for a person", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed, { units: placed.order.spendUnits + 348_000_000_000_000n });
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("overpaid");
});
