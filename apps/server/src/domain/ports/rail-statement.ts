/** How much a rail says moved: in smallest units, or in whole coins in fixed notation. */
export type StatedAmount = { readonly units: bigint } | { readonly coins: string };

/** One line of a rail's own books. */
export interface StatementLine {
  readonly kind: "capture" | "payout" | "deposit";
  /** Our name for it: the attempt's or the intent's id; for a deposit the rail's own id. */
  readonly reference: string;
  /** The currency's reference, such as "eur" or "usdt-tron". */
  readonly assetReference: string;
  readonly amount: StatedAmount;
  readonly state: "pending" | "settled" | "rejected";
}

/**
 * Present where a rail lists what it did: all lines since a moment of the real clock, at least. Lines
 * from before may be among them.
 */
export type RailStatement = (since: Date) => Promise<readonly StatementLine[]>;
