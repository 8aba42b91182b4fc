const FIRST_MS = 250;
const MAX_MS = 8_000;
/** Who asks for a longer wait than this is not waited for. */
export const RETRY_AFTER_MS_MAX = 60_000;

/**
 * How long to wait after the given try: twice as long each time, between half and all of it by
 * chance, so that many clients do not come back at once. `random` is in [0, 1).
 */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(FIRST_MS * 2 ** (attempt - 1), MAX_MS);
  return Math.round(full / 2 + (full / 2) * random);
}

/** Milliseconds of a `Retry-After` header: seconds, or a date (RFC 9110, 10.2.3). */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse reads much that is no date of HTTP, such as "-1".
  if (!/^[A-Z][a-z]{2},/.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(atMs - nowMs, 0);
}
