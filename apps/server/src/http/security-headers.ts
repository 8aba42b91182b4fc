/** Headers of a JSON answer: another site's page never shows, frames, stores or reads it. */
const API_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
} as const;

/**
 * Headers of every answer. Strict-Transport-Security is sent only where the service is reached by
 * TLS.
 */
export const baseHeaders = (publicUrl: string): Readonly<Record<string, string>> =>
  publicUrl.startsWith("https:")
    ? { ...API_HEADERS, "strict-transport-security": "max-age=31536000; includeSubDomains" }
    : API_HEADERS;
