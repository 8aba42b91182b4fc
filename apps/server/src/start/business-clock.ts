import type { Clock } from "../domain/ports/clock.ts";

/** Less than this is the delay of the answer, not a difference of the clocks. */
const NOISE_MS = 20;

export interface SyncedClock extends Clock {
  /** Tells the clock what the database's business clock says now. */
  sync(businessNow: Date): void;
}

/** Follows the database's business clock, so that reading it costs no query. */
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
