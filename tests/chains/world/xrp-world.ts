import { randomUUID } from "node:crypto";
import { readXrpDepositAccount } from "../../../apps/server/src/adapters/chains/xrp/addresses.ts";
import { makeXrpReader } from "../../../apps/server/src/adapters/chains/xrp/reader.ts";
import { newScan, type Scan } from "../../../apps/server/src/chains/scan.ts";
import { scanStep } from "../../../apps/server/src/chains/scan-step.ts";
import { scanOnce } from "../../../apps/server/src/chains/scanner.ts";
import type { ChainReader } from "../../../apps/server/src/domain/ports/chain-reader.ts";
import { splitTag } from "../../../apps/server/src/domain/wallets/tagged-address.ts";
import { insertAddress } from "../../../apps/server/src/storage/chains/addresses.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import {
  type ChainMovement,
  listMovementsTo,
} from "../../../apps/server/src/storage/chains/movements.ts";
import { openWallet } from "../../../apps/server/src/storage/payouts/wallets.ts";
import type { Database } from "../../../apps/server/src/storage/postgres/database.ts";
import { takeDatabase } from "./file-databases.ts";
import { makeXrpChain, type XrpChain } from "./xrp-ledger.ts";
import { startXrpNode, type XrpNode } from "./xrp-node.ts";
import { fund, makeStranger, payment, type Stranger } from "./xrp-strangers.ts";

export const XRPL = "xrpl";
export const XRP = 1041;
/** The hot wallet: the path m/44'/144'/0'/0/0 of the words of the test signer. */
export const XRP_HOT = "rnrbiYDUYTJS4JVdSV5FtyCj4HFuRjfLKM";
export const STRANGER_SEED = "shurxhetqsgXTudD58ifDqFdgsj9t";
const ADDRESSES = 6;

/** A ledger of the tests with three servers, deposit tags, a scanner on a real database, and a judge. */
export interface XrpWorld {
  readonly chain: XrpChain;
  readonly servers: readonly XrpNode[];
  readonly database: Database;
  readonly stranger: Stranger;
  readonly suspects: string[];
  /** The address of a deposit, as the scanner's rows name it. */
  address(index: number): string;
  tag(index: number): string;
  /** Pays a tag of ours in a new ledger, and returns the transaction's hash. */
  pay(index: number, units: bigint): string;
  /** Registers the account as the hot wallet. */
  register(): Promise<void>;
  reader(): ChainReader;
  scan(): Promise<void>;
  /** Makes one step as the service does, and returns its outcome. */
  step(): Promise<"more" | "done" | "failed">;
  movements(index: number): Promise<readonly ChainMovement[]>;
  /** Returns what the service credits, by the number of the address. */
  credited(): Promise<Readonly<Record<number, bigint>>>;
  /** Returns what the ledger itself says that the account has more than at the beginning. Never our rows. */
  gained(): bigint;
  problem(): Promise<string | null | undefined>;
  close(): Promise<void>;
}

export interface XrpWorldOptions {
  /** The number of servers, the first ones, that are the operator's own. */
  readonly own?: number;
  /** False where the account is registered later, by `register`. */
  readonly isRegistered?: false;
}

export async function makeXrpWorld(options: XrpWorldOptions = {}): Promise<XrpWorld> {
  const { own = 0, isRegistered = true } = options;
  const { database, giveBack } = await takeDatabase();
  const chain = makeXrpChain();
  fund(chain, XRP_HOT);
  const stranger = makeStranger(chain, STRANGER_SEED);
  chain.close(3);
  const servers = await Promise.all([0, 1, 2].map(() => startXrpNode(chain)));
  const account = readXrpDepositAccount(XRP_HOT);
  const indexes = Array.from({ length: ADDRESSES }, (_, index) => index + 1);
  for (const index of indexes) {
    await insertAddress(database, {
      networkCode: XRPL,
      reference: String(1_000 + index),
      accountFingerprint: account.fingerprint,
      keyIndex: index,
      address: account.addressAt(index),
    });
  }
  const register = async (): Promise<void> => {
    const place = { networkCode: XRPL, address: XRP_HOT, role: "hot" } as const;
    await database.transaction((tx) => openWallet(tx, { ...place, kind: "account", next: 700n }));
  };
  if (isRegistered) await register();
  const suspects: string[] = [];
  const reader = makeXrpReader({
    networkCode: XRPL,
    networkId: chain.networkId,
    endpoints: servers.map(({ url }, index) => ({
      ...{ name: `server ${index}`, url, isOwn: index < own },
    })),
    quorum: 2,
    timeoutMs: 20_000,
    suspect: (endpoint) => suspects.push(endpoint),
  });
  const scan: Scan = newScan({
    database,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    networkCode: XRPL,
    reader,
    settings: {
      ...{ pollMs: 10, spanMax: 100, keepBlocks: 64, balancesEveryMs: 0 },
      bookedWithinSeconds: 600,
    },
    assets: () => [{ assetId: XRP, contract: null }],
    token: randomUUID(),
  });
  const start = chain.open.get(XRP_HOT)?.balance ?? 0n;
  const tag = (index: number): string => splitTag(account.addressAt(index)).memo ?? "";
  const movements: XrpWorld["movements"] = (index) =>
    listMovementsTo(database, { networkCode: XRPL, address: account.addressAt(index) });
  const scanAll = async (): Promise<void> => {
    while (await scanStep(scan));
  };
  const world: XrpWorld = {
    ...{ chain, servers, database, stranger, suspects, tag, movements, register },
    address: (index) => account.addressAt(index),
    pay: (index, units) => {
      const { hash, result } = stranger.send(payment({ to: XRP_HOT, tag: tag(index), units }));
      if (result !== "tesSUCCESS") throw new Error(result);
      chain.close();
      return hash;
    },
    reader: () => reader,
    scan: scanAll,
    step: () => scanOnce(scan),
    credited: async () => {
      const sums: Record<number, bigint> = {};
      for (const index of indexes) {
        for (const { state, units } of await movements(index)) {
          if (state === "final") sums[index] = (sums[index] ?? 0n) + units;
        }
      }
      return sums;
    },
    gained: () => (chain.ledgers.at(-1)?.state.get(XRP_HOT)?.balance ?? 0n) - start,
    problem: async () => (await findCursor(database, XRPL))?.problem,
    close: async () => {
      await reader.close();
      await Promise.all(servers.map((server) => server.close()));
      giveBack();
    },
  };
  await scanAll();
  // The account's earlier balance is booked with the first ledger that is read.
  chain.close();
  await scanAll();
  return world;
}
