import type { Deps } from "../flows/deps.ts";
import { clearEndedWindows } from "../storage/limits/rate-windows.ts";
import { analyzeGrownTables } from "../storage/postgres/analyze.ts";
import {
  clearOldEvents,
  clearOldKeys,
  clearOldQuotes,
  clearOldSessions,
} from "../storage/retention.ts";

const HOUR_MS = 3_600_000;
const ROWS_AT_ONCE = 1_000;

/** Deletes expired rows, by the name of the rows. */
const CLEARED = {
  "old quotes": clearOldQuotes,
  "old idempotency keys": clearOldKeys,
  "old events": clearOldEvents,
  "old sessions": clearOldSessions,
  "ended rate limit windows": clearEndedWindows,
};

/**
 * Deletes expired rows and analyzes tables that have grown: at once, and then every hour. Returns
 * the function that stops it.
 */
export function startClearing(deps: Pick<Deps, "database" | "log">): () => Promise<void> {
  let isStopping = false;
  const clear = async (): Promise<void> => {
    for (const [name, clearSome] of Object.entries(CLEARED)) {
      try {
        // In batches, so that no statement holds its locks for long.
        while (!isStopping && (await clearSome(deps.database, ROWS_AT_ONCE)) > 0);
      } catch (error) {
        if (!isStopping) deps.log.warn({ err: error }, `${name} were not deleted`);
      }
    }
    try {
      await analyzeGrownTables(deps.database);
    } catch (error) {
      if (!isStopping) deps.log.warn({ err: error }, "grown tables were not analyzed");
    }
  };
  let clearing = clear();
  const timer = setInterval(() => {
    clearing = clearing.then(clear);
  }, HOUR_MS);
  timer.unref();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await clearing;
  };
}
