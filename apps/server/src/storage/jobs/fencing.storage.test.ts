import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { placeOrder } from "../../flows/orders/place.ts";
import { found } from "../../testing/catalogue.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { claimJobs, finishJob, type LeasedJob, LeaseLost, postponeJob, retryJob } from "./jobs.ts";
import { endLeases } from "./leases.ts";

let world: World;
/** Two workers hold leases of one job. The lease of the first ended before its work did. */
let first: LeasedJob;
let second: LeasedJob;

const claim = async (): Promise<LeasedJob> => {
  const lease = { leaseToken: randomUUID(), limit: 1, leaseSeconds: 600 };
  return found((await claimJobs(world.database, lease))[0]);
};

beforeAll(async () => {
  world = await makeWorld();
  const session = await world.openSession();
  const { id: quoteId } = await world.quote(session.sessionId);
  const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const request = { quoteId, walletAddress };
  await placeOrder(world.deps, { merchantId: MERCHANT_ID, ...session, request });
  await world.database.query(statement("due", "update jobs set run_at = business_now()"));
  first = await claim();
  await endLeases(world.database);
  second = await claim();
});
afterAll(() => world.close());

const JOBS = statement("fencing_jobs", "select lease_token, attempts from jobs");

test("a worker without its lease cannot finish, postpone or retry the job", async () => {
  expect(second.id).toBe(first.id);
  const ending = world.database.transaction((tx) => finishJob(tx, first));
  await expect(ending).rejects.toBeInstanceOf(LeaseLost);
  await expect(postponeJob(world.database, first, 0)).rejects.toBeInstanceOf(LeaseLost);
  await retryJob(world.database, first, { delayMs: 0, error: "late" });
  expect(await world.database.query(JOBS)).toEqual([
    { lease_token: second.leaseToken, attempts: 0 },
  ]);
});

test("a failure counts up to the next run without one", async () => {
  await retryJob(world.database, second, { delayMs: 0, error: "no answer" });
  const third = await claim();
  expect(third.attempts).toBe(1);
  await postponeJob(world.database, third, 0);
  second = await claim();
  expect(second.attempts).toBe(0);
});

test("the worker that holds the lease finishes the job once", async () => {
  await world.database.transaction((tx) => finishJob(tx, second));
  expect(await world.database.query(JOBS)).toEqual([]);
  const again = world.database.transaction((tx) => finishJob(tx, second));
  await expect(again).rejects.toBeInstanceOf(LeaseLost);
});
