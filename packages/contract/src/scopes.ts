/** Scopes of a public token, `<resource>.<action>` (completion, section 4). */
export const SCOPES = [
  "merchant.read",
  "wallet.read",
  "wallet.write",
  "currency.read",
  "payment_method.read",
  "quote.create",
  "order.create",
  "order.read",
  "order.cancel",
] as const;

export type Scope = (typeof SCOPES)[number];

/** Scopes of a token that was created without a list of scopes: all except saving wallets. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== "wallet.write");
