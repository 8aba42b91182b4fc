import type { OrderData, Outgoing } from "@exchange/contract";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { CARD_ATTEMPTS_MAX } from "../../domain/orders/machine.ts";
import { orderDetails } from "../../flows/order-event-payload.ts";
import type { OrderView, PaymentAttempt } from "../../flows/read-order.ts";
import { presentQuote } from "../quotes/present.ts";
import { toOperationType, toUnixSeconds } from "../wire.ts";

/** An order with its whole story, as merchants and the popup read it. */
export function presentOrder(view: OrderView, catalogue: Catalogue): Outgoing<OrderData> {
  const { order, quote, attempt, timeline } = view;
  const method = catalogue.paymentMethodById(order.paymentMethodId);
  return {
    ...orderDetails(order, catalogue),
    sessionId: order.sessionId,
    statusReason: order.statusReason,
    operationType: toOperationType(order.operation),
    quote: presentQuote(quote, catalogue),
    payment: {
      type: method?.type ?? "card",
      attemptsLeft: CARD_ATTEMPTS_MAX - order.cardAttempts,
      expiresAt: toUnixSeconds(order.paymentExpiresAt),
      attempt: attempt ? presentAttempt(attempt) : null,
    },
    delivery: presentDelivery(view, catalogue),
    metadata: order.metadata,
    timeline: timeline.map((item) => ({
      status: item.status,
      statusReason: item.statusReason,
      actor: item.actor,
      note: item.note,
      at: toUnixSeconds(item.at),
    })),
    createdAt: toUnixSeconds(order.createdAt),
    updatedAt: toUnixSeconds(order.updatedAt),
  };
}

function presentAttempt(attempt: PaymentAttempt): Outgoing<OrderData["payment"]["attempt"]> {
  return {
    number: attempt.number,
    status: attempt.status,
    brand: attempt.brand,
    lastFour: attempt.lastFour,
    declineReason: attempt.declineReason,
    challengeUrl: attempt.challengeUrl,
    threeDSecure: attempt.threeDSecure,
  };
}

function presentDelivery(view: OrderView, catalogue: Catalogue): Outgoing<OrderData["delivery"]> {
  const { order, payout } = view;
  const network = order.networkCode === null ? undefined : catalogue.network(order.networkCode);
  const hash = payout?.transactionHash ?? null;
  const isSent = payout?.state === "broadcast" || payout?.state === "confirmed";
  return {
    type: catalogue.deliveryMethodById(order.deliveryMethodId)?.type ?? "on_chain",
    walletAddress: order.walletAddress,
    networkCode: order.networkCode,
    memo: order.memo,
    transactionHash: isSent ? hash : null,
    explorerUrl:
      isSent && hash !== null && network
        ? network.explorerTransactionUrl.replace("{hash}", hash)
        : null,
    confirmations: payout?.confirmations ?? 0,
    confirmationsRequired: network?.confirmations ?? 0,
  };
}
