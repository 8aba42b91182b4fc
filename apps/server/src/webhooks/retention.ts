import type { Logger } from "pino";
import type { Database } from "../storage/database.ts";
import { clearOldEvents } from "../storage/old-events.ts";

const HOUR_MS = 3_600_000;
const EVENTS_AT_ONCE = 1_000;

/** Clears events past their 90 days away: at once, and then every hour. Returns what stops it. */
export function startRetention(deps: {
  readonly database: Database;
  readonly log: Logger;
}): () => Promise<void> {
  let isStopping = false;
  const clear = async (): Promise<void> => {
    try {
      // A batch each, so that nobody waits long behind one.
      while (!isStopping && (await clearOldEvents(deps.database, EVENTS_AT_ONCE)) > 0);
    } catch (error) {
      if (!isStopping) deps.log.warn({ err: error }, "old events were not cleared away");
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
