import { randomUUID } from "node:crypto";
import { readCoinAccount } from "../../../apps/server/src/adapters/chains/utxo/deposit-addresses.ts";
import { makeCoinReader } from "../../../apps/server/src/adapters/chains/utxo/reader.ts";
import { newScan, type Scan } from "../../../apps/server/src/chains/scan.ts";
import { scanStep } from "../../../apps/server/src/chains/scan-step.ts";
import { scanOnce } from "../../../apps/server/src/chains/scanner.ts";
import { describeStop } from "../../../apps/server/src/domain/payouts/stop.ts";
import type { ChainReader } from "../../../apps/server/src/domain/ports/chain-reader.ts";
import { loadCatalogue } from "../../../apps/server/src/storage/catalogue/catalogue.ts";
import { insertAddress } from "../../../apps/server/src/storage/chains/addresses.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import {
  type ChainMovement,
  listMovementsTo,
} from "../../../apps/server/src/storage/chains/movements.ts";
import { listStops } from "../../../apps/server/src/storage/payouts/stops.ts";
import { type Database, statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { makeDatabase } from "../../../apps/server/src/testing/database.ts";
import { type Litecoind, startLitecoind } from "./litecoind.ts";

export const COIN_NETWORK = "litecoin";
export const LITECOIN_REGTEST = {
  name: "regtest",
  genesis: "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9",
} as const;
/** The id of LTC in the catalogue. */
export const LTC = 1045;
/** The account m/84'/2'/1' of the mnemonic "abandon … about", which everybody knows. */
export const COIN_XPUB =
  "xpub6CjGURuDpczf9srNKJCyWaqx8LZ4655RskFwmcPHWiteWdWHTE9f1yh2e968FaJWttw4toSC5ng56Na4kFQXD3hRyqoSXGJRU3XqZWxK4gb";
const CATALOGUE_FILES = new URL("../../../apps/server/catalogue/", import.meta.url).pathname;
const END_LEASE = statement(
  "test_end_coin_lease",
  "update chain_cursors set leased_until = null, lease_token = null",
);

/** The blocks with which a deposit is final, its own included. */
export const CONFIRMATIONS = 6;

/** The units by the number of the address. */
export type CoinBalances = Readonly<Record<string, bigint>>;

/** A coin of the stranger that pays. */
interface StrangersCoin {
  readonly txid: string;
  readonly vout: number;
  readonly units: bigint;
}

/** Nodes, deposit addresses, a scanner on a real database, and a judge. */
export interface CoinWorld {
  readonly nodes: readonly Litecoind[];
  readonly node: Litecoind;
  readonly database: Database;
  readonly suspects: string[];
  address(index: number): string;
  /** Pays from the stranger's wallet, unmined. Returns the transaction's id. */
  pay(index: number, units: bigint): Promise<string>;
  /** Returns two signed transactions of one coin: the payment, and one that pays the stranger instead. */
  payAndTakeBack(index: number, units: bigint): Promise<readonly [pay: string, takeBack: string]>;
  /** Mines blocks with all that waits. */
  mine(blocks: number): Promise<void>;
  /** Drops the newest blocks. Mines one more than that: the first with exactly these transactions. */
  reorganise(depth: number, transactions?: readonly string[]): Promise<void>;
  reader(): ChainReader;
  /** Returns a reader of other endpoints. */
  readerOf(urls: readonly string[]): ChainReader;
  restart(): Promise<void>;
  /** Makes steps until there is nothing more to do. Throws what a step throws. */
  scan(): Promise<void>;
  /** Makes the last block final and scans. */
  settle(): Promise<void>;
  /** Makes one step as the service does. */
  scanWithFaults(steps?: number): Promise<readonly string[]>;
  movements(index: number): Promise<readonly ChainMovement[]>;
  statesOf(index: number): Promise<readonly string[]>;
  /** Returns what the service credits: its final movements. */
  credited(): Promise<CoinBalances>;
  /** Returns the unspent coins of the addresses up to our final block, by the node's own set. Never our rows. */
  holds(): Promise<CoinBalances>;
  finalHeight(): Promise<bigint>;
  problem(): Promise<string | null | undefined>;
  stops(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface CoinWorldOptions {
  readonly nodes?: number;
  readonly addresses?: number;
  readonly args?: readonly string[];
  readonly timeoutMs?: number;
  /** The addresses of the endpoints, by default those of the nodes. */
  readonly urls?: (nodes: readonly Litecoind[]) => Promise<readonly string[]>;
  /** The first endpoints that are the operator's own, by default none. */
  readonly own?: number;
}

/** Writes units as an amount of coins. */
export const coinsText = (units: bigint): string => {
  const digits = String(units).padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
};
export const unitsOf = (coins: string): bigint => {
  const [whole = "", parts = ""] = coins.split(".");
  return BigInt(whole + parts.padEnd(8, "0"));
};

const FEE = 100_000n;
/** The numbers of addresses that no order has. */
const MINER = 9_998;

export async function makeCoinWorld(options: CoinWorldOptions = {}): Promise<CoinWorld> {
  const { nodes: count = 1, addresses = 4, args = [], timeoutMs = 20_000, own = 0 } = options;
  const nodes = await Promise.all(Array.from({ length: count }, () => startLitecoind(args)));
  const [node] = nodes;
  if (!node) throw new Error("a world has at least one node");
  await node.call("createwallet", "stranger");
  const account = readCoinAccount({ xpub: COIN_XPUB, chain: "regtest", prefix: "rltc" });
  // The wallet's coins are older than any reorganisation, so that none of its payments is forgotten in one.
  await node.call("generatetoaddress", 10, await node.call("getnewaddress"));
  const mine: CoinWorld["mine"] = async (blocks) => {
    if (blocks > 0) await node.call("generatetoaddress", blocks, account.addressAt(MINER));
  };
  await mine(110);
  for (const other of nodes.slice(1)) await other.connectTo(node);
  const database = await makeDatabase();
  await loadCatalogue(database, CATALOGUE_FILES);
  for (let index = 0; index < addresses; index += 1) {
    await insertAddress(database, {
      networkCode: COIN_NETWORK,
      reference: String(1_000 + index),
      accountFingerprint: account.fingerprint,
      keyIndex: index,
      address: account.addressAt(index),
    });
  }
  const urls = (await options.urls?.(nodes)) ?? nodes.map(({ url }) => url);
  const suspects: string[] = [];
  const readerOf = (places: readonly string[]): ChainReader =>
    makeCoinReader({
      networkCode: COIN_NETWORK,
      chain: LITECOIN_REGTEST,
      endpoints: places.map((url, index) => ({ name: `node ${index}`, url, isOwn: index < own })),
      quorum: Math.floor(places.length / 2) + 1,
      timeoutMs,
      confirmations: CONFIRMATIONS,
      suspect: (endpoint) => suspects.push(endpoint),
    });
  const makeScan = (): Scan =>
    newScan({
      database,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      networkCode: COIN_NETWORK,
      reader: readerOf(urls),
      settings: {
        pollMs: 10,
        spanMax: 20,
        keepBlocks: 64,
        balancesEveryMs: 0,
        bookedWithinSeconds: 600,
      },
      assets: () => [{ assetId: LTC, contract: null }],
      token: randomUUID(),
    });
  let scan = makeScan();
  const scanAll = async (): Promise<void> => {
    while (await scanStep(scan));
  };
  const finalHeight = async (): Promise<bigint> =>
    (await findCursor(database, COIN_NETWORK))?.finalHeight ?? 0n;
  const movements: CoinWorld["movements"] = (index) =>
    listMovementsTo(database, { networkCode: COIN_NETWORK, address: account.addressAt(index) });
  const indexes = Array.from({ length: addresses }, (_, index) => index);
  const sums = (rows: readonly (readonly [number, bigint])[]): CoinBalances => {
    const sum: Record<string, bigint> = {};
    for (const [index, units] of rows) sum[index] = (sum[index] ?? 0n) + units;
    return sum;
  };
  const world: CoinWorld = {
    nodes,
    node,
    database,
    suspects,
    address: (index) => account.addressAt(index),
    pay: (index, units) => node.call("sendtoaddress", account.addressAt(index), coinsText(units)),
    payAndTakeBack: async (index, units) => {
      const coins =
        await node.call<{ txid: string; vout: string; amount: string }[]>("listunspent");
      const [first] = coins;
      if (!first) throw new Error("the stranger has no coin");
      const coin: StrangersCoin = {
        txid: first.txid,
        vout: Number(first.vout),
        units: unitsOf(first.amount),
      };
      const sign = (outputs: object): Promise<string> => signOf(node, coin, outputs);
      const back = await node.call("getnewaddress");
      return [
        await sign({
          [account.addressAt(index)]: coinsText(units),
          // Not the wallet's own, so that no other payment is built on it.
          [account.addressAt(MINER)]: coinsText(coin.units - units - FEE),
        }),
        await sign({ [back]: coinsText(coin.units - 2n * FEE) }),
      ];
    },
    mine,
    reorganise: async (depth, transactions = []) => {
      const height = Number(await node.call("getblockcount"));
      const hash = await node.call("getblockhash", height - depth + 1);
      await node.call("invalidateblock", hash);
      // Another address than before, so that the blocks differ from the dropped ones.
      const other = account.addressAt(MINER + 1);
      await node.call("generateblock", other, transactions);
      for (let block = 0; block < depth; block += 1) await node.call("generateblock", other, []);
    },
    reader: () => scan.reader,
    readerOf,
    restart: async () => {
      await scan.reader.close();
      scan = makeScan();
      await database.query(END_LEASE);
    },
    scan: scanAll,
    settle: async () => {
      await mine(CONFIRMATIONS);
      await scanAll();
    },
    scanWithFaults: async (steps = 20) => {
      const outcomes: string[] = [];
      for (let tries = 0; tries < steps && outcomes.at(-1) !== "done"; tries += 1) {
        outcomes.push(await scanOnce(scan));
      }
      return outcomes;
    },
    movements,
    statesOf: async (index) => (await movements(index)).map(({ state }) => state),
    credited: async () => {
      const rows = await Promise.all(
        indexes.map(async (index) =>
          (await movements(index))
            .filter(({ state }) => state === "final")
            .map(({ units }) => [index, units] as const),
        ),
      );
      return sums(rows.flat());
    },
    holds: async () => {
      const final = await finalHeight();
      const rows = await Promise.all(
        indexes.map(async (index) =>
          (await unspentAt(node, account.addressAt(index)))
            .filter(({ height }) => height <= final)
            .map(({ units }) => [index, units] as const),
        ),
      );
      return sums(rows.flat());
    },
    finalHeight,
    problem: async () => (await findCursor(database, COIN_NETWORK))?.problem,
    stops: async () => (await listStops(database)).map(describeStop),
    close: async () => {
      await scan.reader.close();
      await Promise.all(nodes.map((one) => one.remove()));
      await database.close();
    },
  };
  await scanAll();
  return world;
}

async function signOf(node: Litecoind, coin: StrangersCoin, outputs: object): Promise<string> {
  const { txid, vout } = coin;
  const raw = await node.call("createrawtransaction", [{ txid, vout }], outputs);
  const { hex } = await node.call<{ hex: string }>("signrawtransactionwithwallet", raw);
  return hex;
}

/** Returns the unspent coins of an address, by the node's own set of coins. */
export async function unspentAt(
  node: Litecoind,
  address: string,
): Promise<readonly { readonly height: bigint; readonly units: bigint; readonly txid: string }[]> {
  // One scan at a time runs in a node.
  for (;;) {
    try {
      const found = await node.call<{
        unspents: { height: string; amount: string; txid: string }[];
      }>("scantxoutset", "start", [`addr(${address})`]);
      return found.unspents.map(({ height, amount, txid }) => ({
        height: BigInt(height),
        units: unitsOf(amount),
        txid,
      }));
    } catch (error) {
      if (!(error as Error).message.includes("in progress")) throw error;
    }
  }
}
