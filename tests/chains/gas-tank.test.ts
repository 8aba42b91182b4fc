import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import { HOT, hex, makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";
import { type ListedMove, makeSweeping, type Sweeping } from "./world/sweeping.ts";

/** The sixth account of anvil's own words, which are also those of the test signer. */
const TANK = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc";
const COIN = 10n ** 18n;
const CAP = COIN / 100n;
const NETWORK = {
  deposits: { xpub: XPUB, wallet: "ethereum-deposits" },
  sweeps: { aboveEuro: 1, maxHours: 24 },
  gasTank: { wallet: "ethereum-gas", address: TANK, capPerDayUnits: String(CAP) },
};

/** The chain's balances judge what the tank paid, and that the hot wallet paid nothing of it. */
describe.skipIf(ANVIL_PATH === "")("a gas tank", () => {
  let world: PayingWorld;
  let sweeping: Sweeping;

  beforeAll(async () => {
    const tank = { network: "ethereum", keystore: "hot", path: "m/44'/60'/0'/0/5" } as const;
    world = await makePayingWorld({
      network: NETWORK,
      policy: (policy) => {
        policy.wallets["ethereum-gas"] = { ...tank, purpose: "gas" };
        return policy;
      },
    });
    sweeping = makeSweeping(world);
    await world.node.call("anvil_setBalance", TANK, "0x0");
    await world.mine();
    await world.start();
  });
  afterAll(async () => {
    expect(await world.line.runJson("ledger", "breaks")).toEqual([]);
    expect((await world.line.run("ledger", "check")).status).toBe(0);
    await world?.close();
  });

  const topUps = async (): Promise<readonly ListedMove[]> =>
    (await sweeping.moves()).filter(({ purpose }) => purpose === "top_up");
  const gas = async () => {
    const shown = await world.line.runJson<{ currency: string; gas?: object }[]>(
      "treasury",
      "show",
    );
    return shown.find(({ currency }) => currency === "eth")?.gas;
  };

  test("while it is empty tokens wait and payouts go on; refilled, it pays for the sweep", async () => {
    const view = await sweeping.sell("usdt-ethereum", "200");
    await sweeping.deposit(view);
    await sweeping.mineUntil(async () => (await world.status(view)) === "completed");
    const to = newAddress();
    const bought = await world.buy("usdt", to);
    await sweeping.mineUntil(async () => (await world.status(bought)) === "completed");
    expect(await topUps()).toEqual([]);
    expect(await gas()).toMatchObject({ tank: { has: "0", usedToday: "0", cap: "0.01" } });
    const doctor = await world.line.run("doctor");
    expect(doctor.out).toContain("the gas tank has 0 eth");
    const nonce = await world.nonce();
    await world.send({ to: TANK, value: COIN });
    await sweeping.mineUntil(async () => {
      const address = sweeping.addressOf(view);
      return (await world.holds(address, "usdt")) === 0n;
    });
    const [topUp, ...others] = await topUps();
    expect(others).toEqual([]);
    expect(topUp).toMatchObject({ role: "gas", place: 0, state: "final" });
    expect(await world.nonce()).toBe(nonce);
    const left = await world.holds(TANK, "eth");
    expect(COIN - left).toBeGreaterThan(BigInt(found(topUp?.units ?? undefined)));
    // The tank's deposits are capital, and its payments are in the books to the unit.
    await sweeping.mineUntil(async () => {
      const behind = await world.holds(sweeping.addressOf(view), "eth");
      const ours = (await world.holds(HOT, "eth")) + left + behind;
      return ours === (await sweeping.booked("eth"));
    });
  });

  test("its cap of a day bounds what dust can drain", async () => {
    await world.stop();
    const used = found((await topUps())[0]).units;
    const gasTank = { ...NETWORK.gasTank, capPerDayUnits: used };
    await world.start({ gasTank });
    const view = await sweeping.sell("usdt-ethereum", "200");
    await sweeping.deposit(view);
    await sweeping.mineUntil(async () => (await world.status(view)) === "completed");
    await world.mine(3);
    expect(await topUps()).toHaveLength(1);
    await world.stop();
    await world.start();
    await sweeping.mineUntil(
      async () => (await world.holds(sweeping.addressOf(view), "usdt")) === 0n,
    );
    expect((await topUps()).map(({ place }) => place)).toEqual([0, 1]);
  });

  test("below the gas floor payouts of the coin wait, and those of tokens go on", async () => {
    await world.stop();
    const has = await world.holds(HOT, "eth");
    await world.start({ payouts: { gasFloorUnits: String(has - COIN / 1_000n) } });
    const [coins, tokens] = [newAddress(), newAddress()];
    const stuck = await world.buy("eth", coins);
    const bought = await world.buy("usdt", tokens);
    await sweeping.mineUntil(async () => (await world.status(bought)) === "completed");
    expect(await world.holds(tokens, "usdt")).toBe((await world.read(bought)).payout?.units);
    await sweeping.mineUntil(async () => (await world.outcome(stuck))[2] !== undefined);
    expect((await world.outcome(stuck))[2]).toBe("created");
    const waiting = async () => (await world.line.run("payouts", "list")).out;
    await expect.poll(waiting).toContain("for the fees of tokens");
    await world.stop();
    await world.start({ payouts: { gasFloorUnits: String(has + COIN) } });
    expect((await world.line.run("treasury", "show")).out).toContain("below its gas floor");
    await world.send({ to: HOT, value: 2n * COIN });
    await sweeping.mineUntil(async () => (await world.status(stuck)) === "completed");
    expect(hex(await world.holds(coins, "eth"))).toBe(
      hex(found((await world.read(stuck)).payout).units),
    );
  });
});
