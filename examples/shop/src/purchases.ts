import type { WebhookEvent } from "@exchange/node";
import type { Product } from "./products.ts";

export type PurchaseStatus = "waiting_for_payment" | "order_placed" | "paid";

/** One purchase attempt. Its session id is the only thing it shares with Exchange. */
export interface Purchase {
  readonly sessionId: string;
  /** The browser that began it. Only that one sees where its order continues. */
  readonly browserId: string;
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

  add(begun: Pick<Purchase, "sessionId" | "browserId" | "product">): void {
    this.#bySession.set(begun.sessionId, { ...begun, status: "waiting_for_payment" });
  }

  find(sessionId: string): Purchase | undefined {
    return this.#bySession.get(sessionId);
  }

  /** Returns the purchase if it began in this browser. */
  findIn(browserId: string, sessionId: string): Purchase | undefined {
    const purchase = this.find(sessionId);
    return purchase?.browserId === browserId ? purchase : undefined;
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
