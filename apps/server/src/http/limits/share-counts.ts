import type { RateCounters } from "../../domain/ports/rate-counters.ts";
import type { Deps } from "../../flows/deps.ts";
import type { RateLimiter } from "./rate-limiter.ts";

export interface Sharing {
  /** Adds this process's counts to those of all processes and adopts the sums. */
  share(): Promise<void>;
  /** Resolves when no exchange is under way. */
  finished(): Promise<void>;
}

/** Shares the counts of the limiters, one statement at a time. Without new counts it sends none. */
export function shareCounts(
  deps: Pick<Deps, "log"> & { readonly rateCounters: RateCounters },
  limiters: Readonly<Record<string, RateLimiter>>,
): Sharing {
  let current: Promise<void> | undefined;
  const exchange = async (): Promise<void> => {
    const counts = Object.entries(limiters).flatMap(([limit, limiter]) =>
      limiter.listUnshared().map((count) => ({ ...count, limit, limiter })),
    );
    if (counts.length === 0) return;
    try {
      const windows = await deps.rateCounters.add(counts);
      for (const [index, { limiter, ...count }] of counts.entries()) {
        const window = windows[index];
        if (window) limiter.adopt(count, window);
      }
    } catch (error) {
      // The counts stay unshared: this process holds its own limits and shares them later.
      deps.log.warn({ err: error }, "rate limits were not shared with the other processes");
    }
  };
  return {
    share: () => {
      current ??= exchange().finally(() => {
        current = undefined;
      });
      return current;
    },
    finished: async () => current,
  };
}
