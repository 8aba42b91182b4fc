import type { Deps } from "../flows/deps.ts";
import { declareRestored } from "../flows/history/declare-restored.ts";
import { repeat } from "../flows/repeat.ts";
import { advanceHistory, type History, readHistory } from "../storage/history.ts";
import type { HistoryFile } from "./history-file.ts";

const TICK_MS = 1_000;
const WARN_AGAIN_MS = 3_600_000;

export const WHY = {
  moved: "it was copied to another PostgreSQL cluster",
  older: "a process remembers a later state than it has",
  noFile: "the data folder has no file that says how old it is",
} as const;

export interface HistoryOptions {
  readonly file: HistoryFile;
  /** The database is in the data folder too. The file is then missing only after a restore. */
  readonly isEmbedded: boolean;
  /** A process with workers compares the rails' statements too, so it notices a restore without the file. */
  readonly runsWorkers: boolean;
}

/**
 * Compares the database with what this machine remembers of it, and declares it restored when it is older. It must
 * end before any worker starts (docs/decisions/0054-do-not-pay-from-a-restored-database.md). From then on it raises
 * the mark each second, stores it outside the database, and compares again. Returns the function that ends it.
 */
export async function followHistory(
  deps: Pick<Deps, "database" | "log">,
  options: HistoryOptions,
): Promise<() => Promise<void>> {
  const found = await readHistory(deps.database);
  const { installation } = found;
  const { file, runsWorkers } = options;
  let highest = file.read(installation);
  // A process that cannot notice a restore must not raise the old mark past the one that another machine remembers.
  const step = runsWorkers || highest !== undefined ? 1n : 0n;
  const why = whyRestored(found, highest, options);
  if (why !== undefined) await declareRestored(deps, { why, lastMark: highest ?? 0n });
  else if (found.restoredWhy !== null) warnUnreconciled(deps, found.restoredWhy);

  const tick = async (): Promise<void> => {
    const mark = await advanceHistory(deps.database, step);
    if (highest !== undefined && mark < highest + step) {
      // The database lost commits while this process ran, as a failover may.
      await declareRestored(deps, { why: WHY.older, lastMark: highest });
    }
    if (highest === undefined || mark > highest) highest = mark;
    file.write(installation, highest);
    warnedAtMs = undefined;
  };
  let warnedAtMs: number | undefined;
  const failed = (err: unknown): void => {
    const nowMs = performance.now();
    if (warnedAtMs !== undefined && nowMs - warnedAtMs < WARN_AGAIN_MS) return;
    deps.log.warn({ err }, "the history mark was not stored, retrying");
    warnedAtMs = nowMs;
  };
  await tick().catch(failed);
  const stop = repeat({ everyMs: TICK_MS, round: tick, failed });
  return async () => {
    await stop();
    await tick().catch(failed);
  };
}

/** Returns why a start takes the database for a restored one; undefined where it does not. */
export function whyRestored(
  { mark, isMoved }: Pick<History, "mark" | "isMoved">,
  remembered: bigint | undefined,
  { isEmbedded }: Pick<HistoryOptions, "isEmbedded">,
): string | undefined {
  if (isMoved) return WHY.moved;
  if (remembered !== undefined && mark < remembered) return WHY.older;
  return isEmbedded && remembered === undefined && mark > 0n ? WHY.noFile : undefined;
}

const warnUnreconciled = (deps: Pick<Deps, "log">, why: string): void =>
  deps.log.error(
    { why },
    "the restored database is not reconciled; payouts are stopped and webhooks are held. Run: exchange payouts reconcile",
  );
