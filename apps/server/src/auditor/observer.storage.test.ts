import { afterAll, beforeAll, expect, test } from "vitest";
import { makeReleasePayout } from "../flows/payouts/release.ts";
import { listOpenAlerts } from "../storage/alerts/alerts.ts";
import { putPayoutLimits } from "../storage/payouts/controls.ts";
import { owePayout } from "../testing/payouts.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { makeObserve } from "./observer.ts";

const LIMITS = { hourCents: null, dayCents: null, approvalAboveCents: null };

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

test("a payout that is held is one in the alert, though its order is in review", async () => {
  const { database } = world;
  const limits = { kind: "default", subject: "", payoutCents: 10_000n, ...LIMITS } as const;
  await database.transaction((tx) => putPayoutLimits(tx, limits, "anna"));
  const held = await owePayout(world, 10_001n);
  expect(await makeReleasePayout(world.deps)(held)).toMatchObject({ outcome: "hold" });
  const options = { isAuditor: () => true, failingRails: () => new Map(), hasPrices: () => true };
  await makeObserve(world.deps, { ...options, channels: [] })();
  expect(await listOpenAlerts(database)).toMatchObject([
    { summary: "Payouts wait for the decision of a person: 1." },
  ]);
});
