import type { OrderData } from "@exchange/contract";
import { BITCOIN_ADDRESS } from "../answers.ts";
import { attempt, cardOrder, coinOrder, sent } from "../orders.ts";
import type { Scene } from "./scene.ts";
import { shown } from "./shown.ts";

const captured = attempt("captured");

const ORDERS: Readonly<Record<string, OrderData>> = {
  sending: cardOrder({ status: "sending", payment: captured }),
  failed: cardOrder({ status: "failed", statusReason: "provider_error" }),
  expired: cardOrder({ status: "expired" }),
  cancelled: cardOrder({ status: "cancelled", statusReason: "user_cancelled" }),
  "in-review": cardOrder({ status: "in_review", statusReason: "screening_hit", payment: captured }),
  "refund-pending": cardOrder({ status: "refund_pending", payment: captured }),
  refunded: coinOrder({
    status: "refunded",
    refundAddress: BITCOIN_ADDRESS,
    refunds: [{ amount: 0.01, currencyCode: "BTC", status: "refunded", createdAt: 0, ...sent }],
  }),
  unconfirmed: cardOrder({ payment: attempt("authentication_failed") }),
  "paid-out": coinOrder({
    status: "completed",
    fulfilled: true,
    payment: { received: 0.01 },
    delivery: { reference: "PAYOUT-77215" },
  }),
  // A status of a later service.
  unknown: { ...cardOrder(), status: "teleported" as OrderData["status"] },
};

/** Every way an order may stand or end. */
export const STATUSES: readonly Scene[] = Object.entries(ORDERS).map(([name, order]) =>
  shown(`status-${name}`, { order }),
);
