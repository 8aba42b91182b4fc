import type { EventOf } from "./events.ts";
import { mayRelease, type OrderState } from "./state.ts";
import { hasEndedUnpaid } from "./status.ts";
import type { Outcome } from "./transition.ts";
import { reservationOf } from "./writes.ts";

/** The money is final and is exchanged next. */
export const PAID: Pick<Outcome, "to" | "jobs"> = {
  to: "processing",
  jobs: [{ kind: "exchange_order" }],
};
/** The order had ended, so a person decides about its money. */
const LATE: Outcome = {
  to: "in_review",
  note: "money arrived after the order had ended",
  reason: "late_payment",
};

const COVERAGE_NOTES = {
  underpaid: "less was received than the order is for",
  overpaid: "more was received than the order is for",
  wrong_asset: "another asset was received than the order is for",
} as const;

/** Only what was captured is exchanged. A person decides about another amount, and about late money. */
export function takeCapture(
  { status }: OrderState,
  { coverage }: EventOf<"payment_captured">,
): Outcome {
  if (hasEndedUnpaid(status)) return LATE;
  return coverage === "exact" ? { ...PAID, note: "the card payment was captured" } : held(coverage);
}

const held = (coverage: keyof typeof COVERAGE_NOTES): Outcome => ({
  to: "in_review",
  note: COVERAGE_NOTES[coverage],
  reason: coverage,
});

/** A person decides about money that is late, or not what the order is for. */
export function takeDeposit(
  order: OrderState,
  { coverage }: EventOf<"deposit_final">,
  now: Date,
): Outcome | undefined {
  const isLate = now >= order.paymentExpiresAt;
  if (hasEndedUnpaid(order.status) || (order.status === "awaiting_payment" && isLate)) return LATE;
  const completes = coverage === "exact" && isShort(order) && !isLate;
  if (order.status === "in_review" && !completes) return undefined;
  return coverage === "exact" ? { ...PAID, note: "the payment is final" } : held(coverage);
}

/**
 * The order is held because too little arrived, and the rest may follow. After a partial refund
 * nothing can complete the payment.
 */
const isShort = ({ statusReason, heldFrom }: OrderState): boolean =>
  (statusReason === "underpaid" || statusReason === "wrong_asset") && heldFrom !== "refund_pending";

/**
 * Money that is held is exchanged or sent. An order that holds too little may be paid again. The jobs of such an order may
 * have ended while it was held, so they are made again.
 */
export function release(
  order: OrderState,
  { covered, captured, underWay, instructed, payoutId, newPayout }: EventOf<"released">,
): Outcome | undefined {
  if (!mayRelease(order, { covered, captured })) return undefined;
  const { heldFrom } = order;
  // A payout of a completed order was dropped by its chain: it is sent again as a rejected one.
  if (heldFrom === "sending" || heldFrom === "completed") {
    return {
      to: "sending",
      note: "released; the payout is being sent",
      jobs: [{ kind: "send_payout", subject: payoutId }],
      writes: { owes: newPayout, entries: newPayout.map(reservationOf) },
    };
  }
  if (covered) return { ...PAID, note: "released; the payment is taken as it is" };
  const jobs: Outcome["jobs"] = [
    { kind: "expire_order", isAtWindowEnd: true },
    ...(instructed ? [{ kind: "watch_payment" as const }] : []),
  ];
  return underWay
    ? { to: "payment_pending", note: "released; a payment is under way", jobs }
    : {
        to: "awaiting_payment",
        note: "released; the order may be paid",
        jobs,
        reopensPayment: true,
      };
}
