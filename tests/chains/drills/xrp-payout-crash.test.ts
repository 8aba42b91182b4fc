import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeWorkers, readStock, type Workers } from "../world/workers.ts";
import { makeXrpPayingWorld, newXrpAddress, type XrpPayingWorld } from "../world/xrp-paying.ts";

/** The worker is killed as `kill -9` would, around each step of a payout on the XRP Ledger. */
describe("a payout on the XRP Ledger", () => {
  let world: XrpPayingWorld;
  let growing: NodeJS.Timeout;
  let workers: Workers;

  beforeAll(async () => {
    world = await makeXrpPayingWorld({ variables: { EXCHANGE_ROLE: "api" } });
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

  test.each([
    "payout.after_bind",
    "send.after_request",
    "payout.after_sign",
    "payout.after_broadcast",
    "payout.before_replace",
    "payout.after_replace",
    "payout.after_replace_recorded",
  ] as const)("the worker killed at %s pays once", async (failpoint) => {
    const made = world.made();
    const to = newXrpAddress();
    world.chain.takes = !failpoint.includes("replace");
    const doomed = await workers.start(failpoint);
    const view = await world.buy({ address: to });
    expect(await doomed.ended).toBe("SIGKILL");
    world.chain.takes = true;
    await workers.goOn(() =>
      expect.poll(() => world.status(view), { timeout: 90_000 }).toBe("completed"),
    );
    expect(world.holds(to)).toBe((await world.read(view)).payout?.units);
    expect(world.made()).toBe(made + 1);
  });
});
