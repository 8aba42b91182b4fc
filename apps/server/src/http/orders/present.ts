import type { OrderData, Outgoing } from "@exchange/contract";
import { money } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { orderDetails } from "../../flows/orders/event-payload.ts";
import { presentQuote } from "../quotes/present.ts";
import { presentMoney, toOperationType, toUnixSeconds } from "../wire.ts";
import { presentPayment } from "./present-payment.ts";

/** Presents an order with its payments, payouts and timeline, for merchants and the popup. */
export function presentOrder(view: OrderView, catalogue: Catalogue): Outgoing<OrderData> {
  const { order, quote, refunds, timeline } = view;
  return {
    ...orderDetails(order, catalogue),
    sessionId: order.sessionId,
    statusReason: order.statusReason,
    operationType: toOperationType(order.operation),
    quote: presentQuote(quote, catalogue),
    payment: presentPayment(view, catalogue),
    delivery: presentDelivery(view, catalogue),
    refunds: refunds.map((refund) => presentRefund(refund, catalogue)),
    refundAddress: order.refundAddress,
    metadata: order.metadata,
    timeline: timeline.map(({ status, statusReason, actor, note, at }) => ({
      status,
      statusReason,
      actor,
      note,
      at: toUnixSeconds(at),
    })),
    createdAt: toUnixSeconds(order.createdAt),
    updatedAt: toUnixSeconds(order.updatedAt),
  };
}

function presentDelivery(view: OrderView, catalogue: Catalogue): Outgoing<OrderData["delivery"]> {
  const { order, payout } = view;
  const method = catalogue.deliveryMethodById(order.deliveryMethodId);
  const network = order.networkCode === null ? undefined : catalogue.network(order.networkCode);
  return {
    type: method?.type ?? "on_chain",
    walletAddress: order.walletAddress,
    networkCode: order.networkCode,
    memo: order.memo,
    ...presentTransaction(payout, catalogue),
    confirmations: payout?.confirmations ?? 0,
    confirmationsRequired: network?.confirmations ?? 0,
    reference: isSent(payout) && payout?.rail === "bank" ? payout.transactionHash : null,
    fields: (method?.requiredFields ?? []).flatMap(({ name, label }) => {
      const value = order.payoutShown[name];
      return value === undefined ? [] : [{ name, label, value }];
    }),
  };
}

const isSent = (intent: PayoutIntent | undefined): boolean =>
  intent?.state === "broadcast" || intent?.state === "confirmed";

/** The transaction on the chain, with its page. Null for other rails and until it was sent. */
function presentTransaction(intent: PayoutIntent | undefined, catalogue: Catalogue) {
  const nothing = { transactionHash: null, explorerUrl: null };
  if (!intent || intent.rail !== "chain" || !isSent(intent)) return nothing;
  const hash = intent.settledHash ?? intent.transactionHash;
  const network = intent.networkCode === null ? undefined : catalogue.network(intent.networkCode);
  if (hash === null || !network) return nothing;
  const explorerUrl = network.explorerTransactionUrl.replace("{hash}", hash);
  return { transactionHash: hash, explorerUrl };
}

function presentRefund(
  refund: PayoutIntent,
  catalogue: Catalogue,
): Outgoing<OrderData["refunds"][number]> {
  const currency = catalogue.requireCurrency(refund.assetId);
  const ended = { confirmed: "refunded", void: "failed" } as const;
  return {
    amount: presentMoney(money(currency, refund.units)),
    currencyCode: currency.code,
    status:
      refund.state === "confirmed" || refund.state === "void" ? ended[refund.state] : "pending",
    ...presentTransaction(refund, catalogue),
    createdAt: toUnixSeconds(refund.createdAt),
  };
}
