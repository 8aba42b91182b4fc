/** The amount of a movement: in smallest units, or in major units in fixed notation. */
export type StatedAmount = { readonly units: bigint } | { readonly coins: string };

/** The kinds of lines that stand for a payment of a customer or to one. Our books have an entry for each. */
export const PAYMENT_KINDS = ["capture", "payout", "deposit"] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/**
 * The kinds of lines of our own wallets. `sweep` moves a deposit into a hot wallet. `rebalance` moves coins between
 * wallets of ours. `top_up` brings coins of the operator. `fee` is the cost of a transaction. `foreign` coins left a
 * wallet by a transaction that we did not sign.
 */
export type WalletKind = "sweep" | "fee" | "top_up" | "rebalance" | "foreign";

/** One line of a rail's own books. */
export interface StatementLine {
  readonly kind: PaymentKind | WalletKind;
  /** Our reference, the id of an attempt or intent. For other lines the rail's own id, which names its network. */
  readonly reference: string;
  /** The network, bank or processor. Two of them may use the same id for different deposits. */
  readonly source: string;
  /** The rail's own name of the movement, such as a transaction hash. A payout is looked up by it. */
  readonly railReference: string;
  /** The currency's reference, such as "eur" or "usdt-tron". */
  readonly assetReference: string;
  readonly amount: StatedAmount;
  readonly state: "pending" | "settled" | "rejected";
}

/**
 * Returns at least all lines since a moment of the real clock. Earlier lines may be among them. Present if the
 * rail lists its movements.
 */
export type RailStatement = (since: Date) => Promise<readonly StatementLine[]>;
