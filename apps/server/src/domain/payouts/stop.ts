/** The kinds of stops; `all` has no subject. */
export const STOP_KINDS = ["all", "rail", "pair", "merchant"] as const;
export type StopKind = (typeof STOP_KINDS)[number];

export interface StopKey {
  readonly kind: StopKind;
  /**
   * The subject by kind. A rail: `chain:bitcoin`, `bank:sepa`, `card`, or `chain` and `bank` for
   * all of them. A pair: the references of the currencies spent and received, `eur-btc`. A
   * merchant: its client id. All: empty.
   */
  readonly subject: string;
}

/** A kill switch. While it is in force, no payout that it covers is released or signed. */
export interface Stop extends StopKey {
  readonly reason: string;
  readonly setBy: string;
  /** The number of different people that must agree before it ends. */
  readonly peopleToResume: 1 | 2;
  /** The people that agreed so far. */
  readonly agreed: readonly string[];
  readonly since: Date;
}

export const describeStop = ({ kind, subject }: StopKey): string =>
  kind === "all" ? "all payouts" : `${kind} ${subject}`;

/** An exchange that a customer requests. */
export interface StoppableExchange {
  readonly merchantId: string;
  readonly spend: { readonly reference: string };
  readonly receive: { readonly reference: string };
}

/**
 * Returns the stop that refuses new business of a pair or a merchant. The other kinds only stop
 * payouts.
 */
export const stopOfExchange = (
  stops: readonly Stop[],
  { merchantId, spend, receive }: StoppableExchange,
): Stop | undefined =>
  stops.find(
    ({ kind, subject }) =>
      (kind === "pair" && subject === `${spend.reference}-${receive.reference}`) ||
      (kind === "merchant" && subject === merchantId),
  );
