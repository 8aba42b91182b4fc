import { LRUCache } from "lru-cache";

/**
 * Brings the merchants and keys in memory up to date if a key may be newer than they are. It resolves when
 * memory is as new as the call, or when the look-up was left out.
 */
export type LookUpKey = (keyId: string) => Promise<void>;

/** A key that the database did not have is not looked up again for this time. */
const UNKNOWN_MS = 5_000;
const UNKNOWN_MAX = 10_000;
/** The time between two look-ups. All keys that wait meanwhile share the next one. */
const INTERVAL_MS = 25;
/** Beyond it, unknown keys are refused without a look-up. */
const WAITING_MAX = 1_000;

/**
 * Makes the look-up of keys that are unknown in memory, so that a key works from its first request on. A
 * flood of invented keys costs the database at most forty small statements a second for each process.
 */
export function makeKeyLookUp(refresh: () => Promise<void>): LookUpKey {
  const unknown = new LRUCache<string, true>({ max: UNKNOWN_MAX, ttl: UNKNOWN_MS });
  let current: Promise<void> = Promise.resolve();
  let endedAtMs = 0;
  let next: Promise<void> | undefined;
  let waiting = 0;

  const readNext = async (): Promise<void> => {
    await current.catch(() => {});
    const waitMs = INTERVAL_MS - (performance.now() - endedAtMs);
    if (endedAtMs > 0 && waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    // Calls from now on may be about keys that this read does not see.
    next = undefined;
    current = refresh().finally(() => {
      endedAtMs = performance.now();
    });
    await current;
  };
  return async (keyId) => {
    if (unknown.has(keyId) || waiting >= WAITING_MAX) return;
    waiting += 1;
    next ??= readNext();
    try {
      await next;
      // A key that was found is in memory, where it is looked for first.
      unknown.set(keyId, true);
    } catch {
      // The watcher of the configuration reports a database that is away.
    } finally {
      waiting -= 1;
    }
  };
}
