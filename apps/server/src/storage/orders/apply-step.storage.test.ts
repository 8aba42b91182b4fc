import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Order } from "../../domain/orders/order.ts";
import { found } from "../../testing/catalogue.ts";
import { placingOf } from "../../testing/placing.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { claimJobs, finishJob, type LeasedJob } from "../jobs/jobs.ts";
import { statement } from "../postgres/database.ts";
import type { OrderStep } from "./order-step.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

async function placed(): Promise<Order> {
  const seat = await world.openSession();
  return found(await world.deps.placeNewOrder(placingOf(seat, await world.quote(seat.sessionId))));
}

/** A step that starts the order's payment and inserts a job. */
const begin = (order: Order, changes: Partial<OrderStep> = {}): OrderStep => ({
  order,
  change: {
    status: "payment_pending",
    statusReason: null,
    cardAttempts: 1,
    receivedUnits: null,
    paymentWindowSeconds: null,
    actor: "customer",
    note: "a card payment was started",
  },
  event: { eventType: "OrderUpdated", payload: "{}" },
  jobs: [
    {
      kind: "exchange_order",
      subject: String(order.id),
      orderId: order.id,
      merchantId: MERCHANT_ID,
    },
  ],
  ...changes,
});

const take = (step: OrderStep) => world.deps.applyStep(step);

const WRITTEN = statement(
  "test_written_by_step",
  `select o.status, o.version, (select count(*)::int from order_events where order_id = o.id) as items,
     (select count(*)::int from events where order_id = o.id) as events,
     (select count(*)::int from jobs where order_id = o.id) as jobs
   from orders o where o.id = $1`,
);
const written = async ({ id }: Order) => (await world.database.query(WRITTEN, [id]))[0];

const claimOf = async ({ id }: Order): Promise<LeasedJob | undefined> => {
  const claim = { leaseToken: randomUUID(), limit: 100, leaseSeconds: 600 };
  return (await claimJobs(world.database, claim)).find(({ orderId }) => orderId === id);
};

test("a step writes the new status, its timeline item, its event and its job together", async () => {
  const order = await placed();
  const taken = found(await take(begin(order)));
  expect(taken.order).toMatchObject({ status: "payment_pending", version: 2, cardAttempts: 1 });
  expect(await written(order)).toEqual({
    status: "payment_pending",
    version: 2,
    items: 2,
    events: 2,
    jobs: 2,
  });
  expect(taken.next).toBeUndefined();
  expect(await claimOf(order)).toMatchObject({ kind: "exchange_order" });
});

test("a job that is inserted with a lease cannot be claimed until the lease ends", async () => {
  const order = await placed();
  const leaseToken = randomUUID();
  const { next } = found(await take(begin(order, { leaseToken })));
  expect(next).toMatchObject({ kind: "exchange_order", subject: String(order.id), leaseToken });
  expect(await claimOf(order)).toBeUndefined();
  await world.database.query(
    statement("test_end_lease", "update jobs set leased_until = clock_timestamp() where id = $1"),
    [found(next).id],
  );
  expect(await claimOf(order)).toMatchObject({ id: found(next).id });
});

test("a job that ends while a later step wants it runs once more", async () => {
  const order = await placed();
  const begun = found(await take(begin(order, { leaseToken: randomUUID() })));
  const running = found(begun.next);
  // The running job has found nothing to do. The step of another worker counts on it before it ends.
  const wanted = begin(begun.order, { leaseToken: randomUUID() });
  expect(found(await take(wanted)).next).toBeUndefined();
  await finishJob(world.database, running);
  const again = found(await claimOf(order));
  expect(again).toMatchObject({ id: running.id, kind: "exchange_order" });
  await finishJob(world.database, again);
  expect(await written(order)).toMatchObject({ jobs: 1 });
});

test("a step writes nothing if its order changed after the decision", async () => {
  const order = await placed();
  await take({ order, receivedUnits: 5n });
  const before = await written(order);
  expect(await take(begin(order))).toBeUndefined();
  expect(await written(order)).toEqual(before);
});

test("a step writes nothing if another worker has taken over its job", async () => {
  const order = await placed();
  const begun = found(await take(begin(order, { leaseToken: randomUUID() })));
  const job = found(begun.next);
  const before = await written(order);
  const lost = { ...job, leaseToken: randomUUID() };
  expect(await take({ order: begun.order, job: lost, receivedUnits: 5n })).toBeUndefined();
  expect(await written(order)).toEqual(before);
  expect(await take({ order: begun.order, job, receivedUnits: 5n })).toBeDefined();
  expect(await written(order)).toMatchObject({ version: 3, jobs: 1 });
});

test("a payment that starts after the payment window is refused", async () => {
  const order = await placed();
  await world.database.query(
    statement(
      "test_end_window",
      "update orders set payment_expires_at = business_now(), version = version + 1 where id = $1",
    ),
    [order.id],
  );
  expect(await take(begin({ ...order, version: 2 }, { inTime: true }))).toBeUndefined();
});

test("of steps in one batch only the one that is not allowed is refused", async () => {
  const orders = await Promise.all(Array.from({ length: 12 }, placed));
  const [stale, ...others] = orders;
  await take({ order: found(stale), receivedUnits: 5n });
  const results = await Promise.all(orders.map((order) => take(begin(order))));
  expect(results.map((taken) => taken?.order.id)).toEqual([
    undefined,
    ...others.map(({ id }) => id),
  ]);
  for (const order of others) expect(await written(order)).toMatchObject({ version: 2, jobs: 2 });
});
