const FIRST_MS = 250;
const MAX_MS = 8_000;
/** A longer `Retry-After` ends the retries. */
export const RETRY_AFTER_MS_MAX = 60_000;

/**
 * Exponential back-off: the wait doubles with each attempt. Jitter takes between half and all of
 * it, so that many clients do not retry at once. `random` is in [0, 1).
 */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(FIRST_MS * 2 ** (attempt - 1), MAX_MS);
  return Math.round(full / 2 + (full / 2) * random);
}

/** Returns the milliseconds of a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts texts that are not HTTP dates, such as "-1".
  if (!/^[A-Z][a-z]{2},/.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(atMs - nowMs, 0);
}
