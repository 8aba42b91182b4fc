import { toDecimal } from "@exchange/money";
import { awaitsPriceAnswer } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import { readQuote } from "../../storage/quotes/quotes.ts";
import { personOf } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { isRestored, requireReconciled } from "../history/require-reconciled.ts";
import { type CreateQuote, createQuote } from "../quotes/create.ts";
import { QuoteExpired } from "../quotes/quote-expired.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder, StepRefused } from "./advance.ts";
import { marketOf } from "./check-price.ts";
import { type OrderKey, readOrder } from "./read.ts";
import { refundOrder, refundStep } from "./refund.ts";
import { stepOf } from "./step-of.ts";

const RESTORED_RETRY_MS = 60_000;

/** The country is that of the session or the merchant. */
export type OfferPrice = OrderKey & { readonly countryCode: string | undefined };

/**
 * Offers the customer a new price for an order whose price moved. The offer is a stored quote for
 * the same exchange and as short-lived as any other. Refuses NOT_FOUND, INVALID_ORDER_STATE and the
 * codes of `createQuote`.
 */
export async function offerPrice(deps: Deps, command: OfferPrice): Promise<Quote> {
  const view = await requireWaiting(deps, command);
  const { order } = view;
  const market = { ...deps, rates: marketOf(deps, order) };
  return createQuote(market, {
    ...exchangeOf(deps, view, command),
    sessionId: order.sessionId,
    repricesOrderId: order.id,
  });
}

/**
 * Returns the exchange that an order was placed for, so that it can be priced again. Its rules are those of the country
 * that the order was placed with. The command's country counts only where the order has none.
 */
export const exchangeOf = (
  deps: Pick<Deps, "dataKeys">,
  { order, quote: { spend } }: Pick<OrderView, "order" | "quote">,
  { countryCode }: Pick<OfferPrice, "countryCode">,
): CreateQuote => ({
  merchantId: order.merchantId,
  countryCode: personOf(deps, order).customer.countryCode ?? countryCode,
  operation: order.operation,
  spendCurrencyId: order.spendAssetId,
  receiveCurrencyId: order.receiveAssetId,
  spendAmount: toDecimal(spend),
  paymentMethodId: order.paymentMethodId,
  deliveryMethodId: order.deliveryMethodId,
});

/**
 * Accepts an offered price for the customer. The order then has the offer's quote and goes on.
 * Refuses NOT_FOUND, INVALID_ORDER_STATE and QUOTE_EXPIRED (as `QuoteExpired`).
 */
export async function acceptPrice(
  deps: Deps,
  command: OrderKey & { readonly quoteId: string },
): Promise<OrderView> {
  const { order: waiting } = await requireWaiting(deps, command);
  await requireReconciled(deps, "New prices");
  const { merchantId, sessionId } = waiting;
  const offer = await readQuote(deps.database, { ...command, merchantId, sessionId });
  const { repricesOrderId, quote } = offer ?? {};
  // An offer of another way to pay has another fee, and is not a price for this one.
  if (
    !offer ||
    repricesOrderId !== waiting.id ||
    quote?.paymentMethodId !== waiting.paymentMethodId
  ) {
    throw new Refusal("NOT_FOUND", { message: "This order has no such price offer." });
  }
  const price = { quoteId: offer.quote.id, receiveUnits: offer.quote.receive.units };
  try {
    await advanceOrder(deps, command, (order, now) => {
      const step = stepOf(deps, { ...order, ...price }, { kind: "price_accepted" }, now);
      if (!step) throw notWaiting(order);
      return { ...step, price };
    });
  } catch (error) {
    if (error instanceof StepRefused) throw new QuoteExpired(offer.quote);
    throw error;
  }
  return readOrder(deps, command);
}

/**
 * Refunds an order whose customer does not accept the new price. Refuses NOT_FOUND,
 * INVALID_ORDER_STATE, PROVIDER_UNAVAILABLE, and INVALID_INPUT while coins have no refund address.
 */
export async function declinePrice(deps: Deps, key: OrderKey): Promise<OrderView> {
  const { order } = await requireWaiting(deps, key);
  return refundOrder(deps, { merchantId: order.merchantId, orderId: order.id, by: "customer" });
}

/**
 * Refunds an order whose customer did not answer in time. Money that cannot be returned without a
 * person, such as coins without a refund address, stays in review. Returns the job that sends the
 * refund, leased to this worker.
 */
export async function endPriceOffer(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const { orderId, leaseToken: nextLease } = job;
  const { next } = await advanceOrder(deps, { orderId, job, nextLease }, async (order, now) => {
    if (!awaitsPriceAnswer(order)) return undefined;
    const leftMs = order.paymentExpiresAt.getTime() - now.getTime();
    if (leftMs > 0) return { runAgainInMs: leftMs };
    if (await isRestored(deps.database)) return { runAgainInMs: RESTORED_RETRY_MS };
    try {
      return await refundStep(deps, { order, by: "system", amount: undefined }, now);
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  });
  return next;
}

async function requireWaiting(deps: Deps, key: OrderKey): Promise<OrderView> {
  const view = await readOrder(deps, key);
  if (!awaitsPriceAnswer(view.order)) throw notWaiting(view.order);
  return view;
}

const notWaiting = ({ status }: Order): Refusal =>
  new Refusal("INVALID_ORDER_STATE", {
    message: `This order is ${status} and does not wait for an answer to a new price.`,
  });
