import type { Clock } from "../domain/ports/clock.ts";

/** A smaller difference is the delay of the query, not a difference of the clocks. */
const NOISE_MS = 20;

export interface SyncedClock extends Clock {
  /** Sets the clock to the current time of the database's business clock. */
  sync(businessNow: Date): void;
}

/** Returns a clock that follows the database's business clock. Reading it needs no query. */
export function makeSyncedClock(realNowMs: () => number): SyncedClock {
  let offsetMs = 0;
  return {
    now: () => new Date(realNowMs() + offsetMs),
    sync: (businessNow) => {
      const measured = businessNow.getTime() - realNowMs();
      if (Math.abs(measured - offsetMs) > NOISE_MS) offsetMs = measured;
    },
  };
}
