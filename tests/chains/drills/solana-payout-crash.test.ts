import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tokenAccountOf } from "../../../apps/server/src/domain/wallets/solana.ts";
import {
  makeSolanaPayingWorld,
  newSolanaWallet,
  type SolanaPayingWorld,
} from "../world/solana-paying.ts";
import { USDC } from "../world/solana-tokens.ts";
import { makeWorkers, readStock, type Workers } from "../world/workers.ts";

/** The worker is killed as `kill -9` would, around each step of a payout with a deadline. */
describe("a payout on Solana", () => {
  let world: SolanaPayingWorld;
  let growing: NodeJS.Timeout;
  let workers: Workers;

  beforeAll(async () => {
    const variables = { EXCHANGE_ROLE: "api" };
    world = await makeSolanaPayingWorld({ variables, tokens: ["usdc-solana"] });
    await world.start();
    growing = setInterval(() => void world.grow().catch(() => {}), 100);
    workers = makeWorkers(world.line.variables, world.world.database);
    await readStock(workers, world.service());
  });
  afterAll(async () => {
    clearInterval(growing);
    await workers?.killAll();
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
    await world?.close();
  });
  const takes = (value: boolean): void => {
    for (const server of world.servers) server.takes = value;
  };

  const FAILPOINTS = [
    "send.after_deadline",
    "send.after_request",
    "payout.after_sign",
    "payout.after_broadcast",
    "send.before_plan_again",
    "send.after_plan_again",
  ] as const;
  const CASES = ["sol", "usdc-solana"].flatMap((coin) =>
    FAILPOINTS.map((failpoint) => [coin, failpoint] as const),
  );

  test.each(CASES)("of %s, the worker killed at %s pays once", async (coin, failpoint) => {
    const before = world.made();
    const to = newSolanaWallet();
    takes(!failpoint.endsWith("plan_again"));
    const doomed = await workers.start(failpoint);
    const view = await world.buy(to, "50", coin);
    expect(await doomed.ended).toBe("SIGKILL");
    takes(true);
    await workers.goOn(() =>
      expect.poll(() => world.status(view), { timeout: 90_000 }).toBe("completed"),
    );
    const { chain } = world;
    const arrived = coin === "sol" ? chain.lamports(to) : chain.tokens(tokenAccountOf(to, USDC));
    expect(arrived).toBe((await world.read(view)).payout?.units);
    expect(world.made()).toBe(before + 1);
  });
});
