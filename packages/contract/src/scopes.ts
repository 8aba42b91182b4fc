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

/**
 * The scopes that every public token has, because the checkout of its own session needs them. A
 * requested scope only adds what lies beyond them: the wallets that the merchant saved.
 */
export const CHECKOUT_SCOPES = [
  "merchant.read",
  "currency.read",
  "payment_method.read",
  "quote.create",
  "order.create",
  "order.read",
  "order.cancel",
] as const satisfies readonly Scope[];

/** Scopes of an API key. A key that is created without a list of scopes has all of them. */
export const KEY_SCOPES = ["read", "orders.write", "refunds.write", "webhooks.write"] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
