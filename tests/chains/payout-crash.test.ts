import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseOrder } from "../../apps/server/src/flows/orders/release.ts";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";
import { TOKEN_CODES } from "./world/token-codes.ts";
import { makeWorkers, readStock, type Workers } from "./world/workers.ts";

/** A payout is paid at this depth, and final when eight blocks are on top of its own. */
const DEPTH = 2;
/** The places that a worker reaches only when the payout is paid. */
const DEEP: readonly string[] = [
  "payout.before_complete",
  "payout.after_complete",
  "send.before_final",
  "send.after_final",
];

/** The worker and the signer are killed as `kill -9` would, around each step of a payout. */
describe.skipIf(ANVIL_PATH === "")("a payout on a live network", () => {
  let world: PayingWorld;
  let mining: NodeJS.Timeout;
  let workers: Workers;

  beforeAll(async () => {
    world = await makePayingWorld({
      variables: { EXCHANGE_ROLE: "api" },
      network: { payoutDepth: DEPTH },
    });
    await world.start();
    mine();
    workers = makeWorkers(world.line.variables, world.world.database);
    await readStock(workers, world.service());
  });
  afterAll(async () => {
    clearInterval(mining);
    await workers.killAll();
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    expect(await world.stops()).toEqual([]);
    await world?.close();
  });

  const mine = (): void => {
    mining = setInterval(() => void world.mine(2).catch(() => {}), 300);
  };
  const awaitsFinality = async (view: Awaited<ReturnType<PayingWorld["buy"]>>) =>
    (await world.read(view)).payout?.awaitsFinality;
  const finishes = async (
    view: Awaited<ReturnType<PayingWorld["buy"]>>,
    to: string,
    asset: "usdt" | "usdc" = "usdt",
  ) => {
    await workers.goOn(async () => {
      await expect.poll(() => world.status(view)).toBe("completed");
      await expect.poll(() => awaitsFinality(view)).toBe(false);
    });
    expect(await world.holds(to, asset)).toBe((await world.read(view)).payout?.units);
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
    "send.before_final",
    "send.after_final",
  ] as const)("the worker killed at %s pays once", async (failpoint) => {
    clearInterval(mining);
    const before = [await world.nonce(), world.signatures()];
    const to = newAddress();
    const doomed = await workers.start(failpoint);
    const view = await world.buy("usdt", to);
    if (DEEP.includes(failpoint)) {
      await expect.poll(() => world.holds(to, "usdt")).toBeGreaterThan(0n);
      await world.mine(DEPTH - 1);
    }
    if (failpoint.startsWith("send.") && DEEP.includes(failpoint)) {
      await expect.poll(() => world.status(view)).toBe("completed");
      await world.mine();
    }
    expect(await doomed.ended).toBe("SIGKILL");
    mine();
    await finishes(view, to);
    // One transaction and one signature: the same question had the same answer.
    expect([await world.nonce(), world.signatures()]).toEqual(before.map((count) => count + 1));
  });

  test.each(["send.before_lost", "send.after_lost"] as const)(
    "a completed payout that the chain dropped and can no longer be paid, killed at %s, is paid once by its release",
    async (failpoint) => {
      clearInterval(mining);
      await world.mine(10);
      const to = newAddress();
      const first = await workers.start();
      const view = await world.buy("usdc", to);
      await expect.poll(() => world.holds(to, "usdc")).toBeGreaterThan(0n);
      await world.mine(DEPTH - 1);
      await expect.poll(() => world.status(view)).toBe("completed");
      await first.kill();
      await world.node.call("evm_setAutomine", false);
      await world.node.call("anvil_reorg", DEPTH, []);
      await world.setToken("usdc", TOKEN_CODES.reverting);
      const doomed = await workers.start(failpoint);
      mine();
      expect(await doomed.ended).toBe("SIGKILL");
      const worker = await workers.start();
      const lost = ["in_review", "delivery_rejected", "void", "failed"];
      await expect.poll(() => world.outcome(view)).toEqual(lost);
      expect(await world.stops()).toEqual(["rail chain:ethereum"]);
      await world.setToken("usdc");
      await world.node.call("evm_setAutomine", true);
      await world.resume();
      const { deps } = world.service();
      await releaseOrder(deps, { merchantId: MERCHANT_ID, orderId: view.order.id });
      await worker.kill();
      await finishes(view, to, "usdc");
    },
  );

  test.each(["before_log", "after_log"] as const)(
    "the signer killed %s pays once, and a payout waits while it is away",
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
