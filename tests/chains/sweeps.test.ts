import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import { HOT, hex, makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";
import { makeSweeping, type Sweeping } from "./world/sweeping.ts";

const NETWORK = {
  deposits: { xpub: XPUB, wallet: "ethereum-deposits" },
  sweeps: { aboveEuro: 1, maxHours: 24 },
};

describe.skipIf(ANVIL_PATH === "")("sweeps of deposit addresses", () => {
  let world: PayingWorld;
  let sweeping: Sweeping;
  let started: { eth: bigint; usdt: bigint };

  beforeAll(async () => {
    world = await makePayingWorld({ network: NETWORK });
    sweeping = makeSweeping(world);
    await world.start();
    started = await holdings(HOT);
  });
  afterAll(() => world?.close());

  const holdings = async (address: string) => ({
    eth: await world.holds(address, "eth"),
    usdt: await world.holds(address, "usdt"),
  });
  const areFinal = async (count: number): Promise<boolean> => {
    const all = await sweeping.moves();
    return all.length >= count && all.every(({ state }) => state === "final");
  };

  test("coins and tokens are collected to the unit, and the books have what the chain has", async () => {
    const coins = await sweeping.sell("eth", "0.1");
    const tokens = await sweeping.sell("usdt-ethereum", "200");
    const token = found(tokens.instruction);
    await sweeping.deposit(coins);
    await sweeping.deposit(tokens);
    await sweeping.mineUntil(async () => (await world.status(tokens)) === "completed");
    await sweeping.mineUntil(async () => (await world.status(coins)) === "completed");
    await sweeping.mineUntil(() => areFinal(3));
    expect((await sweeping.moves()).map(({ purpose }) => purpose).toSorted()).toEqual(
      ["sweep", "sweep", "top_up"].toSorted(),
    );
    // Nothing is left of the coins, and nothing of the tokens.
    expect(await world.holds(sweeping.addressOf(coins), "eth")).toBe(0n);
    expect(await world.holds(sweeping.addressOf(tokens), "usdt")).toBe(0n);
    const moved = (await holdings(HOT)).usdt - started.usdt;
    expect(moved).toBe(token.units);
    // The fee of the tokens' sweep left a little behind. The hot wallet's earlier balance is booked as capital.
    const behind = await world.holds(sweeping.addressOf(tokens), "eth");
    await sweeping.mineUntil(
      async () => (await holdings(HOT)).eth + behind === (await sweeping.booked("eth")),
    );
    await sweeping.mineUntil(
      async () => (await holdings(HOT)).usdt === (await sweeping.booked("usdt-ethereum")),
    );
    const { deposits } = await world.read(tokens);
    expect(deposits.map(({ units }) => units)).toEqual([token.units]);
    expect(await listStops(world.world.database)).toEqual([]);
  });

  test("coins that come later to a swept address are found, booked and swept too", async () => {
    const view = await sweeping.sell("eth", "0.2");
    const { units } = found(view.instruction);
    await world.send({ to: sweeping.addressOf(view), value: units });
    await sweeping.mineUntil(async () => (await world.status(view)) === "completed");
    await sweeping.mineUntil(
      async () => (await world.holds(sweeping.addressOf(view), "eth")) === 0n,
    );
    await world.send({ to: sweeping.addressOf(view), value: units / 2n });
    await sweeping.mineUntil(async () => {
      const { deposits } = await world.read(view);
      return deposits.length === 2 && deposits.every(({ state }) => state === "final");
    });
    await sweeping.mineUntil(
      async () => (await world.holds(sweeping.addressOf(view), "eth")) === 0n,
    );
  });

  test("with no coins for top-ups tokens wait, and payouts go on", async () => {
    await world.stop();
    await world.start({ ...NETWORK, sweeps: { ...NETWORK.sweeps, topUpsDayUnits: "0" } });
    const view = await sweeping.sell("usdt-ethereum", "100");
    const { units } = found(view.instruction);
    await sweeping.deposit(view);
    await sweeping.mineUntil(async () => (await world.status(view)) === "completed");
    const to = newAddress();
    const bought = await world.buy("usdt", to);
    await sweeping.mineUntil(async () => (await world.status(bought)) === "completed");
    expect(await world.holds(sweeping.addressOf(view), "usdt")).toBe(units);
    expect(hex(await world.holds(to, "usdt"))).not.toBe("0x0");
  });
});
