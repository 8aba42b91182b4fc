import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Currency } from "../catalogue/currency.ts";

/** The kinds of stops; `all` has no subject. */
export const STOP_KINDS = [
  "all",
  "rail",
  "network",
  "currency",
  "method",
  "pair",
  "merchant",
] as const;
export type StopKind = (typeof STOP_KINDS)[number];

/** The kinds that stop payouts only. */
const PAYOUT_STOP_KINDS: readonly StopKind[] = ["all", "rail"];

export interface StopKey {
  readonly kind: StopKind;
  /**
   * The subject by kind. A rail: `chain:bitcoin`, `bank:sepa`, `card`, or `chain` and `bank` for
   * all of them. A network: its code. A currency or a payment method: its reference. A pair: the references of the
   * currencies spent and received, `eur-btc`. A merchant: its client id. All: empty.
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

/**
 * Returns how many people lift a stop that a person sets
 * (docs/decisions/0128-require-two-people-to-resume-and-to-replace-a-refund-address.md).
 */
export const peopleToResume = (kind: StopKind): 1 | 2 => (PAYOUT_STOP_KINDS.includes(kind) ? 2 : 1);

export const describeStop = ({ kind, subject }: StopKey): string =>
  kind === "all" ? "all payouts" : `${kind} ${subject}`;

/** An exchange that a customer requests. */
export interface StoppableExchange {
  readonly merchantId: string;
  readonly spend: Pick<Currency, "reference" | "networkCode">;
  readonly receive: Pick<Currency, "reference" | "networkCode">;
  /** The references of the payment methods that it is paid with and delivered over. */
  readonly methods: readonly string[];
}

/** Returns the payment methods of an exchange: the customer's, and the rail of the delivery. */
export const methodsOf = (
  catalogue: Catalogue,
  ids: { readonly paymentMethodId: number; readonly deliveryMethodId: number },
): readonly string[] => {
  const delivery = catalogue.deliveryMethodById(ids.deliveryMethodId);
  return [ids.paymentMethodId, delivery?.railId].flatMap((id) =>
    id === undefined ? [] : (catalogue.paymentMethodById(id)?.reference ?? []),
  );
};

/** Returns the stop that refuses new business. Stops of everything and of a rail only stop payouts. */
export const stopOfExchange = (
  stops: readonly Stop[],
  { merchantId, spend, receive, methods }: StoppableExchange,
): Stop | undefined => {
  const subjects: Readonly<Record<StopKind, readonly (string | null)[]>> = {
    all: [],
    rail: [],
    network: [spend.networkCode, receive.networkCode],
    currency: [spend.reference, receive.reference],
    method: methods,
    pair: [`${spend.reference}-${receive.reference}`],
    merchant: [merchantId],
  };
  return stops.find(({ kind, subject }) => subjects[kind].includes(subject));
};
