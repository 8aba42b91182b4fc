import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { placeOrder } from "../../flows/orders/place.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { claimJobs } from "./jobs.ts";
import { endLeases } from "./leases.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
  const session = await world.openSession();
  const quote = await world.quote(session.sessionId);
  const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const request = { quoteId: quote.id, walletAddress };
  await placeOrder(world.deps, { merchantId: MERCHANT_ID, ...session, request });
  await world.database.query(statement("due", "update jobs set run_at = business_now()"));
});
afterAll(() => world.close());

const claim = () =>
  claimJobs(world.database, { leaseToken: randomUUID(), limit: 10, leaseSeconds: 600 });

test("the jobs of a killed process can be claimed as soon as its leases are ended", async () => {
  expect(await claim()).toHaveLength(1);
  expect(await claim()).toHaveLength(0);
  await endLeases(world.database);
  expect(await claim()).toHaveLength(1);
});
