import type { Deps } from "../flows/deps.ts";
import { clearOldIntents } from "../storage/idempotency.ts";
import { analyzeGrownTables } from "../storage/postgres/analyze.ts";
import { clearOldQuotes } from "../storage/quotes/old-quotes.ts";
import { clearOldSessions } from "../storage/sessions/old-sessions.ts";
import { clearOldEvents } from "../storage/webhooks/old-events.ts";

const HOUR_MS = 3_600_000;
const ROWS_AT_ONCE = 1_000;

/** The rows that nobody needs any longer, by name. */
const CLEARED = {
  "old quotes": clearOldQuotes,
  "old answers": clearOldIntents,
  "old events": clearOldEvents,
  "old sessions": clearOldSessions,
  "ended rate limit windows": clearEndedWindows,
};

/** Clears away what nobody needs any longer: at once, and then every hour. Returns what stops it. */
export function startClearing(deps: Pick<Deps, "database" | "log">): () => Promise<void> {
  let isStopping = false;
  const clear = async (): Promise<void> => {
    for (const [name, clearSome] of Object.entries(CLEARED)) {
      try {
        // A batch each, so that nobody waits long behind one.
        while (!isStopping && (await clearSome(deps.database, ROWS_AT_ONCE)) > 0);
      } catch (error) {
        if (!isStopping) deps.log.warn({ err: error }, `${name} were not cleared away`);
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
