import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import { ANVIL_PATH } from "../world/anvil.ts";
import { sweepThroughCrashes } from "../world/sweeping-by-deadline.ts";
import { makeTronPayingWorld, TRON_HOT, type TronPayingWorld } from "../world/tron-paying.ts";
import { makeTronSweeping, TRON_SWEPT, type TronSweeping } from "../world/tron-sweeping.ts";
import { makeWorkers, type Workers } from "../world/workers.ts";

/** Ten processes start and die, on a machine that may be busy. */
const BUSY_MS = 600_000;

/** The worker is killed as `kill -9` would, around each step of a sweep of tokens and of its top-up. */
describe.skipIf(ANVIL_PATH === "")("a worker that is killed while it sweeps Tron", () => {
  let world: TronPayingWorld;
  let sweeping: TronSweeping;
  let workers: Workers;
  let mining: NodeJS.Timeout;

  beforeAll(async () => {
    world = await makeTronPayingWorld({ variables: { EXCHANGE_ROLE: "api" } });
    sweeping = makeTronSweeping(world);
    await world.start({ ...TRON_SWEPT, payouts: { expirationSeconds: 300, graceSeconds: 1 } });
    mining = setInterval(() => void world.grow().catch(() => {}), 100);
    workers = makeWorkers(world.line.variables, world.world.database);
  }, BUSY_MS);
  afterAll(async () => {
    clearInterval(mining);
    await workers?.killAll();
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
    await world?.close();
  });

  test(
    "at each step in turn, every address is topped up and swept once, and the books have what the chain has",
    async () => {
      const before = await world.holds(TRON_HOT, "usdt-tron");
      const signed = world.signatures();
      const order = { spend: "usdt-tron", amount: "200", movesEach: 2 } as const;
      const { views, worker } = await sweepThroughCrashes({ sweeping, workers }, order);
      const swept = views.reduce((sum, view) => sum + found(view.instruction).units, 0n);
      expect((await world.holds(TRON_HOT, "usdt-tron")) - before).toBe(swept);
      // The same question has the same answer, so no crash led to another signature.
      expect(world.signatures()).toBe(signed + 2 * views.length);
      await sweeping.requireSameBooks(views);
      await worker.kill();
    },
    BUSY_MS,
  );
});
