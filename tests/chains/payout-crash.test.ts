import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ANVIL_PATH } from "./world/anvil.ts";
import { makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";
import { makeWorkers, type Workers } from "./world/workers.ts";

/** Keys are sealed and a service started, which takes long on a busy machine. */
const BUSY_MS = 180_000;

/** The worker and the signer are killed as `kill -9` would, around each step of a payout. */
describe.skipIf(ANVIL_PATH === "")("a payout on a live network", () => {
  let world: PayingWorld;
  let mining: NodeJS.Timeout;
  let workers: Workers;

  beforeAll(async () => {
    world = await makePayingWorld({ variables: { EXCHANGE_ROLE: "api" } });
    await world.start();
    mining = setInterval(() => void world.mine(2).catch(() => {}), 300);
    // The scanner of a worker reads the hot wallet. Nobody is quoted a coin before.
    workers = makeWorkers(world.line.variables, world.world.database);
    const worker = await workers.start();
    const { controls } = world.service().deps;
    await vi.waitFor(
      () => {
        const stock = [...controls().stock.values()];
        if (!stock.some((units) => units > 0n)) throw new Error("no stock");
      },
      { timeout: 60_000, interval: 100 },
    );
    await worker.kill();
  }, BUSY_MS);
  afterAll(async () => {
    clearInterval(mining);
    await workers.killAll();
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
    await world?.close();
  });

  const finishes = async (view: Awaited<ReturnType<PayingWorld["buy"]>>, to: string) => {
    const worker = await workers.start();
    await expect.poll(() => world.status(view), { timeout: 60_000 }).toBe("completed");
    await worker.kill();
    expect(await world.holds(to, "usdt")).toBe((await world.read(view)).payout?.units);
  };

  test.each([
    "payout.before_bind",
    "payout.after_bind",
    "payout.before_sign",
    "send.after_request",
    "payout.after_sign",
    "payout.after_sign_recorded",
    "payout.after_broadcast",
    "payout.after_broadcast_recorded",
    "payout.before_complete",
    "payout.after_complete",
  ] as const)("P9: the worker killed at %s pays once", async (failpoint) => {
    const before = [await world.nonce(), world.signatures()];
    const to = newAddress();
    const doomed = await workers.start(failpoint);
    const view = await world.buy("usdt", to);
    expect(await doomed.ended).toBe("SIGKILL");
    await finishes(view, to);
    // One transaction and one signature: the same question had the same answer.
    expect([await world.nonce(), world.signatures()]).toEqual(before.map((count) => count + 1));
  });

  test.each(["before_log", "after_log"] as const)(
    "P9: the signer killed %s pays once, and a payout waits while it is away",
    async (moment) => {
      const before = [await world.nonce(), world.signatures()];
      await world.signer.startThatDies(moment);
      const to = newAddress();
      const worker = await workers.start();
      const view = await world.buy("usdt", to);
      await expect.poll(() => world.status(view)).toBe("sending");
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(await world.holds(to, "usdt")).toBe(0n);
      expect((await world.outcome(view))[0]).toBe("sending");
      await world.signer.start();
      await worker.kill();
      await finishes(view, to);
      expect([await world.nonce(), world.signatures()]).toEqual(before.map((count) => count + 1));
    },
  );
});
