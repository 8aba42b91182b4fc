import type { Money } from "@exchange/money";
import type { TransactionCosts } from "../ledger/house-entries.ts";
import type { Exchange, Outgoing, Rail } from "../ledger/order-entries.ts";
import type { NewPayoutIntent, RejectedWhy } from "../payouts/payout-intent.ts";
import type { HoldReason } from "./status.ts";

/** How the money received for an order compares with the amount the order is for. */
export type Coverage = "exact" | "underpaid" | "overpaid" | "wrong_asset";

export type CardRefusalReason = "card_declined" | "three_ds_failed" | "provider_error";

/** A deposit that has become final. */
export interface FinalDeposit {
  readonly depositId: string;
  readonly rail: Rail;
  readonly amount: Money;
}

/** A payout or a refund that its rail has settled. */
export interface SettledPayout extends Outgoing, TransactionCosts {
  readonly confirmations: number;
  readonly settledHash: string;
  /** Its block may still be dropped, so its send is followed. Absent where it is final. */
  readonly awaitsFinality?: true;
}

/** A payout or a refund that paid nothing and never will. */
interface RejectedOutgoing extends TransactionCosts {
  readonly why: RejectedWhy;
  /** The rail's own words, for people. Absent where it has none. */
  readonly detail?: string | undefined;
}

/**
 * A fact about an order, or a request of a person. It carries the data that its transition writes.
 */
export type OrderEvent =
  | { readonly kind: "card_payment_started"; readonly attemptId: string }
  | { readonly kind: "card_payment_refused"; readonly reason: CardRefusalReason }
  /** `coverage` is of this capture alone. `receivedUnits` counts the final deposits too. */
  | {
      readonly kind: "payment_captured";
      readonly attemptId: string;
      readonly coverage: Coverage;
      readonly amount: Money;
      readonly receivedUnits: bigint;
    }
  /**
   * Money is under way but not final: a bank transfer in flight, or a deposit with too few
   * confirmations.
   */
  | { readonly kind: "deposit_seen" }
  /** A deposit that was seen will not come: the bank rejected it, or the chain dropped its block. */
  | { readonly kind: "deposit_lost"; readonly reason: "bank_rejected" | "chain_reorg" }
  /** The bank lists a transfer for this order that paid another one before. */
  | { readonly kind: "transfer_moved"; readonly transferId: string }
  /**
   * `coverage` counts every final deposit, `receivedUnits` a captured card too. `deposits` are the ones that are newly
   * final.
   */
  | {
      readonly kind: "deposit_final";
      readonly coverage: Coverage;
      readonly receivedUnits: bigint;
      readonly deposits: readonly FinalDeposit[];
    }
  /** The market moved beyond the band before the order was exchanged. */
  | { readonly kind: "price_moved" }
  /** The customer accepts a new price, which the step writes beside the move. */
  | { readonly kind: "price_accepted" }
  /** `excess`: refunds of what was received beyond the order's spend. */
  | {
      readonly kind: "exchanged";
      readonly exchange: Exchange;
      readonly payout: NewPayoutIntent;
      readonly excess: readonly NewPayoutIntent[];
    }
  | {
      readonly kind: "payout_confirmed";
      readonly payout: SettledPayout;
      /** The refunds of money that came while a person decided about the exchanged order. */
      readonly excess: readonly NewPayoutIntent[];
    }
  | ({ readonly kind: "payout_rejected"; readonly payout: Outgoing } & RejectedOutgoing)
  /** The chain dropped the payout of a completed order, and it can no longer be paid. */
  | ({ readonly kind: "payout_lost"; readonly payout: Outgoing } & RejectedOutgoing)
  | {
      readonly kind: "held";
      readonly reason: HoldReason;
      readonly by: "operator" | "system";
      /** The payout that the screener was asked about. If it was released, its release ends. */
      readonly payoutId?: string;
      /** The subjects that the screener hit, with the reason `screening_hit`. */
      readonly hits?: readonly string[];
    }
  | {
      readonly kind: "released";
      /** The money received is at least the amount of the order. */
      readonly covered: boolean;
      /** A card payment is being authorized, or a deposit was seen that is not final. */
      readonly underWay: boolean;
      /** The customer was told where to pay, so a payment may arrive there. */
      readonly instructed: boolean;
      /** A card payment was captured. An order has one at most. */
      readonly captured: boolean;
      /** The payout to send when the order moves to `sending`. */
      readonly payoutId: string;
      /** The same payout where it becomes owed only now, because the last one was rejected. */
      readonly newPayout: readonly NewPayoutIntent[];
    }
  | {
      readonly kind: "refund_requested";
      /** Only the answer to a new price is the customer's; the system returns money without an answer. */
      readonly by: "customer" | "merchant" | "operator" | "system";
      /** The spend was exchanged. Then only an operator may reverse it. */
      readonly exchanged: boolean;
      /** A payout is not void. Nothing proves that the money did not leave. */
      readonly payoutAlive: boolean;
      readonly orderId: bigint;
      /** A payout that was never released and is cancelled. */
      readonly withdrawn: Outgoing | undefined;
      readonly refunds: readonly NewPayoutIntent[];
    }
  /** `remaining`: a part of the money received is still held. */
  | {
      readonly kind: "refund_confirmed";
      readonly remaining: boolean;
      readonly refund: SettledPayout;
    }
  | ({ readonly kind: "refund_rejected"; readonly refund: Outgoing } & RejectedOutgoing)
  /** The screener hit the address of a refund that was not sent. */
  | {
      readonly kind: "refund_held";
      readonly refund: Outgoing;
      readonly hits: readonly string[];
    }
  | {
      readonly kind: "cancelled";
      readonly by: "customer" | "merchant" | "operator";
      /** A card may have been charged, a deposit was seen, or money is held. */
      readonly moneyUnderWay: boolean;
      /** The card payment to void, where one was started. */
      readonly attemptId: string | undefined;
    }
  /** `moneyHeld`: a part of the payment is final. */
  | { readonly kind: "payment_window_ended"; readonly moneyHeld: boolean };

export type EventOf<Kind extends OrderEvent["kind"]> = Extract<OrderEvent, { kind: Kind }>;
