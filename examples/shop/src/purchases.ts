import type { Product } from "./products.ts";
import type { ExchangeWebhook } from "./webhook-signature.ts";

export type PurchaseStatus = "waiting_for_payment" | "order_placed" | "paid";

/** One purchase attempt. Its session id is the only thing it shares with Exchange. */
export interface Purchase {
  readonly sessionId: string;
  readonly product: Product;
  readonly status: PurchaseStatus;
  readonly orderId?: number;
}

export type WebhookEffect = "applied" | "duplicate" | "unknown_purchase" | "does_not_match";

/**
 * The shop's purchases, in memory: a real shop keeps them in its database, with the webhook's id
 * unique there, so that a restart forgets neither.
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

  /** The one place where a purchase becomes paid. Call it with verified webhooks only. */
  apply({ id, eventType, sessionId, details }: ExchangeWebhook): WebhookEffect {
    // The same event may arrive more than once, and events may overtake each other.
    if (this.#seenWebhookIds.has(id)) return "duplicate";
    this.#seenWebhookIds.add(id);
    const purchase = this.#bySession.get(sessionId);
    if (purchase === undefined) return "unknown_purchase";
    const isOurPrice =
      details.totalPrice === purchase.product.price &&
      details.totalPriceCurrency === purchase.product.priceCurrency;
    if (!isOurPrice) return "does_not_match";
    const isPaid =
      purchase.status === "paid" ||
      (eventType === "OrderFulfillment" && details.fulfilled === true);
    this.#bySession.set(sessionId, {
      ...purchase,
      orderId: details.orderId,
      status: isPaid ? "paid" : "order_placed",
    });
    return "applied";
  }
}
