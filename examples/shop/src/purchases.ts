import type { WebhookEvent } from "@exchange/node";
import type { Product } from "./products.ts";

export type PurchaseStatus = "waiting_for_payment" | "order_placed" | "paid";

/** One purchase attempt. Its session id is the only thing it shares with Exchange. */
export interface Purchase {
  readonly sessionId: string;
  readonly product: Product;
  readonly status: PurchaseStatus;
  readonly orderId?: number;
  /** How the customer pays, in words. The first webhook names it. */
  readonly paymentMethod?: string;
}

export type WebhookEffect = "applied" | "duplicate" | "unknown_purchase" | "does_not_match";

/**
 * The shop's purchases, in memory. A real shop stores them and the ids of its webhooks in a database,
 * with a unique index on the id, so that a restart forgets neither.
 */
export class Purchases {
  readonly #bySession = new Map<string, Purchase>();
  readonly #seenWebhookIds = new Set<string>();

  add(sessionId: string, product: Product): Purchase {
    const purchase: Purchase = { sessionId, product, status: "waiting_for_payment" };
    this.#bySession.set(sessionId, purchase);
    return purchase;
  }

  find(sessionId: string): Purchase | undefined {
    return this.#bySession.get(sessionId);
  }

  // #region apply
  /** The one place where a purchase becomes paid. Call it with verified webhooks only. */
  apply({ id, eventType, sessionId, details }: WebhookEvent): WebhookEffect {
    // The same event may arrive more than once, and events may overtake each other.
    if (this.#seenWebhookIds.has(id)) return "duplicate";
    this.#seenWebhookIds.add(id);
    const purchase = this.#bySession.get(sessionId);
    if (purchase === undefined) return "unknown_purchase";
    if (!isOurPrice(purchase.product, details)) return "does_not_match";
    const isPaid =
      purchase.status === "paid" ||
      (eventType === "OrderFulfillment" && details.fulfilled === true);
    this.#bySession.set(sessionId, {
      ...purchase,
      orderId: details.orderId,
      paymentMethod: details.paymentMethod,
      status: isPaid ? "paid" : "order_placed",
    });
    return "applied";
  }
  // #endregion
}

/** A product without an amount has the price that its customer chose. */
function isOurPrice({ lock }: Product, details: WebhookEvent["details"]): boolean {
  if (lock.baseAmount === undefined) return true;
  return details.totalPrice === lock.baseAmount && details.totalPriceCurrency === lock.baseCurrency;
}
