import type { Logger } from "pino";
import type { Break } from "../domain/ledger/audit-facts.ts";
import type { ChainReader, WatchedAsset } from "../domain/ports/chain-reader.ts";
import type { Database } from "../storage/postgres/database.ts";

export interface ScanSettings {
  readonly pollMs: number;
  /** The most blocks that one question may cover. */
  readonly spanMax: number;
  /** Final blocks that are kept, to find how deep a reorganisation went. */
  readonly keepBlocks: number;
  /** The pause between comparisons of all balances. Addresses with new movements are compared at once. */
  readonly balancesEveryMs: number;
  /** The most addresses that are compared in one step. Absent where a node returns many balances at once. */
  readonly balancesAtOnce?: number;
  /** The time within which a settled payout must be in a block. */
  readonly bookedWithinSeconds: number;
  /** The time within which a block must have a payout again whose block was dropped. By default the same. */
  readonly minedAgainWithinSeconds?: number;
}

/** Payouts are settled by blocks that a scanner reads a moment later. */
export const BOOKED_WITHIN_SECONDS = 600;

/** A network, its reader and the memory of its scanner between steps. A crash may lose all of it. */
export interface Scan {
  readonly database: Database;
  readonly log: Pick<Logger, "warn" | "error" | "info">;
  readonly networkCode: string;
  readonly reader: ChainReader;
  readonly settings: ScanSettings;
  readonly assets: () => readonly WatchedAsset[];
  readonly token: string;
  span: number;
  /** By `performance.now()`. */
  balancesDueMs: number;
  /** The address that is compared next, by its place in the list of all. */
  balancesNext: number;
}

export type ScanParts = Omit<Scan, "span" | "balancesDueMs" | "balancesNext">;

const FIRST_SPAN = 64;

export const newScan = (parts: ScanParts): Scan => ({
  ...parts,
  span: Math.min(FIRST_SPAN, parts.settings.spanMax),
  balancesDueMs: 0,
  balancesNext: 0,
});

/** Logs breaks that stopped the network. */
export function reportBreaks({ log, networkCode }: Scan, breaks: readonly Break[]): void {
  for (const { check, problem } of breaks) {
    log.error({ network: networkCode, check, problem }, "the payouts of a network are stopped");
  }
}
