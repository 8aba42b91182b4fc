import {
  amountNumber,
  encodeJson,
  OPERATION_TYPE_OF,
  type Outgoing,
  type WebhookEventType,
  type WebhookPayload,
} from "@exchange/contract";
import { money } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { StatusReason } from "../../domain/orders/status.ts";

/** The members of an order that a webhook shows. */
export type PublishedOrder = Pick<
  Order,
  | "id"
  | "sessionId"
  | "status"
  | "operation"
  | "paymentMethodId"
  | "spendAssetId"
  | "spendUnits"
  | "receivedUnits"
  | "receiveAssetId"
  | "receiveUnits"
>;

/** A reason as customers and merchants read it. */
export type PublicReason = Exclude<StatusReason, "screening_hit"> | "compliance";

/**
 * Only operators read of screening (completion, section 6): telling the customer or the merchant of
 * a hit is an offence in many countries.
 */
export const publicReason = (reason: StatusReason): PublicReason =>
  reason === "screening_hit" ? "compliance" : reason;

type OrderDetails = Outgoing<WebhookPayload["details"]>;

/**
 * The details that webhooks and order reads share (interface, "Events"; completion, section 1).
 * `amountReceived` is the amount of the order and, once paid, the amount received.
 */
export function orderDetails(order: PublishedOrder, catalogue: Catalogue): OrderDetails {
  const spent = catalogue.requireCurrency(order.spendAssetId);
  const received = catalogue.requireCurrency(order.receiveAssetId);
  const amountOf = (currency: Currency, units: bigint) => amountNumber(money(currency, units));
  return {
    orderId: Number(order.id),
    status: order.status,
    paymentMethod: catalogue.paymentMethodById(order.paymentMethodId)?.name ?? "",
    fulfilled: order.status === "completed",
    totalPrice: amountOf(spent, order.spendUnits),
    totalPriceCurrency: spent.code,
    exchangeDetails: {
      baseCurrency: spent.code,
      amountReceived: amountOf(spent, order.receivedUnits ?? order.spendUnits),
      targetCurrency: received.code,
      amountToSend: amountOf(received, order.receiveUnits),
      operationType: OPERATION_TYPE_OF[order.operation],
    },
  };
}

/** Returns the exact JSON body of a webhook about the order in its current state. */
export function orderEventPayload(
  eventType: WebhookEventType,
  order: PublishedOrder,
  catalogue: Catalogue,
): string {
  const payload: Outgoing<WebhookPayload> = {
    eventType,
    sessionId: order.sessionId,
    details: orderDetails(order, catalogue),
  };
  return encodeJson(payload);
}
