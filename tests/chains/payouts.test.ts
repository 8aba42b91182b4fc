import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ANVIL_PATH } from "./world/anvil.ts";
import { makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";

describe.skipIf(ANVIL_PATH === "")("payouts on a live network", () => {
  let world: PayingWorld;

  beforeAll(async () => {
    world = await makePayingWorld();
    await world.start();
  });
  afterAll(() => world?.close());

  test.each(["eth", "usdt"] as const)("P1: a payout of %s arrives once", async (asset) => {
    const to = newAddress();
    const view = await world.buy(asset, to);
    await expect.poll(() => world.holds(to, asset)).toBeGreaterThan(0n);
    await world.mine();
    await expect.poll(() => world.status(view)).toBe("completed");
    const { payout } = await world.read(view);
    expect(await world.holds(to, asset)).toBe(payout?.units);
  });
});
