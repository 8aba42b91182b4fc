import type { NewOrder } from "../domain/orders/order.ts";
import type { Quote } from "../domain/quotes/quote.ts";
import type { Placing } from "../storage/orders/place.ts";
import { MERCHANT_ID } from "./world.ts";

let nextOrderId = 1n;

/** An order as a flow places it from a quote of a session. */
export const placingOf = (
  seat: { readonly sessionId: string; readonly tokenJti: string },
  quote: Quote,
  changes: Partial<NewOrder> = {},
): Placing => ({
  order: {
    id: nextOrderId++,
    merchantId: MERCHANT_ID,
    sessionId: seat.sessionId,
    quoteId: quote.id,
    operation: quote.operation,
    paymentMethodId: quote.paymentMethodId,
    deliveryMethodId: quote.deliveryMethodId,
    spendAssetId: quote.spend.asset.id,
    spendUnits: quote.spend.units,
    receiveAssetId: quote.receive.asset.id,
    receiveUnits: quote.receive.units,
    walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    networkCode: "bitcoin",
    memo: null,
    refundAddress: null,
    refundMemo: null,
    personal: Uint8Array.of(0, 255, 10),
    dataKey: Uint8Array.of(1, 2, 3),
    paymentWindowSeconds: 60,
    ...changes,
  },
  tokenJti: seat.tokenJti,
  note: { actor: "customer", note: "the order was placed" },
  event: { eventType: "OrderCreated", payload: "{}" },
});
