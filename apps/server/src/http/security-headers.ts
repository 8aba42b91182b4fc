/** What a JSON answer needs: it is never shown, framed, stored or read by another site's page. */
export const API_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
} as const;

/** Headers of every answer; the service is told to be reached by TLS only where it is. */
export const baseHeaders = (publicUrl: string): Readonly<Record<string, string>> =>
  publicUrl.startsWith("https:")
    ? { ...API_HEADERS, "strict-transport-security": "max-age=31536000; includeSubDomains" }
    : API_HEADERS;
