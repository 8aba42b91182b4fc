import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OrderView } from "../domain/orders/view.ts";
import { recordRefundAddress } from "../flows/orders/record-refund-address.ts";
import { refundOrder } from "../flows/orders/refund.ts";
import { releaseOrder } from "../flows/orders/release.ts";
import { losePayout } from "../flows/payouts/settle.ts";
import { listBreaks } from "../storage/audit/breaks.ts";
import { advanceBusinessClock } from "../storage/installation.ts";
import { listStops } from "../storage/payouts/stops.ts";
import { statement } from "../storage/postgres/database.ts";
import { clearOldEvents } from "../storage/retention.ts";
import { found } from "../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { MERCHANT_ID } from "../testing/world.ts";
import { auditOnce } from "./pass.ts";
import { newAuditor } from "./state.ts";

// An order may be touched long after its end. Its events are deleted by their own age.

let world: OrderWorld;
/** Each test has a database of its own, because it moves the clock of its orders. */
beforeEach(async () => {
  world = await makeOrderWorld();
});
afterEach(() => world.close());

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

const daysPass = (days: number) =>
  world.database.transaction((tx) => advanceBusinessClock(tx, days * 24 * 3_600));

const clearEvents = () => clearOldEvents(world.database, 1_000);

const AUDITOR = randomUUID();

/** Audits the orders, without the rails and the ledger as a whole. */
async function audit() {
  const never = Number.POSITIVE_INFINITY;
  const state = { ...newAuditor(AUDITOR), railsDueMs: never, ledgerCheckDueMs: never };
  expect(await auditOnce(world.deps, state)).toBe(true);
  return { stops: await listStops(world.database), breaks: await problems() };
}

const problems = async () =>
  (await listBreaks(world.database, "standing")).map(({ problem }) => problem);

const NOTHING = { stops: [], breaks: [] };

async function complete(wanted: Parameters<OrderWorld["order"]>[0]): Promise<OrderView> {
  const placed = await world.order(wanted);
  await world.pay(placed);
  return world.untilStatus(placed, "completed");
}

test("a completed order that was paid again weeks later has no break when its events are deleted", async () => {
  const done = await complete(ORDERS.transfer);
  await daysPass(20);
  await world.pay(done);
  await world.until(done, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(await audit()).toEqual(NOTHING);
  await daysPass(71);
  expect(await clearEvents()).toBeGreaterThan(0);
  expect(await audit()).toEqual(NOTHING);
});

test("an order of long ago whose customer names another refund address has no break", async () => {
  const done = await complete(ORDERS.sell);
  await daysPass(100);
  expect(await clearEvents()).toBeGreaterThan(0);
  const to = { refundAddress: "0xde709f2102306220921060314615729080e2fb77" };
  await recordRefundAddress(world.deps, { ...keyOf(done), to });
  expect(await audit()).toEqual(NOTHING);
});

test("money that comes after a refund is returned without a break", async () => {
  const placed = await world.order(ORDERS.swap);
  await world.pay(placed, { units: 5n });
  await world.untilStatus(placed, "in_review");
  await refundOrder(world.deps, { ...keyOf(placed), by: "merchant" });
  await world.untilStatus(placed, "refunded");
  await world.pay(placed);
  await world.until(placed, ({ refunds }) => refunds.length === 2);
  expect(await audit()).toEqual(NOTHING);
  await world.until(placed, ({ refunds }) => refunds.every(({ state }) => state === "confirmed"));
  expect(await audit()).toEqual(NOTHING);
});

test("money that comes after a refund and cannot be returned is held without a break", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await world.pay(placed, { units: 5n });
  await world.untilStatus(placed, "in_review");
  await refundOrder(world.deps, { ...keyOf(placed), by: "merchant" });
  await world.untilStatus(placed, "refunded");
  await world.pay(placed, { units: 7n, returns: "rejected" });
  await world.until(placed, ({ refunds }) => refunds[1]?.state === "void");
  expect(await audit()).toEqual(NOTHING);
});

/** Bypasses every trigger, as a fault of the database may. */
const plant = (script: string) =>
  world.database.transaction(async (tx) => {
    await tx.runScript(`set local session_replication_role = replica; ${script}`);
  });

const INSERT_JOB = statement(
  "long_after_job",
  `insert into jobs (kind, key, order_id, merchant_id, run_at, lease_token, leased_until)
   values ('follow_payout', 'follow_payout:' || $1, $2, $3, business_now(), $4,
     clock_timestamp() + interval '1 hour') returning id`,
);
/** The chain drops the payout of a completed order for good. */
async function drop(done: OrderView): Promise<void> {
  const intent = found(done.payout);
  const leaseToken = randomUUID();
  const { orderId, merchantId } = keyOf(done);
  // The sandbox's payouts are final at once, and the database refuses to follow them.
  await plant(`update payout_intents set awaits_finality = true where id = '${intent.id}';
    update chain_sends set state = 'failed'
      where id = (select send_id from chain_send_outputs where intent_id = '${intent.id}')`);
  const values = [intent.id, orderId, merchantId, leaseToken];
  const [row] = await world.database.query<{ id: string }>(INSERT_JOB, values);
  const job = {
    id: found(row).id,
    kind: "follow_payout" as const,
    subject: intent.id,
    ...{ orderId, merchantId, leaseToken },
    attempts: 0,
  };
  await losePayout(world.deps, { job, intent, why: "failed" });
}

test("a payout that is sent again after the first event was deleted has no break, and needs its new event", async () => {
  const done = await complete(ORDERS.buyByBank);
  await daysPass(100);
  await drop(done);
  await clearEvents();
  await releaseOrder(world.deps, keyOf(done));
  await world.untilStatus(done, "completed");
  expect(await audit()).toEqual(NOTHING);
  // The first event may be missing by now, and the second may not.
  await plant(`delete from events where event_type = 'OrderFulfillment'`);
  expect((await audit()).breaks).toEqual([
    `order ${done.order.id} is completed with 0 OrderFulfillment in the outbox`,
  ]);
});
