import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { found } from "../../../apps/server/src/testing/catalogue.ts";
import {
  makeSolanaPayingWorld,
  SOLANA_HOT,
  type SolanaPayingWorld,
} from "../world/solana-paying.ts";
import { makeSolanaSweeping, SOLANA_SWEPT, type SolanaSweeping } from "../world/solana-sweeping.ts";
import { sweepThroughCrashes } from "../world/sweeping-by-deadline.ts";
import { makeWorkers, type Workers } from "../world/workers.ts";

/** Ten processes start and die, on a machine that may be busy. */
const BUSY_MS = 600_000;

/** The worker is killed as `kill -9` would, around each step of a sweep of SOL. */
describe("a worker that is killed while it sweeps Solana", () => {
  let world: SolanaPayingWorld;
  let sweeping: SolanaSweeping;
  let workers: Workers;
  let growing: NodeJS.Timeout;

  beforeAll(async () => {
    world = await makeSolanaPayingWorld({ variables: { EXCHANGE_ROLE: "api" } });
    sweeping = makeSolanaSweeping(world);
    await world.start({ ...SOLANA_SWEPT, payouts: { expirationSeconds: 300, graceBlocks: 4 } });
    // A transaction is valid for 150 blocks, and a worker takes seconds to start.
    growing = setInterval(() => void world.grow(1).catch(() => {}), 150);
    workers = makeWorkers(world.line.variables, world.world.database);
  }, BUSY_MS);
  afterAll(async () => {
    clearInterval(growing);
    await workers?.killAll();
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
    await world?.close();
  });

  test(
    "at each step in turn, every address is swept once, and the books have what the chain has",
    async () => {
      const before = world.chain.lamports(SOLANA_HOT);
      const signed = world.signatures();
      const order = { spend: "sol", amount: "200", movesEach: 1 } as const;
      const { views, worker } = await sweepThroughCrashes({ sweeping, workers }, order);
      const swept = views.reduce((sum, view) => sum + found(view.instruction).units, 0n);
      for (const view of views) expect(world.chain.lamports(sweeping.addressOf(view))).toBe(0n);
      expect(world.chain.lamports(SOLANA_HOT) - before).toBe(swept - world.paidFees());
      // The same question has the same answer, so no crash led to another signature.
      expect([world.made(), world.signatures()]).toEqual([views.length, signed + views.length]);
      await sweeping.requireSameBooks(views);
      await worker.kill();
    },
    BUSY_MS,
  );
});
