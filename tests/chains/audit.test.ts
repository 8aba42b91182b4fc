import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { floatEntry } from "../../apps/server/src/domain/ledger/house-entries.ts";
import { type AuditBreak, listBreaks } from "../../apps/server/src/storage/audit/breaks.ts";
import { readBooks } from "../../apps/server/src/storage/chains/books.ts";
import { readBalance } from "../../apps/server/src/storage/ledger/balances.ts";
import { bookHouseEntry } from "../../apps/server/src/storage/ledger/house.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import {
  ASSETS,
  type AssetName,
  type ChainWorld,
  makeChainWorld,
  NETWORK,
} from "./world/chain-world.ts";

const REGISTER = statement(
  "test_register_hot_wallet",
  `insert into chain_wallets (id, network_code, address) values ('ethereum-hot', $1, $2)`,
);
const SIGN = statement(
  "test_sign",
  `with send as (
     insert into chain_sends (id, wallet_id, purpose, place, state)
     values ($1, 'ethereum-hot', $2, $3, 'sent') returning id)
   insert into chain_transactions (send_id, number, hash, bytes) select id, 1, $4, '' from send`,
);
const FLOATS = statement(
  "test_floats",
  "select key from ledger_entries where kind = 'float' order by key",
);
const WATCHED = statement(
  "test_watched",
  "select count(*)::int as count from chain_addresses where has_coins",
);
const ETHER = 10n ** 18n;

/** The audit of our own wallets. The judge is the chain's own balance, at the scanner's final block. */
describe.skipIf(ANVIL_PATH === "")("our wallets on anvil", () => {
  let world: ChainWorld;
  let hot: string;
  let stranger: string;

  beforeEach(async () => {
    world = await makeChainWorld();
    [, hot = "", stranger = ""] = await world.node.call<string[]>("eth_accounts");
    await world.node.call("anvil_setBalance", hot, "0x0");
    await world.database.query(REGISTER, [NETWORK, hot]);
    // Ten ether and 500 units of a token, brought by the operator.
    await world.send({ to: hot, value: 10n * ETHER });
    await transferToken(hot, 500n);
    await world.settle();
  });
  afterEach(() => world.close());

  const transferToken = (to: string, units: bigint): Promise<string> =>
    world.send({ to: world.contracts.usdt, call: ["transfer(address,uint256)", to, units] });
  const balanceOf = async (address: string, name: AssetName): Promise<bigint> => {
    const at = `0x${(await world.finalHeight()).toString(16)}`;
    if (name === "eth") return BigInt(await world.node.call("eth_getBalance", address, at));
    const data = `0x70a08231${address.slice(2).toLowerCase().padStart(64, "0")}`;
    return BigInt(await world.node.call("eth_call", { to: world.contracts[name], data }, at));
  };
  const bookOf = (name: AssetName): Promise<bigint> =>
    readBalance(world.database, {
      merchantId: "all",
      purpose: "chain_wallet",
      assetId: ASSETS[name],
    });
  const breaks = (): Promise<AuditBreak[]> => listBreaks(world.database, "standing");
  const floats = async (): Promise<string[]> =>
    (await world.database.query<{ key: string }>(FLOATS)).map(({ key }) => key);
  /** Sends from an address whose key is ours, as whoever has the key. */
  const spend = async (transaction: Record<string, string>): Promise<string> => {
    await world.node.call("anvil_impersonateAccount", transaction["from"]);
    return world.node.call("eth_sendTransaction", { gas: "0x30000", ...transaction });
  };
  /** Sends it as the service does: it is stored before it is in a block. */
  const spendAsWe = async (
    purpose: string,
    transaction: Record<string, string>,
  ): Promise<string> => {
    await world.node.call("evm_setAutomine", false);
    const hash = await spend(transaction);
    const place = await world.node.call("eth_getTransactionCount", transaction["from"], "latest");
    await world.database.query(SIGN, [randomUUID(), purpose, BigInt(place), hash]);
    await world.node.call("evm_setAutomine", true);
    await world.mine(1);
    return hash;
  };
  const isExact = async (): Promise<void> => {
    expect(await bookOf("eth")).toBe(await balanceOf(hot, "eth"));
    expect(await bookOf("usdt")).toBe(await balanceOf(hot, "usdt"));
    const books = await readBooks(world.database, NETWORK);
    expect(books.map(({ difference }) => difference)).toEqual(books.map(() => 0n));
  };

  test("coins that the operator brings are capital, booked once, and equal the balance", async () => {
    await isExact();
    expect(await bookOf("eth")).toBe(10n * ETHER);
    const pay = { to: world.contracts.splitter, call: ["pay(address)", hot], value: 7n } as const;
    await world.send(pay);
    await world.settle();
    await world.restart();
    await world.settle();
    await isExact();
    expect(await bookOf("eth")).toBe(10n * ETHER + 7n);
    expect((await floats()).map((key) => key.replace(/0x[0-9a-f]+/gi, "0x")).toSorted()).toEqual([
      "float:ethereum:0x:0",
      `float:ethereum:0x:value:in:1010:0x:${10n * ETHER}`,
      "float:ethereum:balance:1010:0x:0x:wallet",
    ]);
    expect(await breaks()).toEqual([]);
  });

  test("coins that a reorganisation drops are not booked", async () => {
    const before = await floats();
    await world.send({ to: hot, value: 5n });
    await world.scan();
    await world.reorganise(1);
    await world.settle();
    expect(await floats()).toEqual(before);
    await isExact();
  });

  test("a thief's transaction of coins stops the network in one pass, before it is final", async () => {
    const value = `0x${(3n * ETHER).toString(16)}`;
    const hash = await spend({ from: hot, to: stranger, value });
    expect(await world.stops()).toEqual([]);
    await world.scan();
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
    const found = (await breaks()).map(({ problem }) => problem).toSorted();
    expect(found).toHaveLength(2);
    expect(found[1]).toBe(
      `transaction ${hash}, which we did not sign, took ${3n * ETHER} units of eth from wallet ethereum-hot (${hot})`,
    );
    await world.settle();
    // The theft is known to the unit, and it is not a difference of the books beside.
    expect(await breaks()).toHaveLength(2);
    const eth = (await readBooks(world.database, NETWORK)).find(({ assetId }) => assetId === 1010);
    expect(eth?.unbookedUnits).toBe((await balanceOf(hot, "eth")) - 10n * ETHER);
  });

  test("a thief's transaction of a token is named with its token", async () => {
    const data = `0xa9059cbb${stranger.slice(2).padStart(64, "0")}${"1f4".padStart(64, "0")}`;
    const hash = await spend({ from: hot, to: world.contracts.usdt, data });
    await world.scan();
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
    expect((await breaks()).map(({ problem }) => problem)).toContain(
      `transaction ${hash}, which we did not sign, took 500 units of usdt-ethereum from wallet ethereum-hot (${hot})`,
    );
  });

  test("a thief who empties a deposit address is found", async () => {
    await world.pay(0, "eth", ETHER);
    await world.settle();
    const hash = await spend({ from: world.address(0), to: stranger, value: "0x5" });
    await world.scan();
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
    expect((await breaks()).map(({ problem }) => problem)).toContain(
      `transaction ${hash}, which we did not sign, took 5 units of eth from deposit address ${world.address(0)}`,
    );
  });

  test("coins that vanish without a transaction are found at the final block", async () => {
    await world.node.call("anvil_setBalance", hot, `0x${(10n * ETHER - 42n).toString(16)}`);
    await world.settle();
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
    const [first, ...others] = await breaks();
    expect(others).toEqual([]);
    expect(first?.check).toBe("our wallets have what their movements explain");
    expect(first?.problem).toMatch(
      `42 units of eth are missing from wallet ethereum-hot (${hot}) at block `,
    );
    // It is one break, however often the wallet is compared.
    await world.settle();
    expect(await breaks()).toHaveLength(1);
  });

  test("a deposit that is swept moves nothing in the books, and its address is left", async () => {
    await world.pay(0, "eth", ETHER);
    await world.settle();
    expect(await world.database.query(WATCHED)).toEqual([{ count: 1 }]);
    const gasPrice = 10n ** 10n;
    const value = `0x${(ETHER - 21_000n * gasPrice).toString(16)}`;
    const fees = { gas: "0x5208", gasPrice: `0x${gasPrice.toString(16)}` };
    await spendAsWe("sweep", { from: world.address(0), to: hot, value, ...fees });
    await world.settle();
    expect(await breaks()).toEqual([]);
    expect(await world.stops()).toEqual([]);
    expect(await world.database.query(WATCHED)).toEqual([{ count: 0 }]);
    const books = await readBooks(world.database, NETWORK);
    const eth = books.find(({ assetId }) => assetId === ASSETS.eth);
    expect(eth).toMatchObject({ difference: 0n, chainUnits: await balanceOf(hot, "eth") });
    // The deposit has no order here, and nobody has booked the fee.
    expect(eth?.unbookedUnits).toBe(ETHER - 21_000n * gasPrice);
  });

  test("books that have more than the chain stop the network, once for each difference", async () => {
    const book = (name: string, units: bigint): Promise<void> =>
      world.database.transaction((tx) => {
        const asset = { id: ASSETS.usdt, code: "USDT", decimals: 6, publishedDecimals: 6 };
        const amount = { asset, units };
        const entry = { networkCode: NETWORK, name, amount, direction: "in" } as const;
        return bookHouseEntry(tx, floatEntry(entry));
      });
    await book("invented", 9n);
    await world.scan();
    await world.settle();
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
    expect((await breaks()).map(({ problem }) => problem)).toEqual([
      expect.stringMatching(
        /^our books have 9 units of usdt-ethereum more than our addresses on ethereum at block \d+$/,
      ),
    ]);
    await book("invented too", 9n);
    await world.settle();
    expect(await breaks()).toHaveLength(2);
  });
});
