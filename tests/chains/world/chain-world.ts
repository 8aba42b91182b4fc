import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { readDepositAccount } from "../../../apps/server/src/adapters/chains/evm/deposit-addresses.ts";
import { makeEvmReader } from "../../../apps/server/src/adapters/chains/evm/reader.ts";
import { newScan, type Scan } from "../../../apps/server/src/chains/scan.ts";
import { scanStep } from "../../../apps/server/src/chains/scan-step.ts";
import { scanOnce } from "../../../apps/server/src/chains/scanner.ts";
import { describeStop } from "../../../apps/server/src/domain/payouts/stop.ts";
import type {
  ChainReader,
  WatchedAsset,
} from "../../../apps/server/src/domain/ports/chain-reader.ts";
import type { Failpoint } from "../../../apps/server/src/failpoints.ts";
import { insertAddress } from "../../../apps/server/src/storage/chains/addresses.ts";
import { findCursor, releaseCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import {
  type ChainMovement,
  listMovementsTo,
} from "../../../apps/server/src/storage/chains/movements.ts";
import { listStops } from "../../../apps/server/src/storage/payouts/stops.ts";
import { type Database, statement } from "../../../apps/server/src/storage/postgres/database.ts";
import type { DoomedSettings } from "../../../apps/server/src/testing/chains/doomed-scanner.ts";
import { type Anvil, CHAIN_ID, startAnvil } from "./anvil.ts";
import { takeDatabase } from "./file-databases.ts";
import { type LyingProxy, startProxy } from "./lying-proxy.ts";

export const NETWORK = "ethereum";
/** The account m/44'/60'/1' of the mnemonic "abandon … about", which everybody knows. */
export const XPUB =
  "xpub6DCoCpSuQZB2k9PnGSMK9tinTK8kx3hcv7F4BWwhs5N2wnwGiLg17r9J7j2JcYP9gkip3sC87J1F99YxeBHGuFMg6ejA8qQEKSuzzaKvqBR";
/** Ids of the catalogue. The contracts of the tokens are those of the test. */
export const ASSETS = { eth: 1010, usdt: 1020, usdc: 1030 } as const;
export type AssetName = keyof typeof ASSETS;
const NAMES = Object.keys(ASSETS) as AssetName[];

const DOOMED = fileURLToPath(
  new URL("../../../apps/server/dist/testing/chains/doomed-scanner.js", import.meta.url),
);
const DATABASE_NAME = statement("test_name", "select current_database() as name");
const END_LEASE = statement(
  "test_end_lease",
  "update chain_cursors set leased_until = null, lease_token = null",
);

export const CODES = JSON.parse(
  readFileSync(new URL("../contracts/odd-contracts.json", import.meta.url), "utf8"),
) as Readonly<Record<ContractName, string>>;

type ContractName = "Token" | "Liar" | "Splitter" | "Bomb";

/** The first four bytes of the hashes of the contracts' functions, as the compiler prints them. */
const SELECTORS = {
  "transfer(address,uint256)": "a9059cbb",
  "moveSilently(address,uint256)": "dd585f52",
  "sayTwice(address,uint256)": "f45b4e06",
  "setFee(uint256)": "69fe0e2d",
  "balanceOf(address)": "70a08231",
  "pay(address)": "0c11dedd",
  "tryAndFail(address)": "51080fd9",
} as const;

type ContractFunction = keyof typeof SELECTORS;

const word = (value: string | bigint): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0");

/** Returns the data of a call. Addresses and numbers are one word each. */
export const callData = (name: ContractFunction, ...values: readonly (string | bigint)[]): string =>
  `0x${SELECTORS[name]}${values.map(word).join("")}`;

/** Returns the data of a transaction that makes the contract. */
export const creationData = (name: ContractName, ...values: readonly (string | bigint)[]): string =>
  `${CODES[name]}${values.map(word).join("")}`;

/** Coins by "address number:asset". */
export type Balances = Readonly<Record<string, bigint>>;

/** A chain, endpoints that may lie, deposit addresses, a scanner on a real database, and a judge. */
export interface ChainWorld {
  readonly node: Anvil;
  readonly proxies: readonly LyingProxy[];
  readonly database: Database;
  readonly contracts: Readonly<Record<"usdt" | "usdc" | "liar" | "splitter", string>>;
  readonly suspects: string[];
  address(index: number): string;
  /** Pays from a stranger's account, and returns the transaction's hash. */
  pay(index: number, asset: AssetName, units: bigint): Promise<string>;
  /** Calls a contract, or makes one, and returns the transaction's hash. */
  send(transaction: Transaction): Promise<string>;
  mine(blocks: number): Promise<void>;
  /** Drops the newest blocks for as many others. The transactions are mined in the first of them. */
  reorganise(depth: number, transactions?: readonly string[]): Promise<void>;
  /** Returns the bytes of a transaction, to mine it again. */
  bytesOf(hash: string): Promise<string>;
  /** Starts the scanner again, with nothing but the database. The lease of a dead one is over. */
  restart(): Promise<void>;
  /** Runs a scanner in a process that kills itself at the failpoint. Returns the signal. */
  dieAt(failpoint: Failpoint): Promise<NodeJS.Signals | null>;
  /** Returns the reader of the scanner. */
  reader(): ChainReader;
  /** Starts a second scanner beside the first. */
  rival(): { step(): Promise<boolean>; close(): Promise<void> };
  /** Makes steps until there is nothing more to do. Throws what a step throws. */
  scan(): Promise<void>;
  /** Makes the last block final and scans. */
  settle(): Promise<void>;
  /** Makes steps as the service does, a few of them failing, until it has read all. */
  scanWithFaults(steps?: number): Promise<readonly string[]>;
  movements(index: number): Promise<readonly ChainMovement[]>;
  /** Returns what the service credits: its final movements. */
  credited(): Promise<Balances>;
  /** Returns what the chain itself says that the addresses have at our final block. Never our rows. */
  holds(): Promise<Balances>;
  finalHeight(): Promise<bigint>;
  /** Returns why the scanner cannot go on. */
  problem(): Promise<string | null | undefined>;
  /** Returns the stops of payouts. */
  stops(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Transaction {
  readonly to?: string;
  readonly call?: readonly [ContractFunction, ...(readonly (string | bigint)[])];
  readonly create?: readonly [ContractName, ...(readonly (string | bigint)[])];
  readonly value?: bigint;
}

export interface WorldOptions {
  readonly addresses?: number;
  readonly endpoints?: number;
  readonly timeoutMs?: number;
  readonly ownEndpoint?: number;
}

const hex = (number: bigint | number): string => `0x${number.toString(16)}`;

export async function makeChainWorld(options: WorldOptions = {}): Promise<ChainWorld> {
  const { addresses = 6, endpoints = 3, timeoutMs = 20_000, ownEndpoint } = options;
  const node = await startAnvil();
  const [from = ""] = await node.call<string[]>("eth_accounts");
  const { database, giveBack } = await takeDatabase();
  const proxies = await Promise.all(Array.from({ length: endpoints }, () => startProxy(node.url)));
  const account = readDepositAccount(XPUB);
  const indexes = Array.from({ length: addresses }, (_, index) => index);
  const deposits = indexes.map((index) => account.addressAt(index));
  const addressOf = (index: number): string => deposits[index] ?? account.addressAt(index);
  for (const index of indexes) {
    await insertAddress(database, {
      networkCode: NETWORK,
      reference: String(1_000 + index),
      accountFingerprint: account.fingerprint,
      keyIndex: index,
      address: addressOf(index),
    });
  }
  const send = async ({ to, call, create, value = 0n }: Transaction): Promise<string> => {
    const data = create ? creationData(...create) : call && callData(...call);
    const hash = await node.call("eth_sendTransaction", {
      from,
      gas: hex(3_000_000),
      value: hex(value),
      ...(to && { to }),
      ...(data && { data }),
    });
    while ((await node.call<object | null>("eth_getTransactionReceipt", hash)) === null);
    return hash;
  };
  const deploy = async (name: ContractName): Promise<string> => {
    const hash = await send({ create: [name] });
    const receipt = await node.call<{ contractAddress: string }>("eth_getTransactionReceipt", hash);
    return receipt.contractAddress;
  };
  const contracts = {
    usdt: await deploy("Token"),
    usdc: await deploy("Token"),
    liar: await deploy("Liar"),
    splitter: await deploy("Splitter"),
  };
  const mine: ChainWorld["mine"] = async (blocks) => {
    await node.call("anvil_mine", hex(blocks));
  };
  // A network begins at its final block, which is after the contracts were made.
  await mine(12);
  const assets: readonly WatchedAsset[] = NAMES.map((name) => ({
    assetId: ASSETS[name],
    contract: name === "eth" ? null : contracts[name],
  }));
  const suspects: string[] = [];
  const readerOptions = {
    networkCode: NETWORK,
    chainId: CHAIN_ID,
    genesis: undefined,
    endpoints: proxies.map(({ url }, index) => ({
      name: `endpoint ${index}`,
      url,
      isOwn: index === ownEndpoint,
    })),
    quorum: endpoints === 1 ? 1 : 2,
    timeoutMs,
    finality: { tag: "finalized", atLeast: 1 },
    addressesAtOnce: 4,
  } as const;
  const settings = {
    pollMs: 10,
    spanMax: 500,
    keepBlocks: 64,
    balancesEveryMs: 0,
    bookedWithinSeconds: 600,
  };
  const makeScan = (): Scan =>
    newScan({
      database,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      networkCode: NETWORK,
      reader: makeEvmReader({ ...readerOptions, suspect: (endpoint) => suspects.push(endpoint) }),
      settings,
      assets: () => assets,
      token: randomUUID(),
    });
  let scan = makeScan();
  const scanAll = async (): Promise<void> => {
    while (await scanStep(scan));
  };
  const finalHeight = async (): Promise<bigint> =>
    (await findCursor(database, NETWORK))?.finalHeight ?? 0n;
  const sums = (rows: readonly (readonly [string, bigint])[]): Balances => {
    const sum: Record<string, bigint> = {};
    for (const [key, units] of rows) if (units > 0n) sum[key] = (sum[key] ?? 0n) + units;
    return sum;
  };
  const movements: ChainWorld["movements"] = (index) =>
    listMovementsTo(database, { networkCode: NETWORK, address: addressOf(index) });
  const balanceOf = async (index: number, name: AssetName, at: string): Promise<bigint> => {
    const address = addressOf(index);
    if (name === "eth") return BigInt(await node.call("eth_getBalance", address, at));
    const question = { to: contracts[name], data: callData("balanceOf(address)", address) };
    return BigInt(await node.call("eth_call", question, at));
  };
  const world: ChainWorld = {
    node,
    proxies,
    database,
    contracts,
    suspects,
    address: addressOf,
    pay: (index, asset, units) =>
      asset === "eth"
        ? send({ to: addressOf(index), value: units })
        : send({
            to: contracts[asset],
            call: ["transfer(address,uint256)", addressOf(index), units],
          }),
    send,
    mine,
    reorganise: async (depth, transactions = []) => {
      await node.call(
        "anvil_reorg",
        depth,
        transactions.map((raw) => [raw, 0]),
      );
    },
    bytesOf: (hash) => node.call("eth_getRawTransactionByHash", hash),
    restart: async () => {
      await scan.reader.close();
      scan = makeScan();
      await database.query(END_LEASE);
    },
    dieAt: async (failpoint) => {
      await releaseCursor(database, scan);
      const [row] = await database.query<{ name: string }>(DATABASE_NAME);
      const connection = { ...inject("storageServer"), ...(row && { database: row.name }) };
      const doomed: DoomedSettings = {
        connection,
        reader: readerOptions,
        settings,
        assets,
        failpoint,
      };
      const child = spawn(process.execPath, [DOOMED, JSON.stringify(doomed)], { stdio: "inherit" });
      const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
      return signal;
    },
    reader: () => scan.reader,
    rival: () => {
      const other = makeScan();
      return { step: () => scanStep(other), close: () => other.reader.close() };
    },
    scan: scanAll,
    settle: async () => {
      await mine(12);
      await scanAll();
    },
    scanWithFaults: async (steps = 60) => {
      const outcomes: string[] = [];
      for (let tries = 0; tries < steps && outcomes.at(-1) !== "done"; tries += 1) {
        outcomes.push(await scanOnce(scan));
      }
      return outcomes;
    },
    movements,
    credited: async () => {
      const rows = await Promise.all(
        indexes.map(async (index) => [index, await movements(index)] as const),
      );
      return sums(
        rows.flatMap(([index, found]) =>
          found
            .filter(({ state }) => state === "final")
            .map(({ assetId, units }) => {
              const name = NAMES.find((one) => ASSETS[one] === assetId);
              return [`${index}:${name}`, units] as const;
            }),
        ),
      );
    },
    holds: async () => {
      const at = hex(await finalHeight());
      const places = indexes.flatMap((index) => NAMES.map((name) => [index, name] as const));
      return sums(
        await Promise.all(
          places.map(async ([index, name]) => {
            return [`${index}:${name}`, await balanceOf(index, name, at)] as const;
          }),
        ),
      );
    },
    finalHeight,
    problem: async () => (await findCursor(database, NETWORK))?.problem,
    stops: async () => (await listStops(database)).map(describeStop),
    close: async () => {
      await scan.reader.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await node.kill();
      giveBack();
    },
  };
  await scanAll();
  return world;
}
