import { mayRelease } from "../../domain/orders/machine.ts";
import { ORDER_MOVES, type OrderStatus, type StatusReason } from "../../domain/orders/status.ts";
import type { OrderPosition } from "./order-position.ts";
import {
  expiry,
  fromAwaitingPayment,
  fromEnded,
  fromPaymentPending,
  payUnderWay,
} from "./plan-payment.ts";
import { chooseWay, HOLDS, pay, type Step, type Target, type Ways, waitFor } from "./script.ts";

const PLANS: Record<OrderStatus, (position: OrderPosition, next: OrderStatus) => Ways> = {
  awaiting_payment: fromAwaitingPayment,
  payment_pending: fromPaymentPending,
  in_review: fromReview,
  processing: fromProcessing,
  sending: fromSending,
  expired: fromEnded,
  cancelled: fromEnded,
  refund_pending: fromRefundPending,
  completed: () => ({}),
  failed: () => ({}),
  refunded: () => ({}),
};

/** Returns the steps that move an order to its next status; undefined when no outside step can. */
export function planAdvance(position: OrderPosition, target: Target): readonly Step[] | undefined {
  if (!nextOf(position.status).includes(target.status)) return undefined;
  const ways = PLANS[position.status](position, target.status);
  const keptReason = target.reason === position.statusReason && ways.none !== undefined;
  return chooseWay(ways, keptReason ? undefined : target.reason);
}

/** Returns the statuses that the order can reach, with the possible reasons. */
export const reachableStatuses = (
  position: OrderPosition,
): readonly { readonly status: OrderStatus; readonly reasons: readonly StatusReason[] }[] =>
  nextOf(position.status).flatMap((status) => {
    const keys = Object.keys(PLANS[position.status](position, status)) as (keyof Ways)[];
    const reasons = keys.filter((key): key is StatusReason => key !== "none");
    return keys.length > 0 ? [{ status, reasons }] : [];
  });

const nextOf = (status: OrderStatus): readonly OrderStatus[] => ORDER_MOVES[status];

const RELEASE: Step = { kind: "release" };
const REFUND: readonly Step[] = [{ kind: "refund" }];
const SHORT: readonly (StatusReason | null)[] = ["underpaid", "wrong_asset"];

function fromReview(position: OrderPosition, next: OrderStatus): Ways {
  const wasSent = position.heldFrom === "sending" || position.heldFrom === "completed";
  const { isCovered: covered, isCaptured: captured } = position;
  const mayReturn = !wasSent && mayRelease(position, { covered, captured });
  const isUnpaid = mayReturn && !covered;
  const isShort = SHORT.includes(position.statusReason) && position.payment !== "card";
  switch (next) {
    case "processing":
      if (mayReturn && covered) return { none: [RELEASE] };
      return isUnpaid && isShort ? { none: [pay("exact")] } : {};
    case "sending":
      return wasSent ? { none: [RELEASE] } : {};
    case "awaiting_payment":
      return isUnpaid && !position.isUnderWay ? { none: [RELEASE] } : {};
    case "payment_pending": {
      if (isUnpaid && position.isUnderWay) return { none: [RELEASE] };
      const { none } = payUnderWay(position);
      return isUnpaid && none ? { none: [RELEASE, ...none] } : {};
    }
    case "expired":
      return isUnpaid && !position.isUnderWay ? expiry(position, RELEASE) : {};
    case "refund_pending":
      return position.hasMoney ? { none: REFUND } : {};
    case "cancelled":
      // A card payment that is only being authorized is voided.
      return position.hasMoney || (position.isUnderWay && position.payment !== "card")
        ? {}
        : { operator_cancelled: [{ kind: "cancel", by: "operator" }] };
    default:
      return {};
  }
}

function fromProcessing(_stand: OrderPosition, next: OrderStatus): Ways {
  switch (next) {
    case "sending":
      return { none: [] };
    case "in_review":
      return HOLDS;
    case "refund_pending":
      return { none: REFUND };
    default:
      return {};
  }
}

const decide = (outcome: "settled" | "rejected"): Step => ({ kind: "decide_payouts", outcome });

/**
 * A bank can reject a payout. A chain cannot, so there only the controls can hold an order, and only
 * before its payout is released.
 */
function fromSending(position: OrderPosition, next: OrderStatus): Ways {
  const isBank = position.delivery === "bank";
  const rejected = [decide("rejected")];
  const holds = position.isPayoutReleased ? {} : HOLDS;
  switch (next) {
    case "completed":
      return { none: isBank ? [decide("settled")] : [] };
    case "in_review":
      return isBank ? { delivery_rejected: rejected, ...holds } : holds;
    case "refund_pending":
      return isBank ? { delivery_rejected: [...rejected, waitFor("in_review"), ...REFUND] } : {};
    default:
      return {};
  }
}

function fromRefundPending(position: OrderPosition, next: OrderStatus): Ways {
  const isBank = position.payment === "bank";
  switch (next) {
    case "refunded":
      return { none: isBank ? [decide("settled")] : [] };
    case "in_review":
      return isBank ? { delivery_rejected: [decide("rejected")] } : {};
    default:
      return {};
  }
}
