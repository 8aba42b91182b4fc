import type { OrderStatus } from "../../domain/orders/status.ts";
import type { Stand } from "./stand.ts";
import { CANCELS, HOLDS, pay, type Step, type Ways, waitFor } from "./steps.ts";

/** What may become of an order whose payment is awaited, and how. */
export function fromAwaitingPayment(stand: Stand, next: OrderStatus): Ways {
  switch (next) {
    case "payment_pending":
      return payUnderWay(stand);
    case "processing":
      return payFinally(stand);
    case "in_review":
      return { ...wrongPayments(stand), ...lateAfterExpiry(stand), ...HOLDS };
    case "expired":
      return { payment_timeout: [{ kind: "let_expire" }] };
    case "cancelled":
      return CANCELS;
    case "failed":
      return failures(stand);
    default:
      return {};
  }
}

/** The same while a payment is under way. */
export function fromPaymentPending(stand: Stand, next: OrderStatus): Ways {
  const isCard = stand.payment === "card";
  switch (next) {
    case "awaiting_payment":
      return stand.isUnderWay ? losses(stand) : {};
    case "processing":
      return isCard || stand.isExactUnderWay ? { none: [finish(stand)] } : {};
    case "in_review":
      return { ...wrongPayments(stand), ...HOLDS };
    case "cancelled":
      return isCard ? CANCELS : {};
    case "failed":
      return failures(stand);
    default:
      return {};
  }
}

/** Money still comes to an order that was told where: too late. */
export const fromEnded = (stand: Stand, next: OrderStatus): Ways =>
  next === "in_review" && stand.payment !== "card" && stand.hasInstruction
    ? { late_payment: [pay("exact")] }
    : {};

export function payUnderWay(stand: Stand): Ways {
  if (stand.payment !== "card") return { none: [pay("exact", "none")] };
  return stand.attemptsLeft > 0 ? { none: [{ kind: "pay_by_card", play: "challenge" }] } : {};
}

function payFinally(stand: Stand): Ways {
  if (stand.payment !== "card") return { none: [pay("exact")] };
  return stand.attemptsLeft > 0 ? { none: [{ kind: "pay_by_card", play: "approved" }] } : {};
}

function wrongPayments(stand: Stand): Ways {
  if (stand.payment === "card") return {};
  const other = stand.hasOtherAsset && !stand.hasRight;
  return {
    underpaid: [pay("half")],
    overpaid: [pay("double")],
    ...(other ? { wrong_asset: [pay("other_asset")] } : {}),
  };
}

const lateAfterExpiry = (stand: Stand): Ways =>
  stand.payment === "card"
    ? {}
    : { late_payment: [{ kind: "let_expire" }, waitFor("expired"), pay("exact")] };

function losses(stand: Stand): Ways {
  switch (stand.payment) {
    case "bank":
      return { bank_rejected: [{ kind: "drop" }] };
    case "chain":
      return { chain_reorg: [{ kind: "drop" }] };
    case "card":
      return stand.attemptsLeft > 0
        ? { three_ds_failed: [end("authentication_failed")], card_declined: [end("declined")] }
        : {};
  }
}

/** Only cards fail, with the last attempt; one that is under way is refused like the others. */
function failures(stand: Stand): Ways {
  if (stand.payment !== "card") return {};
  const refused = (first: Step, play: "declined" | "three_ds_failed"): readonly Step[] => [
    ...(stand.isUnderWay ? [first, REFUSED] : []),
    ...Array.from({ length: stand.attemptsLeft }, (): Step[] => [
      { kind: "pay_by_card", play },
      REFUSED,
    ]).flat(),
  ];
  return {
    card_declined: refused(end("declined"), "declined"),
    three_ds_failed: refused(end("authentication_failed"), "three_ds_failed"),
  };
}

const REFUSED = waitFor("awaiting_payment", "failed");

const finish = (stand: Stand): Step =>
  stand.payment === "card" ? end("authorized") : { kind: "confirm" };

const end = (how: Extract<Step, { kind: "end_card_payment" }>["end"]): Step => ({
  kind: "end_card_payment",
  end: how,
});
