import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { hex, makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";

const GWEI = 10n ** 9n;

describe.skipIf(ANVIL_PATH === "")("a payout that the nodes dropped", () => {
  let world: PayingWorld;

  beforeAll(async () => {
    world = await makePayingWorld({ policy: (policy) => ({ ...policy, replacementsMax: 0 }) });
    await world.start();
  });
  afterAll(() => world?.close());
  beforeEach(() => world.node.call("evm_setAutomine", false));

  /** Mines a block whose base fee is above the price of every payout, or as low as can be. */
  const mineAt = async (base: bigint): Promise<void> => {
    await world.node.call("anvil_setNextBlockBaseFeePerGas", hex(base));
    await world.mine(1);
  };
  const isKnown = async (hash: string): Promise<boolean> =>
    (await world.node.call<object | null>("eth_getTransactionByHash", hash)) !== null;

  /** Returns the hash of a payout whose fee cannot be raised now, and which no node has any more. */
  async function dropStuck(view: OrderView): Promise<string> {
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    const hash = String((await world.read(view)).payout?.transactionHash);
    for (let block = 0; block < 14; block += 1) {
      await mineAt(40n * GWEI);
      await world.hurry(view);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    await world.node.call("anvil_dropAllTransactions");
    expect(await isKnown(hash)).toBe(false);
    return hash;
  }

  async function completes(view: OrderView): Promise<void> {
    const look = async () => {
      await mineAt(1n);
      await world.hurry(view);
      return world.status(view);
    };
    await expect.poll(look, { timeout: 40_000, interval: 200 }).toBe("completed");
  }

  test("is sent again with the same bytes while the signer refuses a higher fee", async () => {
    const to = newAddress();
    const view = await world.buy("eth", to);
    const before = world.signatures();
    const hash = await dropStuck(view);
    await completes(view);
    expect(world.signatures()).toBe(before + 1);
    expect((await world.read(view)).payout).toMatchObject({ settledHash: hash });
    expect(await world.holds(to, "eth")).toBe((await world.read(view)).payout?.units);
  });

  test("is sent again while the signer does not answer", async () => {
    const to = newAddress();
    const view = await world.buy("eth", to);
    await expect.poll(async () => (await world.outcome(view))[2]).toBe("broadcast");
    await world.signer.stop();
    const hash = await dropStuck(view);
    await completes(view);
    expect((await world.read(view)).payout).toMatchObject({ settledHash: hash });
    await world.signer.start();
  });
});
