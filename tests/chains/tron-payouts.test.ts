import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ANVIL_PATH } from "./world/anvil.ts";
import { makeTronPayingWorld, newTronAddress, type TronPayingWorld } from "./world/tron-paying.ts";

/** Keys are sealed and a service started, which takes long on a busy machine. */
const BUSY_MS = 180_000;

/** The chain's own balances judge: a payout arrived once, or not at all. */
describe.skipIf(ANVIL_PATH === "")("payouts on Tron", () => {
  let world: TronPayingWorld;

  beforeAll(async () => {
    world = await makeTronPayingWorld();
    await world.start();
  }, BUSY_MS);
  afterAll(async () => {
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });

  const unitsOf = async (view: Parameters<TronPayingWorld["read"]>[0]) =>
    (await world.read(view)).payout?.units;

  test.each(["trx", "usdt-tron"] as const)("P1: a payout of %s arrives once", async (asset) => {
    const to = newTronAddress();
    const view = await world.buy(asset, to);
    await world.until(view, "completed");
    expect(await world.holds(to, asset)).toBe(await unitsOf(view));
    expect(await world.stops()).toEqual([]);
  });
});
