/** The date format of RFC 9110. `Date.parse` alone accepts nearly any text, "-5" included. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait (RFC 9110, section 10.2.3), 0 for a date that is past.
 * Undefined without a header and for other words.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
