import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ANVIL_PATH } from "../world/anvil.ts";
import { makeTronPayingWorld, newTronAddress, type TronPayingWorld } from "../world/tron-paying.ts";
import { makeWorkers, readStock, type Workers } from "../world/workers.ts";

/** The worker is killed as `kill -9` would, around each step of a payout that only Tron has. */
describe.skipIf(ANVIL_PATH === "")("a payout on Tron", () => {
  let world: TronPayingWorld;
  let mining: NodeJS.Timeout;
  let workers: Workers;

  beforeAll(async () => {
    world = await makeTronPayingWorld({ variables: { EXCHANGE_ROLE: "api" } });
    await world.start({ payouts: { expirationSeconds: 5, graceSeconds: 1 } });
    mining = setInterval(() => void world.grow().catch(() => {}), 100);
    workers = makeWorkers(world.line.variables, world.world.database);
    await readStock(workers, world.service());
  });
  afterAll(async () => {
    clearInterval(mining);
    await workers?.killAll();
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
    await world?.close();
  });
  const takes = (value: boolean): void => {
    for (const server of world.servers) server.takes = value;
  };

  test.each([
    "send.after_deadline",
    "send.after_request",
    "payout.after_sign",
    "payout.after_broadcast",
    "send.before_plan_again",
    "send.after_plan_again",
  ] as const)("the worker killed at %s pays once", async (failpoint) => {
    const before = await world.made();
    const to = newTronAddress();
    takes(!failpoint.endsWith("plan_again"));
    const doomed = await workers.start(failpoint);
    const view = await world.buy("usdt-tron", to);
    expect(await doomed.ended).toBe("SIGKILL");
    takes(true);
    await workers.goOn(() =>
      expect.poll(() => world.status(view), { timeout: 90_000 }).toBe("completed"),
    );
    expect(await world.holds(to, "usdt-tron")).toBe((await world.read(view)).payout?.units);
    expect(await world.made()).toBe(before + 1);
  });
});
