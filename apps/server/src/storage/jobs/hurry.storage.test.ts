import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { placeOrder } from "../../flows/orders/place.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { claimJobs, hurryJobs, JOBS_DUE_CHANNEL, type LeasedJob, postponeJob } from "./jobs.ts";

let world: World;
let orderId: bigint;
beforeAll(async () => {
  world = await makeWorld();
  const session = await world.openSession();
  const { id: quoteId } = await world.quote(session.sessionId);
  const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const request = { quoteId, walletAddress };
  const placed = await placeOrder(world.deps, { merchantId: MERCHANT_ID, ...session, request });
  orderId = placed.order.id;
});
afterAll(() => world.close());

/** Claims the order's only job if it is due. It ends the payment window half an hour from now. */
const claim = async (): Promise<LeasedJob | undefined> => {
  const lease = { leaseToken: randomUUID(), limit: 1, leaseSeconds: 600 };
  return (await claimJobs(world.database, lease))[0];
};

test("hurrying an order makes its waiting job due", async () => {
  expect(await claim()).toBeUndefined();
  await world.database.transaction((tx) => hurryJobs(tx, orderId));
  const job = await claim();
  expect(job?.kind).toBe("expire_order");
  if (job) await postponeJob(world.database, job, 60_000);
});

test("a job that runs while its order is hurried runs once more at once", async () => {
  await world.database.transaction((tx) => hurryJobs(tx, orderId));
  const running = await claim();
  await world.database.transaction((tx) => hurryJobs(tx, orderId));
  expect(await claim()).toBeUndefined();
  if (running) await postponeJob(world.database, running, 60_000);
  const again = await claim();
  expect(again?.id).toBe(running?.id);
  if (again) await postponeJob(world.database, again, 60_000);
  expect(await claim()).toBeUndefined();
});

test("hurrying an order wakes the workers of every process after the commit", async () => {
  const seen: string[] = [];
  const leave = await world.database.listen(JOBS_DUE_CHANNEL, () => seen.push("woken"));
  // The listener is also called when it begins to listen.
  world.database.hint(JOBS_DUE_CHANNEL);
  await expect.poll(() => seen).toContain("woken");
  seen.length = 0;
  await world.database.transaction(async (tx) => {
    await hurryJobs(tx, orderId);
    seen.push("committing");
  });
  await expect.poll(() => seen.at(-1)).toBe("woken");
  expect(seen).toContain("committing");
  await leave();
});
