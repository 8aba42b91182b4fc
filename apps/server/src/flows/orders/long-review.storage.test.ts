import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { statement } from "../../storage/postgres/database.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { holdOrder } from "./hold.ts";
import { releaseOrder } from "./release.ts";

// A person may decide long after the payment window of an order.

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });
const hold = (view: OrderView) =>
  holdOrder(world.deps, { ...keyOf(view), reason: "limit_exceeded" });

const END_WINDOW = statement(
  "long_review_end_window",
  `update orders set payment_expires_at = business_now() - $2 * interval '1 day',
     version = version + 1 where id = $1`,
);
const endWindow = (view: OrderView, daysAgo: number) =>
  world.database.query(END_WINDOW, [view.order.id, daysAgo]);

const JOBS = statement(
  "long_review_jobs",
  `select kind, run_at > business_now() and lease_token is null as "isLater"
   from jobs where order_id = $1 order by kind`,
);
interface JobRow {
  readonly kind: string;
  readonly isLater: boolean;
}
const jobsOf = ({ order }: OrderView) => world.database.query<JobRow>(JOBS, [order.id]);

/** Runs the jobs of an order, and returns those that run again. */
async function runJobs(view: OrderView): Promise<readonly string[]> {
  await world.hurry(view);
  await expect.poll(async () => (await jobsOf(view)).every(({ isLater }) => isLater)).toBe(true);
  return (await jobsOf(view)).map(({ kind }) => kind);
}

test("an order whose jobs are gone is watched and expires again once it is released", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await hold(placed);
  await world.database.query(
    statement("long_review_forget", "delete from jobs where order_id = $1"),
    [placed.order.id],
  );
  await releaseOrder(world.deps, keyOf(placed));
  expect(await runJobs(placed)).toEqual(["expire_order", "watch_payment"]);
});

test("an order that is released with a payment under way ends its window when that payment is lost", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed, { units: placed.order.spendUnits / 3n });
  await world.untilStatus(placed, "in_review");
  const late = await world.pay(placed, { units: 7n, confirmations: 1 });
  await world.until(placed, ({ deposits }) => deposits.length === 2);
  await endWindow(placed, 0);
  expect(await runJobs(placed)).toEqual(["watch_payment"]);
  const { order } = await releaseOrder(world.deps, keyOf(placed));
  expect(order.status).toBe("payment_pending");
  await world.database.query(
    statement(
      "long_review_orphan",
      "update sandbox.chain_deposits set orphaned = true, confirmations = 0 where id = $1",
    ),
    [late],
  );
  await world.hurry(placed);
  await world.untilStatus(placed, "awaiting_payment");
  await world.hurry(placed);
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("underpaid");
});
