import type { CheckoutOrderData, OrderData, Outgoing } from "@exchange/contract";
import { money } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { OrderPerson } from "../../domain/customers/personal-data.ts";
import type { OrderEventItem, OrderView } from "../../domain/orders/view.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { personOf } from "../../flows/customers/personal-data.ts";
import type { Deps } from "../../flows/deps.ts";
import { customerUrlOf } from "../../flows/orders/customer-url.ts";
import { orderDetails, publicReason } from "../../flows/orders/event-payload.ts";
import type { MerchantCaller } from "../auth/caller.ts";
import { presentQuote } from "../quotes/present.ts";
import { presentMoney, toOperationType, toUnixSeconds } from "../wire.ts";
import { presentPayment } from "./present-payment.ts";

/** Parts of the dependencies that present an order. */
export type PresentDeps = Pick<Deps, "catalogue" | "dataKeys" | "orderPages" | "publicUrl">;

/** Presents an order for its merchant, with the merchant's metadata and the customer. */
function presentOrder(view: OrderView, deps: PresentDeps): Outgoing<OrderData> {
  const person = personOf(deps, view.order);
  const { customer, metadata } = person;
  return { ...presentParts(view, person, deps), customer, metadata };
}

/** Presents an order with its payments, payouts and timeline, for the customer's browser. */
export const presentCheckoutOrder = (
  view: OrderView,
  deps: PresentDeps,
): Outgoing<CheckoutOrderData> => presentParts(view, personOf(deps, view.order), deps);

function presentParts(
  view: OrderView,
  person: OrderPerson,
  deps: PresentDeps,
): Outgoing<CheckoutOrderData> {
  const { order, quote, refunds, timeline } = view;
  const catalogue = deps.catalogue();
  return {
    ...orderDetails(order, catalogue),
    sessionId: order.sessionId,
    statusReason: order.statusReason && publicReason(order.statusReason),
    operationType: toOperationType(order.operation),
    quote: presentQuote(quote, catalogue),
    payment: presentPayment(view, catalogue),
    delivery: presentDelivery(view, person, catalogue),
    refunds: refunds.map((refund) => presentRefund(view, refund, catalogue)),
    refundAddress: order.refundAddress,
    requestedRefundAddress: order.requestedRefundAddress,
    timeline: timeline.map(presentItem),
    customerUrl: customerUrlOf(view, deps),
    createdAt: toUnixSeconds(order.createdAt),
    updatedAt: toUnixSeconds(order.updatedAt),
  };
}

/**
 * Presents an order to a key. The order's page takes a refund address and cancels the order, so a key
 * needs `read` and `orders.write` for its address. A key without `read` gets no part of the customer and no metadata.
 */
export function presentToKey(
  view: OrderView,
  { keyScopes }: Pick<MerchantCaller, "keyScopes">,
  deps: PresentDeps,
): Outgoing<OrderData> {
  const order = presentOrder(view, deps);
  return {
    ...order,
    ...(!keyScopes.includes("orders.write") && { customerUrl: null }),
    ...(!keyScopes.includes("read") && {
      ...{
        customerUrl: null,
        customer: {},
        metadata: {},
        delivery: { ...order.delivery, fields: [] },
      },
    }),
  };
}

const presentItem = ({ status, statusReason, actor, note, at }: OrderEventItem) => ({
  status,
  statusReason: statusReason && publicReason(statusReason),
  actor,
  note: note.replaceAll("screening hit", "compliance"),
  at: toUnixSeconds(at),
});

function presentDelivery(
  view: OrderView,
  { payoutShown }: OrderPerson,
  catalogue: Catalogue,
): Outgoing<OrderData["delivery"]> {
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
      const value = payoutShown[name];
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
  view: OrderView,
  refund: PayoutIntent,
  catalogue: Catalogue,
): Outgoing<OrderData["refunds"][number]> {
  const currency = catalogue.requireCurrency(refund.assetId);
  const ended = { confirmed: "refunded", void: "failed" } as const;
  return {
    id: refund.id,
    amount: presentMoney(money(currency, refund.units)),
    currencyCode: currency.code,
    status:
      refund.state === "confirmed" || refund.state === "void" ? ended[refund.state] : "pending",
    reason: refundReason(view, refund),
    ...presentTransaction(refund, catalogue),
    createdAt: toUnixSeconds(refund.createdAt),
    refundedAt: refund.state === "confirmed" ? toUnixSeconds(refund.updatedAt) : null,
  };
}

/**
 * The first refund of an order has the reason of its review. Later refunds return the rest for the
 * same reason, even if the first was rejected. An excess is returned without a review.
 */
function refundReason({ order, timeline }: OrderView, refund: PayoutIntent) {
  if (refund.purpose === "excess_refund") {
    return refund.assetId === order.spendAssetId ? "overpaid" : "wrong_asset";
  }
  const first = timeline.find(({ status }) => status === "refund_pending");
  return first?.statusReason ? publicReason(first.statusReason) : "requested";
}
