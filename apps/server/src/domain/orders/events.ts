import type { HoldReason } from "./status.ts";

/** How what was received for an order compares with what it is for. */
export type Coverage = "exact" | "underpaid" | "overpaid" | "wrong_asset";

export type CardRefusalReason = "card_declined" | "three_ds_failed" | "provider_error";

/** Something that happened to an order, or that somebody asks for. */
export type OrderEvent =
  | { readonly kind: "card_payment_started" }
  | { readonly kind: "card_payment_refused"; readonly reason: CardRefusalReason }
  | { readonly kind: "payment_captured" }
  /** Money is under way but not final: a bank transfer in flight, a deposit without its confirmations. */
  | { readonly kind: "deposit_seen" }
  /** What was seen will not come: the bank rejected it, or the chain dropped its block. */
  | { readonly kind: "deposit_lost"; readonly reason: "bank_rejected" | "chain_reorg" }
  /** `coverage` is of all that is final by now. */
  | { readonly kind: "deposit_final"; readonly coverage: Coverage }
  | { readonly kind: "exchanged" }
  | { readonly kind: "payout_confirmed" }
  | { readonly kind: "payout_rejected" }
  | { readonly kind: "held"; readonly reason: HoldReason; readonly by: "operator" | "system" }
  | {
      readonly kind: "released";
      /** What was received is at least what the order is for. */
      readonly covered: boolean;
      /** A card is being asked, or a deposit was seen that is not final. */
      readonly underWay: boolean;
    }
  | {
      readonly kind: "refund_requested";
      readonly by: "merchant" | "operator";
      /** The spend was exchanged: then only an operator may take it back. */
      readonly exchanged: boolean;
      /** A payout is alive: nothing proves that it did not leave. */
      readonly payoutAlive: boolean;
    }
  /** `remaining`: something that was received is still held. */
  | { readonly kind: "refund_confirmed"; readonly remaining: boolean }
  | { readonly kind: "refund_rejected" }
  | {
      readonly kind: "cancelled";
      readonly by: "customer" | "merchant" | "operator";
      /** A card may be charged already, a deposit was seen, or money is held. */
      readonly moneyUnderWay: boolean;
    }
  /** `moneyHeld`: something of the payment is final. */
  | { readonly kind: "payment_window_ended"; readonly moneyHeld: boolean };
