import { ORDER_MOVES, type OrderStatus, type StatusReason } from "../../domain/orders/status.ts";
import { fromAwaitingPayment, fromEnded, fromPaymentPending, payUnderWay } from "./plan-payment.ts";
import type { Stand } from "./stand.ts";
import { chooseWay, HOLDS, pay, type Step, type Target, type Ways, waitFor } from "./steps.ts";

const PLANS: Record<OrderStatus, (stand: Stand, next: OrderStatus) => Ways> = {
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

/** The steps that bring an order to its next status; undefined when nothing outside can. Pure. */
export function planAdvance(stand: Stand, target: Target): readonly Step[] | undefined {
  if (!nextOf(stand.status).includes(target.status)) return undefined;
  const ways = PLANS[stand.status](stand, target.status);
  const keptReason = target.reason === stand.statusReason && ways.none !== undefined;
  return chooseWay(ways, keptReason ? undefined : target.reason);
}

/** Where it can be brought from here, with the reasons that can be named. */
export const waysOn = (
  stand: Stand,
): readonly { readonly status: OrderStatus; readonly reasons: readonly StatusReason[] }[] =>
  nextOf(stand.status).flatMap((status) => {
    const keys = Object.keys(PLANS[stand.status](stand, status)) as (keyof Ways)[];
    const reasons = keys.filter((key): key is StatusReason => key !== "none");
    return keys.length > 0 ? [{ status, reasons }] : [];
  });

const nextOf = (status: OrderStatus): readonly OrderStatus[] => ORDER_MOVES[status];

const RELEASE: Step = { kind: "release" };
const REFUND: readonly Step[] = [{ kind: "refund" }];
const SHORT: readonly (StatusReason | null)[] = ["underpaid", "wrong_asset"];

function fromReview(stand: Stand, next: OrderStatus): Ways {
  const mayReturn = stand.heldFrom !== "sending" && stand.heldFrom !== "refund_pending";
  const isUnpaid = mayReturn && !stand.isCovered;
  const isShort = SHORT.includes(stand.statusReason) && stand.payment !== "card";
  switch (next) {
    case "processing":
      if (mayReturn && stand.isCovered) return { none: [RELEASE] };
      return isUnpaid && isShort ? { none: [pay("exact")] } : {};
    case "sending":
      return stand.heldFrom === "sending" ? { none: [RELEASE] } : {};
    case "awaiting_payment":
      return isUnpaid ? { none: [RELEASE] } : {};
    case "payment_pending": {
      const { none } = payUnderWay(stand);
      return isUnpaid && none ? { none: [RELEASE, ...none] } : {};
    }
    case "expired":
      return isUnpaid ? { payment_timeout: [RELEASE, { kind: "let_expire" }] } : {};
    case "refund_pending":
      return stand.hasMoney ? { none: REFUND } : {};
    case "cancelled":
      return stand.hasMoney ? {} : { operator_cancelled: [{ kind: "cancel", by: "operator" }] };
    default:
      return {};
  }
}

function fromProcessing(_stand: Stand, next: OrderStatus): Ways {
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

/** A bank may say no; a chain may not, so there only the controls can hold an order. */
function fromSending(stand: Stand, next: OrderStatus): Ways {
  const isBank = stand.delivery === "bank";
  const rejected = [decide("rejected")];
  switch (next) {
    case "completed":
      return { none: isBank ? [decide("settled")] : [] };
    case "in_review":
      return isBank ? { delivery_rejected: rejected, ...HOLDS } : HOLDS;
    case "refund_pending":
      return isBank ? { delivery_rejected: [...rejected, waitFor("in_review"), ...REFUND] } : {};
    default:
      return {};
  }
}

function fromRefundPending(stand: Stand, next: OrderStatus): Ways {
  const isBank = stand.payment === "bank";
  switch (next) {
    case "refunded":
      return { none: isBank ? [decide("settled")] : [] };
    case "in_review":
      return isBank ? { delivery_rejected: [decide("rejected")] } : {};
    default:
      return {};
  }
}
