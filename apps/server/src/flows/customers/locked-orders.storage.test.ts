import { afterAll, beforeAll, expect, test } from "vitest";
import type { BankPayout } from "../../domain/ports/bank-gateway.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { cancelOrder } from "../orders/cancel.ts";
import { refundOrder } from "../orders/refund.ts";
import { releaseOrder } from "../orders/release.ts";
import { personOf } from "./personal-data.ts";

let world: OrderWorld;
const paid: BankPayout[] = [];
beforeAll(async () => {
  world = await makeOrderWorld();
  const { bank } = world.deps;
  if (!bank) throw new Error("the sandbox has no bank");
  const prepare = bank.prepare.bind(bank);
  bank.prepare = (payout) => {
    paid.push(payout);
    return prepare(payout);
  };
});
afterAll(() => world.close());

const LOCK = statement("test_lock_keys", "update data_keys set locked_at = now()");

test("late money of an erased customer still goes to the account that the customer named", async () => {
  const placed = await world.order(ORDERS.sell);
  const key = { merchantId: MERCHANT_ID, orderId: placed.order.id };
  await cancelOrder(world.deps, { ...key, by: "customer" });
  await world.database.query(LOCK);
  await world.pay(placed);
  const held = await world.untilStatus(placed, "in_review");
  expect(personOf(world.deps, held.order)).toMatchObject({ customer: {}, payoutFields: {} });
  await releaseOrder(world.deps, key);
  await world.untilStatus(placed, "completed");
  // A worker whose lease ended prepares the same payout again.
  expect(new Set(paid.map(({ intentId }) => intentId)).size).toBe(1);
  for (const { fields } of paid) expect(fields).toEqual(ORDERS.sell.request.payout);
});

const DESTROY = statement("test_destroy_keys", "delete from data_keys");

test("late money whose account was erased is not sent, and a person returns it to its payer", async () => {
  const placed = await world.order(ORDERS.transfer);
  const key = { merchantId: MERCHANT_ID, orderId: placed.order.id };
  await cancelOrder(world.deps, { ...key, by: "customer" });
  await world.database.query(DESTROY);
  await world.pay(placed);
  await world.untilStatus(placed, "in_review");
  await releaseOrder(world.deps, key);
  const rejected = await world.until(
    placed,
    ({ order }) => order.status === "in_review" && order.statusReason === "delivery_rejected",
  );
  expect(rejected.payout).toMatchObject({ state: "void", releasedAt: null });
  expect(rejected.timeline.at(-1)?.note).toContain("were erased: refund the order");
  await refundOrder(world.deps, { ...key, by: "operator" });
  await world.untilStatus(placed, "refunded");
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
});
