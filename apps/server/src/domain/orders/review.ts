import type { OrderEvent } from "./events.ts";
import { type Move, move } from "./move.ts";
import type { OrderState } from "./state.ts";
import type { OrderStatus } from "./status.ts";

type EventOf<Kind extends OrderEvent["kind"]> = Extract<OrderEvent, { kind: Kind }>;

const HOLDABLE: readonly OrderStatus[] = [
  "awaiting_payment",
  "payment_pending",
  "processing",
  "sending",
];

/** Stops an order for a person. */
export function hold(order: OrderState, event: EventOf<"held">): Move | undefined {
  if (!HOLDABLE.includes(order.status)) return undefined;
  return {
    ...move("in_review", `held for a person: ${event.reason.replaceAll("_", " ")}`),
    actor: event.by,
    reason: event.reason,
  };
}

/**
 * An operator lets a held order go on: where money is held it is exchanged or sent, where none is
 * or too little it may be paid again.
 */
export function release(order: OrderState, event: EventOf<"released">): Move | undefined {
  if (order.status !== "in_review") return undefined;
  const on = (next: Move): Move => ({ ...next, actor: "operator" });
  switch (order.heldFrom) {
    case "sending":
      return on(move("sending", "released; the payout is being sent", ["send_payout"]));
    case "refund_pending":
      return undefined;
    default:
      return on(beforeExchange(event));
  }
}

function beforeExchange({ covered, underWay }: EventOf<"released">): Move {
  if (covered) {
    return move("processing", "released; the payment is taken as it is", ["exchange_order"]);
  }
  return underWay
    ? move("payment_pending", "released; a payment is under way")
    : move("awaiting_payment", "released; the order may be paid", ["reopen_payment"]);
}

/** Full until the spend is exchanged; after that an operator's, with proof that nothing was sent. */
export function requestRefund(
  order: OrderState,
  event: EventOf<"refund_requested">,
): Move | undefined {
  const mayRefund = order.status === "in_review" || order.status === "processing";
  if (!mayRefund || event.payoutAlive) return undefined;
  if (event.exchanged && event.by !== "operator") return undefined;
  return {
    ...move("refund_pending", `the ${event.by} asked for a refund`),
    actor: event.by,
    reason: order.statusReason,
  };
}

/** With the last of it the order is refunded; with less a person decides about the rest. */
export function confirmRefund(
  order: OrderState,
  event: EventOf<"refund_confirmed">,
): Move | undefined {
  if (order.status !== "refund_pending") return undefined;
  const next = event.remaining
    ? move("in_review", "a part was refunded; the rest is held")
    : move("refunded", "all that was received was returned");
  return { ...next, reason: order.statusReason };
}

export const rejectRefund = (order: OrderState): Move | undefined =>
  order.status === "refund_pending"
    ? { ...move("in_review", "the refund was rejected"), reason: "delivery_rejected" }
    : undefined;
