import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { readBalance } from "../../apps/server/src/storage/ledger/balances.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { openSession } from "../../apps/server/src/testing/world.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { XPUB } from "./world/chain-world.ts";
import {
  CONTRACTS,
  HOT,
  hex,
  makePayingWorld,
  newAddress,
  type PayingWorld,
} from "./world/paying-world.ts";

const NETWORK = {
  deposits: { xpub: XPUB, wallet: "ethereum-deposits" },
  sweeps: { aboveEuro: 1, maxHours: 24 },
};
const word = (value: bigint | string): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0");
const MOVES = statement(
  "test_list_moves",
  `select send.purpose, send.state, o.units::text as units from chain_sends send
     join chain_send_outputs o on o.send_id = send.id
   where send.purpose in ('sweep', 'top_up') order by send.created_at, send.id`,
);

describe.skipIf(ANVIL_PATH === "")("sweeps of deposit addresses", () => {
  let world: PayingWorld;
  let started: { eth: bigint; usdt: bigint };

  beforeAll(async () => {
    world = await makePayingWorld({ network: NETWORK });
    await world.start();
    started = await holdings(HOT);
  });
  afterAll(() => world?.close());

  const holdings = async (address: string) => ({
    eth: await world.holds(address, "eth"),
    usdt: await world.holds(address, "usdt"),
  });
  const addressOf = (view: OrderView): string =>
    found(found(view.instruction).address ?? undefined);
  const sell = (spend: "eth" | "usdt-ethereum", amount: string): Promise<OrderView> => {
    const { deps } = world.service();
    const wanted = { ...ORDERS.sell, spend, amount };
    return placeAndAsk({ deps, openSession: (id) => openSession(deps, id) }, wanted);
  };
  /** Mines until the condition holds: a sweep of a token takes two transactions that must be final. */
  const mineUntil = async (condition: () => Promise<boolean>): Promise<void> => {
    await expect
      .poll(
        async () => {
          await world.mine(1);
          return condition();
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBe(true);
  };
  const moves = () => world.world.database.query<{ purpose: string; state: string }>(MOVES);
  const areFinal = async (count: number): Promise<boolean> => {
    const all = await moves();
    return all.length >= count && all.every(({ state }) => state === "final");
  };
  const booked = async (reference: string): Promise<bigint> => {
    const { deps } = world.service();
    const { id } = found(deps.catalogue().currencyByCodeOrReference(reference));
    const of = { merchantId: "all", purpose: "chain_wallet", assetId: id };
    return readBalance(deps.database, of);
  };

  test("T1: coins and tokens are collected to the unit, and the books have what the chain has", async () => {
    const coins = await sell("eth", "0.1");
    const tokens = await sell("usdt-ethereum", "200");
    const [ether, token] = [coins, tokens].map((view) => found(view.instruction));
    await world.send({ to: addressOf(coins), value: found(ether?.units) });
    const stranger = found((await world.node.call<string[]>("eth_accounts"))[1]);
    const slot = await world.node.call("web3_sha3", `0x${word(stranger)}${word(0n)}`);
    await world.node.call("anvil_setStorageAt", CONTRACTS.usdt, slot, `0x${word(10n ** 12n)}`);
    const data = `0xa9059cbb${word(addressOf(tokens))}${word(found(token?.units))}`;
    await world.send({ to: CONTRACTS.usdt, data });
    await mineUntil(async () => (await world.status(tokens)) === "completed");
    await mineUntil(async () => (await world.status(coins)) === "completed");
    await mineUntil(() => areFinal(3));
    expect((await moves()).map(({ purpose }) => purpose).toSorted()).toEqual(
      ["sweep", "sweep", "top_up"].toSorted(),
    );
    // Nothing is left of the coins, and nothing of the tokens.
    expect(await world.holds(addressOf(coins), "eth")).toBe(0n);
    expect(await world.holds(addressOf(tokens), "usdt")).toBe(0n);
    const moved = (await holdings(HOT)).usdt - started.usdt;
    expect(moved).toBe(found(token).units);
    // The fee of the tokens' sweep left a little behind. What the hot wallet had before is booked as capital.
    const behind = await world.holds(addressOf(tokens), "eth");
    await mineUntil(async () => (await holdings(HOT)).eth + behind === (await booked("eth")));
    await mineUntil(async () => (await holdings(HOT)).usdt === (await booked("usdt-ethereum")));
    const { deposits } = await world.read(tokens);
    expect(deposits.map(({ units }) => units)).toEqual([token?.units]);
    expect(await listStops(world.world.database)).toEqual([]);
  });

  test("coins that come later to a swept address are found, booked and swept too", async () => {
    const view = await sell("eth", "0.2");
    const { units } = found(view.instruction);
    await world.send({ to: addressOf(view), value: units });
    await mineUntil(async () => (await world.status(view)) === "completed");
    await mineUntil(async () => (await world.holds(addressOf(view), "eth")) === 0n);
    await world.send({ to: addressOf(view), value: units / 2n });
    await mineUntil(async () => {
      const { deposits } = await world.read(view);
      return deposits.length === 2 && deposits.every(({ state }) => state === "final");
    });
    await mineUntil(async () => (await world.holds(addressOf(view), "eth")) === 0n);
  });

  test("with no coins for top-ups tokens wait, and payouts go on", async () => {
    await world.stop();
    await world.start({ ...NETWORK, sweeps: { ...NETWORK.sweeps, topUpsDayUnits: "0" } });
    const view = await sell("usdt-ethereum", "100");
    const { units } = found(view.instruction);
    const data = `0xa9059cbb${word(addressOf(view))}${word(units)}`;
    await world.send({ to: CONTRACTS.usdt, data });
    await mineUntil(async () => (await world.status(view)) === "completed");
    const to = newAddress();
    const bought = await world.buy("usdt", to);
    await mineUntil(async () => (await world.status(bought)) === "completed");
    expect(await world.holds(addressOf(view), "usdt")).toBe(units);
    expect(hex(await world.holds(to, "usdt"))).not.toBe("0x0");
  });
});
