export interface PolicyParts {
  /** Origin of exchange.js and of the checkout. */
  readonly exchangeOrigin: string;
  /** Random for each response. If set, only script tags that carry it are run. */
  readonly nonce?: string | undefined;
}

/** Allows our own files, the exchange.js script and the checkout, framed or as a page. Nothing inline. */
export function contentSecurityPolicy({ exchangeOrigin, nonce }: PolicyParts): string {
  const scripts =
    nonce === undefined ? `'self' ${exchangeOrigin}` : `'nonce-${nonce}' 'strict-dynamic'`;
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `frame-src ${exchangeOrigin}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${exchangeOrigin}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}
