import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import { type ExactAmount, exactAmount } from "../domain/catalogue/exact-amount.ts";
import type { Order } from "../domain/orders/order.ts";
import type { OrderView } from "../domain/orders/view.ts";
import type { PayoutIntent } from "../domain/payouts/payout-intent.ts";
import { personOf } from "../flows/customers/personal-data.ts";
import type { Deps } from "../flows/deps.ts";

/** "0.0015 btc" */
export const amountWords = ({ amount, currency }: ExactAmount): string => `${amount} ${currency}`;

/** An order as the operator's lists show it. */
export const showOrder = (order: Order, catalogue: Catalogue) => ({
  orderId: Number(order.id),
  clientId: order.merchantId,
  sessionId: order.sessionId,
  operation: order.operation,
  status: order.status,
  statusReason: order.statusReason,
  heldFrom: order.heldFrom,
  spend: exactAmount(catalogue, order.spendAssetId, order.spendUnits),
  receive: exactAmount(catalogue, order.receiveAssetId, order.receiveUnits),
  createdAt: order.createdAt.toISOString(),
  updatedAt: order.updatedAt.toISOString(),
});

export const showIntent = (intent: PayoutIntent, catalogue: Catalogue) => ({
  payoutId: intent.id,
  purpose: intent.purpose,
  state: intent.state,
  amount: exactAmount(catalogue, intent.assetId, intent.units),
  releasedAt: intent.releasedAt?.toISOString() ?? null,
  transactionHash: intent.transactionHash,
  confirmations: intent.confirmations,
});

/** An order with its payments, payouts, refunds and timeline. */
export function showOrderStory(view: OrderView, deps: Pick<Deps, "catalogue" | "dataKeys">) {
  const catalogue = deps.catalogue();
  const { order, attempt, deposits, payout, refunds, timeline } = view;
  return {
    ...showOrder(order, catalogue),
    paymentMethod: catalogue.paymentMethodById(order.paymentMethodId)?.reference ?? null,
    deliveryMethod: catalogue.deliveryMethodById(order.deliveryMethodId)?.reference ?? null,
    received:
      order.receivedUnits === null
        ? null
        : exactAmount(catalogue, order.spendAssetId, order.receivedUnits),
    card: attempt
      ? { status: attempt.status, brand: attempt.brand, lastFour: attempt.lastFour }
      : null,
    deposits: deposits.map((deposit) => ({
      depositId: deposit.id,
      state: deposit.state,
      amount: exactAmount(catalogue, deposit.assetId, deposit.units),
      confirmations: deposit.confirmations,
      confirmationsRequired: deposit.confirmationsRequired,
      reference: deposit.externalId,
    })),
    walletAddress: order.walletAddress,
    memo: order.memo,
    payoutFields: personOf(deps, order).payoutShown,
    refundAddress: order.refundAddress,
    refundMemo: order.refundMemo,
    requestedRefundAddress: order.requestedRefundAddress,
    requestedRefundMemo: order.requestedRefundMemo,
    payout: payout ? showIntent(payout, catalogue) : null,
    refunds: refunds.map((refund) => showIntent(refund, catalogue)),
    timeline: timeline.map((item) => ({ ...item, at: item.at.toISOString() })),
  };
}
