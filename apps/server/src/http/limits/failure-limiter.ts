import { LRUCache } from "lru-cache";
import type { RateCounters } from "../../domain/ports/rate-counters.ts";
import type { Deps } from "../../flows/deps.ts";
import { type LimiterOptions, makeRateLimiter, type RateUse, useOf } from "./rate-limiter.ts";

/** Counts failed credentials of an address over all processes. */
export interface FailureLimiter {
  take(address: string): Promise<RateUse>;
}

/** An address that reached its limit, remembered so that its next failures cost no statement. */
interface Blocked {
  readonly endsAtMs: number;
}

const BLOCKED_MAX = 100_000;

/**
 * Counts each failure in the database, so that the limit is exact over all processes. A process
 * that cannot reach the database counts by itself.
 */
export function makeFailureLimiter(
  deps: Pick<Deps, "log"> & { readonly rateCounters: RateCounters },
  options: LimiterOptions,
): FailureLimiter {
  const { limit, windowMs, nowMs } = options;
  const blocked = new LRUCache<string, Blocked>({ max: BLOCKED_MAX });
  const ownCount = makeRateLimiter(options);
  const count = async (key: string): Promise<RateUse> => {
    const [window] = await deps.rateCounters.add([{ limit: "failures", key, amount: 1, windowMs }]);
    if (!window) throw new Error("the failure was not counted");
    if (window.count >= limit) blocked.set(key, { endsAtMs: nowMs() + window.endsInMs });
    return useOf(limit, window);
  };
  return {
    async take(address) {
      const endsInMs = (blocked.get(address)?.endsAtMs ?? 0) - nowMs();
      if (endsInMs > 0) return useOf(limit, { count: limit + 1, endsInMs });
      try {
        return await count(address);
      } catch (error) {
        deps.log.error({ err: error }, "failed credentials were counted in this process only");
        return ownCount.take(address);
      }
    },
  };
}
