import type { Entry } from "../ledger/entry.ts";
import type { Reversal } from "../ledger/order-entries.ts";
import type { NewPayoutIntent, PayoutChange } from "../payouts/payout-intent.ts";
import type { OrderState } from "./state.ts";
import type { Actor, OrderStatus, StatusReason } from "./status.ts";

/** The work that the service still has to do for an order. */
export type JobKind =
  | "authorize_payment"
  | "capture_payment"
  | "void_payment"
  | "watch_payment"
  | "exchange_order"
  | "send_payout"
  | "follow_payout"
  | "expire_order"
  | "end_price_offer";

/** A job that a transition creates. Without a subject the job is about the order itself. */
export interface OrderJob {
  readonly kind: Exclude<JobKind, "capture_payment">;
  readonly subject?: string;
  /** Due when the payment window ends. */
  readonly isAtWindowEnd?: true;
}

/** The status that an event leads to. The actor is the system and the reason is null unless set. */
export interface Outcome {
  readonly to: OrderStatus;
  readonly note: string;
  readonly actor?: Actor;
  readonly reason?: StatusReason | null;
  readonly jobs?: readonly OrderJob[];
  /** "OrderUpdated" by default. */
  readonly webhook?: "OrderFulfillment" | "OrderRefunded";
  readonly isNewCardAttempt?: true;
  /** The order may be paid again in a new payment window. */
  readonly reopensPayment?: true;
  /** The customer has this window to answer; `isAtWindowEnd` is its end. */
  readonly opensAnswer?: true;
  readonly writes?: Writes;
  readonly screeningHits?: readonly string[] | undefined;
}

/** The writes of an event in any status: money that moved is booked even if the order stays. */
export interface Writes {
  readonly receivedUnits?: bigint | undefined;
  readonly entries?: readonly Entry[];
  readonly reversals?: readonly Reversal[];
  readonly owes?: readonly NewPayoutIntent[];
  readonly payout?: PayoutChange | undefined;
  readonly jobs?: readonly OrderJob[];
}

export interface TransitionRow<Event> {
  readonly from: readonly OrderStatus[];
  /** A function returns undefined if the order or the event's facts do not allow the event. */
  readonly to: Outcome | ((order: OrderState, event: Event, now: Date) => Outcome | undefined);
  readonly writes?: (event: Event) => Writes;
}

/** An order's change of status, with everything that is written in the same transaction. */
export interface Transition {
  readonly next: OrderStatus;
  readonly reason: StatusReason | null;
  readonly actor: Actor;
  /** The timeline's note, in words. */
  readonly note: string;
  readonly cardAttempts: number;
  readonly reopensPayment: boolean;
  readonly opensAnswer: boolean;
  readonly receivedUnits: bigint | undefined;
  readonly entries: readonly Entry[];
  readonly reversals: readonly Reversal[];
  readonly owes: readonly NewPayoutIntent[];
  readonly payout: PayoutChange | undefined;
  readonly jobs: readonly OrderJob[];
  readonly screeningHits: readonly string[] | undefined;
  readonly webhook: "OrderUpdated" | "OrderFulfillment" | "OrderRefunded";
}
