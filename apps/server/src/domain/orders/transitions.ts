import {
  captureEntry,
  depositEntry,
  exchangeEntries,
  exchangeReversals,
  voidReversal,
} from "../ledger/order-entries.ts";
import type { EventOf, OrderEvent } from "./events.ts";
import { PAID, release, takeCapture, takeDeposit } from "./outcomes.ts";
import { awaitsPriceAnswer, mayRefund } from "./state.ts";
import type { TransitionRow } from "./transition.ts";
import {
  reservationOf,
  sendPayoutJob,
  writesOfLoss,
  writesOfSettlement,
  writesOfVoid,
} from "./writes.ts";

/** The card payments that one order may try (completion, section 6). */
export const CARD_ATTEMPTS_MAX = 5;
export const REFUND_HELD_NOTE = "the refund is held for a person: screening hit";

/** The timeline's note about a transfer that a bank moved from one order to another. */
export const movedNote = (transferId: string): string =>
  `the bank lists transfer ${transferId} for this order, and it paid another one`;

/** Returns a note with the rail's own words, if it had any. */
export const withDetail = (note: string, detail?: string): string =>
  detail === undefined ? note : `${note}: ${detail}`;

/** The transition table of an order. Each event has one row with all that its transition writes. */
export const TRANSITIONS: { readonly [Kind in OrderEvent["kind"]]: TransitionRow<EventOf<Kind>> } =
  {
    card_payment_started: {
      from: ["awaiting_payment"],
      to: ({ cardAttempts, paymentExpiresAt }, { attemptId }, now) =>
        cardAttempts < CARD_ATTEMPTS_MAX && now < paymentExpiresAt
          ? {
              to: "payment_pending",
              note: "a card payment was started",
              actor: "customer",
              jobs: [{ kind: "authorize_payment", subject: attemptId }],
              isNewCardAttempt: true,
            }
          : undefined,
    },
    // A refused card leaves the order payable until the attempts are used up.
    card_payment_refused: {
      from: ["payment_pending"],
      to: ({ cardAttempts }, { reason }) =>
        cardAttempts < CARD_ATTEMPTS_MAX
          ? {
              to: "awaiting_payment",
              note: "the card payment was refused; another may be tried",
              reason,
            }
          : { to: "failed", note: "the last card payment was refused", reason },
    },
    // An order in review is not moved: the flow writes this row's entry alone, and a person decides.
    payment_captured: {
      from: ["awaiting_payment", "payment_pending", "expired", "cancelled"],
      to: takeCapture,
      writes: ({ attemptId, amount, receivedUnits }) => ({
        receivedUnits,
        entries: [captureEntry({ attemptId, amount })],
      }),
    },
    // A deposit that was seen in time keeps its rate, however long it takes to become final.
    deposit_seen: {
      from: ["awaiting_payment"],
      to: ({ paymentExpiresAt }, _event, now) =>
        now < paymentExpiresAt
          ? { to: "payment_pending", note: "a payment was seen; it is not final yet" }
          : undefined,
    },
    deposit_lost: {
      from: ["payment_pending"],
      to: (_order, { reason }) => ({ to: "awaiting_payment", note: LOST_NOTES[reason], reason }),
    },
    // One transfer is booked once. A person decides for which of the two orders it was.
    transfer_moved: {
      from: ["awaiting_payment", "payment_pending", "expired", "cancelled"],
      to: (_order, { transferId }) => ({
        to: "in_review",
        note: movedNote(transferId),
        reason: "provider_error",
      }),
    },
    // An exact payment in time is exchanged. A person decides about any other.
    deposit_final: {
      from: ["awaiting_payment", "payment_pending", "expired", "cancelled", "in_review"],
      to: takeDeposit,
      writes: ({ deposits, receivedUnits }) => ({
        receivedUnits,
        entries: deposits.map(depositEntry),
      }),
    },
    exchanged: {
      from: ["processing"],
      to: (_order, { payout, excess }) => ({
        to: "sending",
        note: "the amount was exchanged; the payout is being sent",
        jobs: [payout, ...excess].map(sendPayoutJob),
      }),
      writes: ({ exchange, payout, excess }) => ({
        entries: [
          // Sorted, so that swaps in opposite directions open a merchant's accounts in the same
          // order and cannot deadlock.
          ...exchangeEntries(exchange).toSorted((a, b) => a.asset.id - b.asset.id),
          ...[payout, ...excess].map(reservationOf),
        ],
        owes: [payout, ...excess],
      }),
    },
    payout_confirmed: {
      from: ["sending"],
      to: (_order, { payout: { intentId, awaitsFinality, confirmations }, excess }) => ({
        to: "completed",
        note: awaitsFinality
          ? `the payout is ${confirmations} ${confirmations === 1 ? "block" : "blocks"} deep; it is followed until it is final`
          : "the payout is final",
        webhook: "OrderFulfillment",
        jobs: [
          ...(awaitsFinality ? [{ kind: "follow_payout" as const, subject: intentId }] : []),
          ...excess.map(sendPayoutJob),
        ],
      }),
      writes: ({ payout, excess }) => {
        const { entries = [], ...settled } = writesOfSettlement(payout);
        return { ...settled, entries: [...entries, ...excess.map(reservationOf)], owes: excess };
      },
    },
    // Nobody is paid twice: a person decides about the order, as after a rejected payout.
    payout_lost: {
      from: ["completed"],
      to: {
        to: "in_review",
        note: "the chain dropped the payout, and it can no longer be paid",
        reason: "delivery_rejected",
      },
      writes: ({ payout, ...rejected }) => writesOfLoss(payout, rejected),
    },
    payout_rejected: {
      from: ["sending"],
      to: (_order, { detail }) => ({
        to: "in_review",
        note: withDetail("the payout was rejected", detail),
        reason: "delivery_rejected",
      }),
      writes: ({ payout, ...rejected }) => writesOfVoid(payout, rejected),
    },
    held: {
      from: ["awaiting_payment", "payment_pending", "processing", "sending"],
      to: (_order, { reason, by, hits }) => ({
        to: "in_review",
        note: `held for a person: ${reason.replaceAll("_", " ")}`,
        actor: by,
        reason,
        screeningHits: hits,
      }),
      writes: ({ payoutId }) =>
        payoutId === undefined ? {} : { payout: { id: payoutId, isReleased: false } },
    },
    // Before its money is final an order has nothing to price.
    price_moved: {
      from: ["processing"],
      to: {
        to: "in_review",
        note: "the price moved; waiting for the customer's answer to a new price",
        reason: "rate_moved",
        jobs: [{ kind: "end_price_offer", isAtWindowEnd: true }],
        opensAnswer: true,
      },
    },
    price_accepted: {
      from: ["in_review"],
      to: (order) =>
        awaitsPriceAnswer(order)
          ? { ...PAID, note: "the customer accepted the new price", actor: "customer" }
          : undefined,
    },
    // Money that is held is exchanged or sent. If none or too little is held, the order may be paid
    // again.
    released: {
      from: ["in_review"],
      to: (order, event) => {
        const outcome = release(order, event);
        return outcome && { ...outcome, actor: "operator" };
      },
    },
    // Refunds are full until the spend is exchanged. Afterwards they need proof that nothing was sent.
    refund_requested: {
      from: ["in_review", "processing"],
      to: (order, { by, refunds, ...facts }) => {
        if (!mayRefund(order, { by, ...facts })) return undefined;
        return {
          to: "refund_pending",
          note:
            by === "system"
              ? "nobody answered the new price in time; the money is returned"
              : `the ${by} asked for a refund`,
          actor: by,
          reason: order.statusReason,
          jobs: refunds.map(sendPayoutJob),
        };
      },
      writes: ({ exchanged, orderId, withdrawn, refunds }) => ({
        ...(withdrawn && {
          payout: { id: withdrawn.intentId, state: "void", voidReason: "withdrawn" },
        }),
        reversals: [
          ...(withdrawn ? [voidReversal(withdrawn)] : []),
          ...(exchanged ? exchangeReversals(orderId) : []),
        ],
        entries: refunds.map(reservationOf),
        owes: refunds,
      }),
    },
    // The last refund makes the order refunded. After a partial refund a person decides about the
    // rest.
    refund_confirmed: {
      from: ["refund_pending"],
      to: ({ statusReason: reason }, { remaining }) =>
        remaining
          ? { to: "in_review", note: "a part was refunded; the rest is held", reason }
          : {
              to: "refunded",
              note: "all that was received was returned",
              reason,
              webhook: "OrderRefunded",
            },
      writes: ({ refund }) => writesOfSettlement(refund),
    },
    // An order held by screening keeps that reason, so that only an operator refunds it again.
    refund_rejected: {
      from: ["refund_pending"],
      to: ({ statusReason }, { detail }) => ({
        to: "in_review",
        note: withDetail("the refund was rejected", detail),
        reason: statusReason === "screening_hit" ? statusReason : "delivery_rejected",
      }),
      writes: ({ refund, ...rejected }) => writesOfVoid(refund, rejected),
    },
    // Nothing was sent, so the money is held again until a person decides about the address.
    refund_held: {
      from: ["refund_pending"],
      to: (_order, { hits }) => ({
        to: "in_review",
        note: REFUND_HELD_NOTE,
        reason: "screening_hit",
        screeningHits: hits,
      }),
      writes: ({ refund }) => writesOfVoid(refund, { why: "withdrawn" }),
    },
    // Only before money is final. A card payment that may still be captured is voided.
    cancelled: {
      from: ["awaiting_payment", "payment_pending", "in_review"],
      to: ({ status }, { by, moneyUnderWay, attemptId }) =>
        moneyUnderWay || (status === "in_review" && by !== "operator")
          ? undefined
          : {
              to: "cancelled",
              note: `cancelled by the ${by}`,
              actor: by,
              reason: by === "customer" ? "user_cancelled" : `${by}_cancelled`,
              jobs:
                status === "awaiting_payment" || attemptId === undefined
                  ? []
                  : [{ kind: "void_payment", subject: attemptId }],
            },
    },
    // An order that holds money never ends by itself. A person returns the money.
    payment_window_ended: {
      from: ["awaiting_payment"],
      to: ({ paymentExpiresAt }, { moneyHeld }, now) => {
        if (now < paymentExpiresAt) return undefined;
        return moneyHeld
          ? {
              to: "in_review",
              note: "the payment window ended with a part paid",
              reason: "underpaid",
            }
          : { to: "expired", note: "the payment window ended", reason: "payment_timeout" };
      },
    },
  };

const LOST_NOTES = {
  bank_rejected: "the bank rejected the transfer; it may be sent again",
  chain_reorg: "the chain dropped the deposit's block; waiting for it again",
} as const;
