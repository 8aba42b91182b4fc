import type { OrderStatus } from "../../domain/orders/status.ts";
import type { OrderPosition } from "./order-position.ts";
import { CANCELS, HOLDS, pay, type Step, type Ways, waitFor } from "./script.ts";

/** The next statuses of an order that awaits payment, with the steps to each. */
export function fromAwaitingPayment(position: OrderPosition, next: OrderStatus): Ways {
  switch (next) {
    case "payment_pending":
      return payUnderWay(position);
    case "processing":
      return payFinally(position);
    case "in_review":
      return { ...wrongPayments(position), ...lateAfterExpiry(position), ...HOLDS };
    case "expired":
      return expiry(position);
    case "cancelled":
      return position.hasMoney || position.isUnderWay ? {} : CANCELS;
    case "failed":
      return failures(position);
    default:
      return {};
  }
}

/** The next statuses of an order with a pending payment, with the steps to each. */
export function fromPaymentPending(position: OrderPosition, next: OrderStatus): Ways {
  const isCard = position.payment === "card";
  switch (next) {
    case "awaiting_payment":
      return position.isUnderWay ? losses(position) : {};
    case "processing":
      return isCard || position.isExactUnderWay ? { none: [finish(position)] } : {};
    case "in_review":
      return { ...wrongPayments(position), ...HOLDS };
    case "cancelled":
      return isCard ? CANCELS : {};
    case "failed":
      return failures(position);
    default:
      return {};
  }
}

/** An ended order with payment instructions can still receive late money. */
export const fromEnded = (position: OrderPosition, next: OrderStatus): Ways =>
  next === "in_review" && position.payment !== "card" && position.hasInstruction
    ? { late_payment: [pay("exact")] }
    : {};

export function payUnderWay(position: OrderPosition): Ways {
  if (position.isFinalAtOnce) return {};
  if (position.payment !== "card") return { none: [pay("exact", "none")] };
  return position.attemptsLeft > 0 ? { none: [{ kind: "pay_by_card", play: "challenge" }] } : {};
}

function payFinally(position: OrderPosition): Ways {
  if (position.payment !== "card") return { none: [pay("exact")] };
  return position.attemptsLeft > 0 ? { none: [{ kind: "pay_by_card", play: "approved" }] } : {};
}

function wrongPayments(position: OrderPosition): Ways {
  if (position.payment === "card") return {};
  const other = position.hasOtherAsset && !position.hasRight;
  return {
    underpaid: [pay("half")],
    overpaid: [pay("double")],
    ...(other ? { wrong_asset: [pay("other_asset")] } : {}),
  };
}

/** An order that holds money does not expire: at the end of its window it goes to review. */
export const expiry = (position: OrderPosition, ...first: readonly Step[]): Ways =>
  position.hasMoney ? {} : { payment_timeout: [...first, { kind: "let_expire" }] };

const lateAfterExpiry = (position: OrderPosition): Ways =>
  position.payment === "card" || position.hasMoney
    ? {}
    : { late_payment: [{ kind: "let_expire" }, waitFor("expired"), pay("exact")] };

function losses(position: OrderPosition): Ways {
  switch (position.payment) {
    case "bank":
      return { bank_rejected: [{ kind: "drop" }] };
    case "chain":
      return { chain_reorg: [{ kind: "drop" }] };
    case "card":
      return position.attemptsLeft > 0
        ? { three_ds_failed: [end("authentication_failed")], card_declined: [end("declined")] }
        : {};
  }
}

/** Only a card order can fail, with its last attempt. A pending attempt is declined first. */
function failures(position: OrderPosition): Ways {
  if (position.payment !== "card") return {};
  const refused = (first: Step, play: "declined" | "three_ds_failed"): readonly Step[] => [
    ...(position.isUnderWay ? [first, REFUSED] : []),
    ...Array.from({ length: position.attemptsLeft }, (): Step[] => [
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

const finish = (position: OrderPosition): Step =>
  position.payment === "card" ? end("authorized") : { kind: "confirm" };

const end = (how: Extract<Step, { kind: "end_card_payment" }>["end"]): Step => ({
  kind: "end_card_payment",
  end: how,
});
