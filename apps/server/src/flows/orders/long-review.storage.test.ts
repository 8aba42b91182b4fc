import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { insertAddress } from "../../storage/chains/addresses.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { holdOrder } from "./hold.ts";
import { releaseOrder } from "./release.ts";

// A person may decide long after the payment window of an order.

const MIGRATIONS = new URL("../../storage/migrations/", import.meta.url);
let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });
const hold = (view: OrderView) =>
  holdOrder(world.deps, { ...keyOf(view), holdReason: "limit_exceeded" });

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

test("an order that is released after a month of review is completed when it is paid", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await hold(placed);
  await endWindow(placed, 31);
  expect(await runJobs(placed)).toEqual(["watch_payment"]);
  const { order } = await releaseOrder(world.deps, keyOf(placed));
  expect(order.status).toBe("awaiting_payment");
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
});

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

test("an upgrade makes the jobs again that open orders had lost, and no others", async () => {
  const open = await world.order(ORDERS.buyByBank);
  const held = await world.order(ORDERS.sell);
  await hold(held);
  const ended = await world.order(ORDERS.swap);
  await endWindow(ended, 0);
  await world.hurry(ended);
  await world.untilStatus(ended, "expired");
  const ids = [open, held, ended].map(({ order }) => order.id);
  await world.database.query(
    statement("long_review_lose", "delete from jobs where order_id = any ($1::bigint[])"),
    [ids],
  );
  const script = await readFile(new URL("0088_orders_after_their_end.sql", MIGRATIONS), "utf8");
  await world.database.transaction((tx) =>
    tx.runScript(script.slice(script.indexOf("insert into jobs"))),
  );
  const kinds = async (view: OrderView) => (await jobsOf(view)).map(({ kind }) => kind);
  expect(await kinds(open)).toEqual(["expire_order", "watch_payment"]);
  expect(await kinds(held)).toEqual(["watch_payment"]);
  expect(await kinds(ended)).toEqual([]);
});

test("an order that ended a month ago is watched while a payment is under way, and no longer", async () => {
  const placed = await world.order(ORDERS.sell);
  await endWindow(placed, 0);
  await world.hurry(placed);
  await world.untilStatus(placed, "expired");
  await endWindow(placed, 31);
  await world.pay(placed, { confirmations: 1 });
  await world.until(placed, ({ deposits }) => deposits.length === 1);
  expect(await runJobs(placed)).toEqual(["watch_payment"]);
  await world.database.query(
    statement("long_review_confirm", "update sandbox.chain_deposits set confirmations = 1000"),
  );
  await world.hurry(placed);
  await world.untilStatus(placed, "in_review");
  const other = await world.order(ORDERS.sell);
  await endWindow(other, 0);
  await world.hurry(other);
  await world.untilStatus(other, "expired");
  await endWindow(other, 31);
  expect(await runJobs(other)).toEqual([]);
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

const WATCHED = statement(
  "long_review_watched",
  `select watched_until > business_now() + interval '31 days' as "isWatched"
   from chain_addresses where reference = $1`,
);
const SET_WATCHED = statement(
  "long_review_set_watched",
  `update chain_addresses set watched_until = business_now() + interval '10 days'
   where reference = $1`,
);

/** Runs the jobs of an order whose address is watched for ten days more. */
async function runWatched(view: OrderView): Promise<void> {
  const { networkCode, reference, address } = found(view.instruction);
  const rest = { accountFingerprint: "aabbccdd", address: address ?? "", keyIndex: 0 };
  await insertAddress(world.database, { ...rest, networkCode: networkCode ?? "", reference });
  await world.database.query(SET_WATCHED, [reference]);
  await runJobs(view);
}

async function isWatchedOn(view: OrderView): Promise<boolean> {
  const { reference } = found(view.instruction);
  const [row] = await world.database.query<{ isWatched: boolean }>(WATCHED, [reference]);
  return found(row).isWatched;
}

test("the scanner keeps the address of an order that has not ended, and not that of another", async () => {
  const ended = await world.order(ORDERS.swap);
  await endWindow(ended, 0);
  await world.hurry(ended);
  await world.untilStatus(ended, "expired");
  await runWatched(ended);
  const held = await world.order(ORDERS.sell);
  await hold(held);
  await runWatched(held);
  await expect.poll(() => isWatchedOn(held)).toBe(true);
  expect(await isWatchedOn(ended)).toBe(false);
});
