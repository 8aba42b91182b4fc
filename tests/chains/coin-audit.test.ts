import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { segwitScript } from "../../apps/server/src/adapters/chains/utxo/deposit-addresses.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { describeStop } from "../../apps/server/src/domain/payouts/stop.ts";
import { listBreaks } from "../../apps/server/src/storage/audit/breaks.ts";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { findCursor } from "../../apps/server/src/storage/chains/cursors.ts";
import { readBalance } from "../../apps/server/src/storage/ledger/balances.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import {
  type SpentCoin,
  STOLEN_FEE,
  testCoinWallet,
} from "../../apps/server/src/testing/coin-wallet.ts";
import { ORDERS, placeAndAsk } from "../../apps/server/src/testing/orders.ts";
import { openSession } from "../../apps/server/src/testing/world.ts";
import { COIN_NETWORK, coinsText, LTC, unitsOf } from "./world/coin-world.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { DEPTH, FLOAT, makePayingCoins, type PayingCoins } from "./world/paying-coins.ts";

/** The audit of wallets of coins: row T1 of the scenarios of chains. The judge is the node's own set of coins. */
describe.skipIf(LITECOIND_PATH === "")("the books of coins", () => {
  const hot = testCoinWallet("m/84'/2'/0'", "rltc");
  const deposits = testCoinWallet("m/84'/2'/1'", "rltc", "deposits");
  let world: PayingCoins;
  let deposit: string;
  /** The units that we paid to the deposit address of another order. They stay there. */
  let paidOver = 0n;

  beforeAll(async () => {
    // Payouts that are released together would share a transaction.
    world = await makePayingCoins({ payouts: { batch: { outputsMax: 1 } } });
    await world.start();
    await world.fund();
  });
  afterAll(() => world?.close());

  const booked = (): Promise<bigint> =>
    readBalance(world.world.database, {
      merchantId: "all",
      purpose: "chain_wallet",
      assetId: LTC,
    });
  const bookOf = async () =>
    (await readBooks(world.world.database, COIN_NETWORK)).find(({ assetId }) => assetId === LTC);
  const breaks = async (): Promise<readonly string[]> =>
    (await listBreaks(world.world.database, "standing")).map(({ problem }) => problem);
  const stops = async (): Promise<readonly string[]> =>
    (await listStops(world.world.database)).map(describeStop);
  /** Returns a coin of the addresses, by the node's own set of coins. */
  const coinAt = async (...addresses: readonly string[]): Promise<SpentCoin> => {
    const { unspents } = await world.node.call<{
      unspents: { txid: string; vout: string; scriptPubKey: string; amount: string }[];
    }>(
      "scantxoutset",
      "start",
      addresses.map((address) => `addr(${address})`),
    );
    const [coin] = unspents;
    if (!coin) throw new Error(`${addresses.join(" and ")} have no coin`);
    const { txid, vout, scriptPubKey, amount } = coin;
    return { outpoint: `${txid}:${vout}`, script: scriptPubKey, units: unitsOf(amount) };
  };
  /** Mines a transaction that somebody with a key of ours has signed. Returns its hash. */
  const mineStolen = async (bytes: string): Promise<string> => {
    const hash = await world.node.call("sendrawtransaction", bytes);
    await world.mine(1);
    await world.scanned();
    return hash;
  };
  /** Waits until the newest block is final and booked, and compares with what the node has. */
  const isExact = async (deposits = 0n): Promise<void> => {
    await world.mine(DEPTH);
    await world.scanned();
    await expect
      .poll(async () => [await booked(), (await bookOf())?.unbookedUnits])
      .toEqual([(await world.walletHolds()) + deposits, 0n]);
    const cursor = await findCursor(world.world.database, COIN_NETWORK);
    await expect.poll(async () => (await bookOf())?.comparedHeight).toBe(cursor?.finalHeight);
    expect(await bookOf()).toMatchObject({ difference: 0n, chainUnits: await booked() });
    expect(await breaks()).toEqual([]);
    expect(await stops()).toEqual([]);
  };

  test("coins that the operator brings are capital, each output once", async () => {
    await isExact();
    expect(await booked()).toBe(FLOAT);
    const both = { [hot.addressAt(3)]: "0.07000000", [hot.addressAt(4)]: "0.07000000" };
    await world.node.call("sendmany", "", both);
    await isExact();
    expect(await booked()).toBe(FLOAT + 14_000_000n);
  });

  test("payouts, their change and their fees keep the books exact", async () => {
    const addresses = [await world.newAddress(), await world.newAddress()];
    const views = await Promise.all(addresses.map((address) => world.buy(address)));
    await expect.poll(() => world.inMempool()).toBe(2);
    await world.mine(DEPTH);
    for (const view of views) await expect.poll(() => world.status(view)).toBe("completed");
    await isExact();
    const statement = await world.line.runJson<{
      lines: { kind: string; units: string; reference: string }[];
      closing: Record<string, string>;
      chain: Record<string, string>;
    }>("chains", "statement", "--network", "litecoin");
    expect(statement.closing).toEqual(statement.chain);
    expect(new Set(statement.lines.map(({ kind }) => kind))).toEqual(
      new Set(["top_up", "payout", "fee"]),
    );
    for (const view of views) {
      const payout = (await world.read(view)).payout;
      const lines = statement.lines.filter(
        ({ kind, reference }) => kind === "payout" && reference === payout?.id,
      );
      expect(lines).toMatchObject([{ units: String(-(payout?.units ?? 0n)) }]);
    }
  });

  const sell = async (amount: string): Promise<OrderView> => {
    const { deps } = world.service();
    const place = { deps, openSession: (id: string) => openSession(deps, id) };
    const request = { ...ORDERS.sell.request, refundAddress: await world.newAddress() };
    return placeAndAsk(place, { ...ORDERS.sell, spend: "ltc", amount, request });
  };

  test("a deposit stays at its address, and the books have it", async () => {
    const view = await sell("1");
    const { address, units } = found(view.instruction);
    deposit = found(address ?? undefined);
    const half = units / 2n;
    for (const part of [half, units - half]) {
      await world.node.call("sendtoaddress", deposit, coinsText(part));
    }
    await isExact(units);
    expect(await world.holds(deposit)).toBe(units);
    await expect.poll(() => world.status(view)).toBe("completed");
  });

  test("coins that we pay to the deposit address of another order pay that order", async () => {
    const view = await sell("0.5");
    const { address } = found(view.instruction);
    const buy = await world.buy(found(address ?? undefined));
    await expect.poll(() => world.inMempool()).toBe(1);
    await world.mine(DEPTH);
    paidOver = buy.order.receiveUnits;
    await isExact((await world.holds(deposit)) + paidOver);
    await expect.poll(() => world.status(view)).toBe("in_review");
    const { order } = await world.read(view);
    expect([order.statusReason, order.receivedUnits]).toEqual(["overpaid", paidOver]);
  });

  test("doctor says that the books equal the chain", async () => {
    const { out } = await world.line.run("doctor");
    expect(out).toMatch(
      /wallets of litecoin: the books equal the chain at block \d+; \S+ has [\d.]+ ltc/,
    );
  });

  test("the descriptors lead litecoind to our addresses", async () => {
    const keys = await world.line.runJson<{ wallet: string; path: string; descriptor: string }[]>(
      "wallets",
      "descriptors",
    );
    const derived = await Promise.all(
      keys.map(({ descriptor }) =>
        world.node.call<string[]>("deriveaddresses", descriptor, [0, 1]),
      ),
    );
    expect(keys.map(({ wallet, path }) => `${wallet} ${path}`)).toEqual([
      "deposits 0/<index>",
      "hot 0/<index>",
      "hot 1/<index>",
    ]);
    expect(derived[0]).toEqual([0, 1].map(deposits.addressAt));
    expect(derived[1]).toEqual([0, 1].map(hot.addressAt));
    expect(keys[1]?.descriptor).toMatch(
      /^wpkh\(\[[0-9a-f]{8}\/84h\/2h\/0h\]tpub\w+\/0\/\*\)#\w{8}$/,
    );
  });

  test("coins of a deposit that a person brings to the hot wallet stop the network, and only their fee is missing", async () => {
    const coin = await coinAt(deposit);
    const hash = await mineStolen(deposits.steal(coin, segwitScript(hot.addressAt(5))));
    expect(await stops()).toEqual(["rail chain:litecoin"]);
    await world.mine(DEPTH);
    await world.scanned();
    const float = ["ledger", "float", "--currency", "ltc", "--transaction", hash, "--as", "anna"];
    const fee = coinsText(STOLEN_FEE);
    expect(await world.line.run(...float, "--out", "--amount", fee)).toMatchObject({ status: 0 });
    for (const person of ["anna", "ben"]) {
      await world.line.run("payouts", "resume", "--rail", "chain:litecoin", "--as", person);
    }
    expect(await stops()).toEqual([]);
    await world.mine(1);
    await world.scanned();
    await expect.poll(bookOf).toMatchObject({ difference: 0n, unbookedUnits: 0n });
    const atDeposits = (await world.holds(deposit)) + paidOver;
    expect(await booked()).toBe((await world.walletHolds()) + atDeposits);
  });

  test("a thief's transaction from a deposit address stops the network in the pass that sees it", async () => {
    const coin = await coinAt(deposit);
    const hash = await mineStolen(deposits.steal(coin));
    expect(await stops()).toEqual(["rail chain:litecoin"]);
    expect((await breaks()).join()).toContain(
      `transaction ${hash}, which we did not sign, took ${coin.units} units of ltc from deposit address ${deposit}`,
    );
  });

  test("a thief's transaction from the hot wallet is named, before it is final", async () => {
    // Payouts before may have spent the coins of some of them.
    const coin = await coinAt(...[0, 1, 3, 4].map((index) => hot.addressAt(index)));
    const hash = await mineStolen(hot.steal(coin));
    expect((await breaks()).filter((problem) => problem.includes(hash)).join()).toMatch(
      /took \d+ units of ltc from wallet litecoin:xpub/,
    );
    // The theft is known to the unit, and it is not a difference of the books beside.
    const before = await booked();
    await world.mine(DEPTH);
    await world.scanned();
    await expect
      .poll(async () => before + ((await bookOf())?.unbookedUnits ?? 0n))
      .toBe((await world.walletHolds()) + paidOver);
    expect(await bookOf()).toMatchObject({ difference: 0n });
  });
});
