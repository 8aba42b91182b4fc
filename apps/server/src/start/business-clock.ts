import type { Clock } from "../domain/ports/clock.ts";
import { CLOCK_AHEAD_MS } from "../flows/check-readiness.ts";
import type { Deps } from "../flows/deps.ts";

/** A smaller difference is the delay of the query, not a difference of the clocks. */
const NOISE_MS = 20;

export interface SyncedClock extends Clock {
  /** Sets the clock to the current time of the database's business clock. */
  sync(businessNow: Date): void;
}

/**
 * Returns a clock that follows the database's business clock. Reading it needs no query. Between two measurements it counts
 * by a source that never jumps, so prices and windows stay right when somebody sets the machine's clock.
 */
export function makeSyncedClock(steadyNowMs: () => number): SyncedClock {
  let offsetMs = Date.now() - steadyNowMs();
  return {
    now: () => new Date(steadyNowMs() + offsetMs),
    sync: (businessNow) => {
      const measured = businessNow.getTime() - steadyNowMs();
      if (Math.abs(measured - offsetMs) > NOISE_MS) offsetMs = measured;
    },
  };
}

export interface ClockComparison {
  /** Takes a measurement of the difference, positive when this process is ahead. */
  see(aheadMs: number): void;
  aheadMs(): number;
}

/**
 * Compares the process's clock with the database's. Webhooks are signed with the process's time, and receivers refuse
 * one that differs by minutes. The log has one line when the clocks differ, and one when they agree again.
 */
export function compareClocks(log: Pick<Deps["log"], "error" | "warn">): ClockComparison {
  let aheadMs = 0;
  let isReported = false;
  return {
    aheadMs: () => aheadMs,
    see: (measuredMs) => {
      aheadMs = measuredMs;
      const differs = Math.abs(measuredMs) > CLOCK_AHEAD_MS.reported;
      if (differs === isReported) return;
      isReported = differs;
      const aheadSeconds = Math.round(measuredMs / 1_000);
      if (differs) log.error({ aheadSeconds }, "the clock differs from the database's");
      else log.warn({ aheadSeconds }, "the clock agrees with the database's again");
    },
  };
}
