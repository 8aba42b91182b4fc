import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Failpoint } from "../../apps/server/src/failpoints.ts";
import { endLeases } from "../../apps/server/src/storage/jobs/leases.ts";
import { ROOT } from "../support/service/service.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";

const MAIN = path.join(ROOT, "apps/server/dist/main.js");

/** Keys are sealed and a service started, which takes long on a busy machine. */
const BUSY_MS = 180_000;

/** The worker and the signer are killed as `kill -9` would, around each step of a payout. */
describe.skipIf(ANVIL_PATH === "")("a payout on a live network", () => {
  let world: PayingWorld;
  let mining: NodeJS.Timeout;
  const workers = new Set<ChildProcess>();

  beforeAll(async () => {
    world = await makePayingWorld({ variables: { EXCHANGE_ROLE: "api" } });
    await world.start();
    mining = setInterval(() => void world.mine(2).catch(() => {}), 300);
    // The scanner of a worker reads the hot wallet. Nobody is quoted a coin before.
    const worker = startWorker();
    const { controls } = world.service().deps;
    await vi.waitFor(
      () => {
        const stock = [...controls().stock.values()];
        if (!stock.some((units) => units > 0n)) throw new Error("no stock");
      },
      { timeout: 60_000, interval: 100 },
    );
    worker.kill();
    await worker.ended;
    await endLeases(world.world.database);
  }, BUSY_MS);
  afterAll(async () => {
    clearInterval(mining);
    for (const worker of workers) worker.kill("SIGKILL");
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
    await world?.close();
  });

  /** Starts a worker, which may be doomed. Returns the signal that ends it. */
  const startWorker = (failpoint?: Failpoint) => {
    const worker = spawn(process.execPath, [MAIN], {
      stdio: "ignore",
      env: {
        ...world.line.variables,
        EXCHANGE_ROLE: "worker",
        ...(failpoint && { EXCHANGE_FAILPOINT: failpoint }),
      },
    });
    workers.add(worker);
    const ended = once(worker, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
    return { ended, kill: () => worker.kill("SIGKILL") };
  };
  const finishes = async (view: Awaited<ReturnType<PayingWorld["buy"]>>, to: string) => {
    await endLeases(world.world.database);
    const worker = startWorker();
    await expect.poll(() => world.status(view), { timeout: 60_000 }).toBe("completed");
    worker.kill();
    await worker.ended;
    await endLeases(world.world.database);
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
    const doomed = startWorker(failpoint);
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
      const worker = startWorker();
      const view = await world.buy("usdt", to);
      await expect.poll(() => world.status(view)).toBe("sending");
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(await world.holds(to, "usdt")).toBe(0n);
      expect((await world.outcome(view))[0]).toBe("sending");
      await world.signer.start();
      worker.kill();
      await worker.ended;
      await finishes(view, to);
      expect([await world.nonce(), world.signatures()]).toEqual(before.map((count) => count + 1));
    },
  );
});
