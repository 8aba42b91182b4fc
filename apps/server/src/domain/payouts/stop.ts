/** The kinds of stops; `all` has no subject. */
export const STOP_KINDS = ["all", "rail", "pair", "merchant"] as const;
export type StopKind = (typeof STOP_KINDS)[number];

export interface StopKey {
  readonly kind: StopKind;
  /**
   * A rail: `chain:bitcoin`, `bank:sepa`, `card`, or `chain` and `bank` for all of them. A pair: the
   * references of what is spent and received, `eur-btc`. A merchant: its client id. All: empty.
   */
  readonly subject: string;
}

/** A kill switch: nothing it concerns is released or signed while it is in force. */
export interface Stop extends StopKey {
  readonly reason: string;
  readonly setBy: string;
  /** How many different people must agree before it ends. */
  readonly peopleToResume: 1 | 2;
  /** Those who agreed so far. */
  readonly agreed: readonly string[];
  readonly since: Date;
}

export const describeStop = ({ kind, subject }: StopKey): string =>
  kind === "all" ? "all payouts" : `${kind} ${subject}`;

/** An exchange that somebody asks for. */
export interface StoppableExchange {
  readonly merchantId: string;
  readonly spend: { readonly reference: string };
  readonly receive: { readonly reference: string };
}

/** The stop that refuses new business of a pair or a merchant; the other kinds only stop payouts. */
export const stopOfExchange = (
  stops: readonly Stop[],
  { merchantId, spend, receive }: StoppableExchange,
): Stop | undefined =>
  stops.find(
    ({ kind, subject }) =>
      (kind === "pair" && subject === `${spend.reference}-${receive.reference}`) ||
      (kind === "merchant" && subject === merchantId),
  );
