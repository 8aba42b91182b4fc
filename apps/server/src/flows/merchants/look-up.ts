import { LRUCache } from "lru-cache";

/**
 * Reads merchants and keys into memory again, if a key or client id may be newer than the last read. It resolves
 * after a read that began after the call, or at once when no read is necessary.
 */
export type LookUp = (id: string) => Promise<void>;

/** An id that the database did not have is not looked up again for this time. */
const UNKNOWN_MS = 5_000;
const UNKNOWN_MAX = 10_000;
/** The time between two look-ups. All ids that wait meanwhile share the next one. */
const INTERVAL_MS = 25;
/** Beyond it, unknown ids are refused without a look-up. */
const WAITING_MAX = 1_000;

/**
 * Makes the look-up of ids that are unknown in memory, so that a key and a merchant's script work from their
 * first request on. A flood of invented ids costs the database at most forty small statements a second for each process.
 */
export function makeLookUp(refresh: () => Promise<void>): LookUp {
  const unknown = new LRUCache<string, true>({ max: UNKNOWN_MAX, ttl: UNKNOWN_MS });
  let current: Promise<void> = Promise.resolve();
  let endedAtMs = 0;
  let next: Promise<void> | undefined;
  let waiting = 0;

  const readNext = async (): Promise<void> => {
    await current.catch(() => {});
    const waitMs = INTERVAL_MS - (performance.now() - endedAtMs);
    if (endedAtMs > 0 && waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    // Calls from now on may be about ids that this read does not see.
    next = undefined;
    current = refresh().finally(() => {
      endedAtMs = performance.now();
    });
    await current;
  };
  return async (id) => {
    if (unknown.has(id) || waiting >= WAITING_MAX) return;
    waiting += 1;
    next ??= readNext();
    try {
      await next;
      // An id that was found is in memory, where it is looked for first.
      unknown.set(id, true);
    } catch {
      // The watcher of the configuration reports a database that is away.
    } finally {
      waiting -= 1;
    }
  };
}
