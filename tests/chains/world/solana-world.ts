import { randomUUID } from "node:crypto";
import { makeSolanaReader } from "../../../apps/server/src/adapters/chains/solana/reader.ts";
import { newScan, type Scan } from "../../../apps/server/src/chains/scan.ts";
import { scanStep } from "../../../apps/server/src/chains/scan-step.ts";
import { scanOnce } from "../../../apps/server/src/chains/scanner.ts";
import type { ChainReader } from "../../../apps/server/src/domain/ports/chain-reader.ts";
import {
  depositAddressOf,
  fingerprintOfAccount,
} from "../../../apps/server/src/domain/wallets/solana.ts";
import { insertAddress } from "../../../apps/server/src/storage/chains/addresses.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import {
  type ChainMovement,
  listMovementsTo,
} from "../../../apps/server/src/storage/chains/movements.ts";
import type { Database } from "../../../apps/server/src/storage/postgres/database.ts";
import type { Balances } from "./chain-world.ts";
import { takeDatabase } from "./file-databases.ts";
import { makeSolanaChain, type SolanaChain } from "./solana-chain.ts";
import { type SolanaNode, startSolanaNode } from "./solana-node.ts";

export const SOLANA = "solana";
/** The id of SOL in the catalogue. */
export const SOL = 1040;
/** The key m/44'/501'/0'/0' of the mnemonic "abandon … about", which everybody knows. */
export const SOLANA_ACCOUNT = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";
const ADDRESSES = 6;

/** Servers of Solana, deposit addresses, a scanner on a real database, and a judge. */
export interface SolanaWorld {
  readonly chain: SolanaChain;
  readonly servers: readonly SolanaNode[];
  readonly database: Database;
  readonly suspects: string[];
  address(index: number): string;
  reader(): ChainReader;
  scan(): Promise<void>;
  /** Makes the last block final and scans. */
  settle(): Promise<void>;
  /** Makes one step as the service does, and returns its outcome. */
  step(): Promise<"more" | "done" | "failed">;
  movements(index: number): Promise<readonly ChainMovement[]>;
  /** Returns what the service credits: its final movements. */
  credited(): Promise<Balances>;
  /** Returns what the chain itself says that the addresses have at our final block. Never our rows. */
  holds(): Promise<Balances>;
  /** Returns the height of our final block. */
  final(): Promise<bigint | undefined>;
  problem(): Promise<string | null | undefined>;
  close(): Promise<void>;
}

export async function makeSolanaWorld({
  atLeast = 32,
  isScanned = true,
}: {
  readonly atLeast?: number;
  readonly isScanned?: boolean;
} = {}): Promise<SolanaWorld> {
  const chain = await makeSolanaChain();
  const { database, giveBack } = await takeDatabase();
  const servers = await Promise.all([0, 1, 2].map(() => startSolanaNode(chain)));
  const indexes = Array.from({ length: ADDRESSES }, (_, index) => index);
  const addressOf = (index: number): string => depositAddressOf(SOLANA_ACCOUNT, index).address;
  for (const index of indexes) {
    await insertAddress(database, {
      networkCode: SOLANA,
      reference: String(1_000 + index),
      accountFingerprint: fingerprintOfAccount(SOLANA_ACCOUNT),
      keyIndex: index,
      address: addressOf(index),
    });
  }
  const suspects: string[] = [];
  const reader = makeSolanaReader({
    networkCode: SOLANA,
    genesis: chain.genesis,
    endpoints: servers.map(({ url }, index) => ({ name: `server ${index}`, url, isOwn: false })),
    quorum: 2,
    timeoutMs: 20_000,
    finality: { tag: "finalized", atLeast },
    depositsAccount: SOLANA_ACCOUNT,
    pageSize: 5,
    suspect: (endpoint) => suspects.push(endpoint),
  });
  const scan: Scan = newScan({
    database,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    networkCode: SOLANA,
    reader,
    settings: {
      pollMs: 10,
      spanMax: 500,
      keepBlocks: 640,
      balancesEveryMs: 0,
      bookedWithinSeconds: 600,
    },
    assets: () => [{ assetId: SOL, contract: null }],
    token: randomUUID(),
  });
  const scanAll = async (): Promise<void> => {
    while (await scanStep(scan));
  };
  const movements: SolanaWorld["movements"] = (index) =>
    listMovementsTo(database, { networkCode: SOLANA, address: addressOf(index) });
  const sums = (rows: readonly (readonly [number, bigint])[]): Balances => {
    const sum: Record<string, bigint> = {};
    for (const [key, units] of rows) if (units > 0n) sum[key] = (sum[key] ?? 0n) + units;
    return sum;
  };
  const world: SolanaWorld = {
    chain,
    servers,
    database,
    suspects,
    address: addressOf,
    reader: () => reader,
    scan: scanAll,
    settle: async () => {
      for (let turn = 0; turn < 4; turn += 1) {
        chain.mine(16);
        await scanAll();
      }
    },
    step: () => scanOnce(scan),
    movements,
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
      const at = (await findCursor(database, SOLANA))?.finalHeight ?? 0n;
      return sums(indexes.map((index) => [index, chain.lamports(addressOf(index), at)] as const));
    },
    final: async () => (await findCursor(database, SOLANA))?.finalHeight,
    problem: async () => (await findCursor(database, SOLANA))?.problem,
    close: async () => {
      await reader.close();
      await Promise.all(servers.map((server) => server.close()));
      giveBack();
    },
  };
  if (isScanned) await scanAll();
  return world;
}
