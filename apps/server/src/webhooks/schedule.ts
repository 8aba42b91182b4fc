const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after each failed attempt, in milliseconds, before jitter. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
export const RETRY_AFTER_MS_MAX = HOUR_MS;
const JITTER = 0.2;

/** The facts of a failed attempt that decide when the next one follows. */
export interface FailedAttempt {
  /** 1 for the first. */
  readonly number: number;
  readonly retryAfterMs: number | undefined;
  /** A random number from 0 up to 1. It spreads the retries of many deliveries. */
  readonly fraction: number;
}

/** Returns the wait before the next attempt in milliseconds; undefined after the last attempt. */
export function retryDelayMs(attempt: FailedAttempt): number | undefined {
  const base = RETRY_DELAYS_MS[attempt.number - 1];
  if (base === undefined) return undefined;
  const jittered = Math.round(base * (1 - JITTER + 2 * JITTER * attempt.fraction));
  return Math.max(jittered, Math.min(attempt.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX));
}
