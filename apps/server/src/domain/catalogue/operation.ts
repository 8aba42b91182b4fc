/** The operation types. Their wire codes S, B, FF and CC stay in http, cli and contract. */
export const OPERATIONS = ["buy", "sell", "crypto_to_crypto", "fiat_to_fiat"] as const;
export type Operation = (typeof OPERATIONS)[number];

export type CurrencyKind = "crypto" | "fiat";

/** The kinds of currency that the customer spends and receives in each operation. */
export const OPERATION_SIDES = {
  buy: { spend: "fiat", receive: "crypto" },
  sell: { spend: "crypto", receive: "fiat" },
  crypto_to_crypto: { spend: "crypto", receive: "crypto" },
  fiat_to_fiat: { spend: "fiat", receive: "fiat" },
} as const satisfies Record<Operation, { spend: CurrencyKind; receive: CurrencyKind }>;
