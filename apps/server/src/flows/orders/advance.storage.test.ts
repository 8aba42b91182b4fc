import { randomUUID } from "node:crypto";
import type { JobKind } from "@exchange/contract/admin";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Order } from "../../domain/orders/order.ts";
import { claimJobs, type LeasedJob, type NewJob } from "../../storage/jobs/jobs.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { advanceOrder } from "./advance.ts";
import { placeOrder } from "./place.ts";

let world: World;
let order: Order;

const DUE = statement("advance_due", "update jobs set run_at = business_now()");
const claim = (): Promise<LeasedJob[]> =>
  claimJobs(world.database, { leaseToken: randomUUID(), limit: 9, leaseSeconds: 600 });
const newJob = (kind: JobKind): NewJob => ({
  kind,
  subject: randomUUID(),
  orderId: order.id,
  merchantId: order.merchantId,
});

beforeAll(async () => {
  world = await makeWorld();
  const session = await world.openSession();
  const { id: quoteId } = await world.quote(session.sessionId);
  const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const request = { quoteId, walletAddress };
  ({ order } = await placeOrder(world.deps, { merchantId: MERCHANT_ID, ...session, request }));
  await world.database.query(DUE);
});
afterAll(() => world.close());

test("a new job of a step is free for any worker, unless the caller takes its lease", async () => {
  const job = found((await claim())[0]);
  const advancing = { orderId: order.id, job };
  const free = await advanceOrder(world.deps, advancing, () => ({
    jobs: [newJob("follow_payout")],
    runAgainInMs: 0,
  }));
  expect(free.next).toBeUndefined();
  const claimed = await claim();
  expect(claimed.map(({ kind }) => kind).sort()).toEqual(["expire_order", "follow_payout"]);
  const expiry = found(claimed.find(({ kind }) => kind === "expire_order"));
  const leased = { orderId: order.id, job: expiry, nextLease: randomUUID() };
  const { next } = await advanceOrder(world.deps, leased, () => ({
    jobs: [newJob("exchange_order")],
  }));
  expect(next).toMatchObject({ kind: "exchange_order", leaseToken: leased.nextLease });
  expect(await claim()).toEqual([]);
});
