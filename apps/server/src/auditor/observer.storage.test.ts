import { afterAll, beforeAll, expect, test } from "vitest";
import { makeReleasePayout } from "../flows/payouts/release.ts";
import { listOpenAlerts } from "../storage/alerts/alerts.ts";
import { putPayoutLimits } from "../storage/payouts/controls.ts";
import { unnamedStatement } from "../storage/postgres/database.ts";
import { owePayout } from "../testing/payouts.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { startAuditor } from "./auditor.ts";
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
  const options = {
    isAuditor: () => true,
    failingRails: () => new Map(),
    lowFloats: () => [],
    hasPrices: () => true,
    liveNetworks: [],
  };
  await makeObserve(world.deps, { ...options, channels: [] })();
  expect(await listOpenAlerts(database)).toMatchObject([
    { summary: "Payouts wait for the decision of a person: 1." },
  ]);
});

test("a worker whose audit fails from its first pass still reads the gauges, with the pass of long ago", async () => {
  const { database, deps } = world;
  await database.query(
    unnamedStatement(
      `insert into audit_progress (cluster, watermark, passed_at)
       select ledger_cluster(), '0', clock_timestamp() - interval '2 hours'`,
    ),
  );
  const transaction = () => Promise.reject(new Error("a fault of the audit"));
  const auditor = startAuditor({ ...deps, database: { ...database, transaction } });
  await expect.poll(() => auditor.isAuditor()).toBe(true);
  const { isAuditor } = auditor;
  const options = {
    isAuditor,
    failingRails: () => new Map(),
    lowFloats: () => [],
    hasPrices: () => true,
    liveNetworks: [],
  };
  await makeObserve(deps, { ...options, channels: [] })();
  await auditor.stop();
  const [passed] = (await deps.metrics.auditPassedAt.get()).values;
  expect(Date.now() / 1_000 - Number(passed?.value)).toBeGreaterThan(7_000);
  expect((await deps.metrics.auditBreaks.get()).values).toMatchObject([{ value: 0 }]);
});

test("a live network that no scanner has read is an alert and a metric, once the service has run for a while", async () => {
  const { database, deps } = world;
  const options = {
    isAuditor: () => true,
    failingRails: () => new Map(),
    lowFloats: () => [],
    hasPrices: () => true,
    channels: [],
    liveNetworks: ["ethereum"],
  };
  const summaries = async () => (await listOpenAlerts(database)).map(({ summary }) => summary);
  await makeObserve(deps, { ...options, settledAfterSeconds: 3_600 })();
  expect((await summaries()).join()).not.toContain("ethereum");
  await makeObserve(deps, { ...options, settledAfterSeconds: 0 })();
  expect(await summaries()).toContainEqual(
    expect.stringMatching(/chain:ethereum .*no block of it was ever read/),
  );
  const networks = (await deps.metrics.networkUp.get()).values;
  expect(networks).toMatchObject([{ labels: { network: "ethereum" }, value: 0 }]);
});
