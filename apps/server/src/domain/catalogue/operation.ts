/** What an order does for the customer. The wire's S, B, FF and CC stay in http and contract. */
export const OPERATIONS = ["buy", "sell", "crypto_to_crypto", "fiat_to_fiat"] as const;
export type Operation = (typeof OPERATIONS)[number];

export type CurrencyKind = "crypto" | "fiat";

/** What the customer gives and gets in each operation. */
export const OPERATION_SIDES = {
  buy: { spend: "fiat", receive: "crypto" },
  sell: { spend: "crypto", receive: "fiat" },
  crypto_to_crypto: { spend: "crypto", receive: "crypto" },
  fiat_to_fiat: { spend: "fiat", receive: "fiat" },
} as const satisfies Record<Operation, { spend: CurrencyKind; receive: CurrencyKind }>;
