/** The amount of a movement: in smallest units, or in major units in fixed notation. */
export type StatedAmount = { readonly units: bigint } | { readonly coins: string };

/** One line of a rail's own books. */
export interface StatementLine {
  readonly kind: "capture" | "payout" | "deposit";
  /** Our reference, the id of an attempt or intent; for a deposit the rail's own id. */
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
