import { mayChangeMethod } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { paymentWindowSeconds } from "../../domain/payments/payment-window.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { SessionTerms } from "../../domain/sessions/session.ts";
import { RequirementUnmet } from "../../storage/orders/apply-step.ts";
import { findOpenAttempt } from "../../storage/payments/attempts.ts";
import { readQuote } from "../../storage/quotes/quotes.ts";
import type { Deps } from "../deps.ts";
import { requireReconciled } from "../history/require-reconciled.ts";
import { priceAlternatives } from "../quotes/create.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder, StepRefused } from "./advance.ts";
import { exchangeOf, type OfferPrice } from "./answer-price.ts";
import { type OrderKey, readOrder } from "./read.ts";
import { stepOfNote } from "./step-of.ts";

/**
 * Offers the bank transfers that can pay for an order whose card was refused, by the rules of its country. Each offer
 * is a stored quote for the same exchange, as short-lived as any other. A session that is locked to its method has
 * none. Refuses NOT_FOUND and INVALID_ORDER_STATE.
 */
export async function offerMethods(
  deps: Deps,
  command: OfferPrice & { readonly lock: SessionTerms },
): Promise<readonly Quote[]> {
  const view = await readOrder(deps, command);
  const { order } = view;
  await requireReconciled(deps, "Other ways to pay");
  if (!(await mayChange(deps, order, deps.clock.now()))) throw notChangeable(order);
  const { merchantId, sessionId } = order;
  const exchange = exchangeOf(deps, view, command);
  if (command.lock.paymentMethod !== undefined) return [];
  const { quotes } = priceAlternatives(deps, exchange, "paymentMethods");
  const offers = quotes.filter(
    ({ paymentMethodId }) => deps.bank && isTransfer(deps, paymentMethodId),
  );
  const stored = { merchantId, sessionId, repricesOrderId: order.id };
  await Promise.all(offers.map((each) => deps.insertQuote({ ...stored, quote: each })));
  return offers;
}

/**
 * Lets the order be paid by the transfer that an offer was made for, at the offer's price and in a new payment window.
 * Refuses NOT_FOUND, INVALID_ORDER_STATE, QUOTE_EXPIRED and LIQUIDITY_UNAVAILABLE.
 */
export async function changeMethod(
  deps: Deps,
  command: OrderKey & { readonly quoteId: string },
): Promise<OrderView> {
  const { order: found } = await readOrder(deps, command);
  await requireReconciled(deps, "Other ways to pay");
  const { merchantId, sessionId } = found;
  const offer = await readQuote(deps.database, { ...command, merchantId, sessionId });
  const chosen = offer && deps.catalogue().paymentMethodById(offer.quote.paymentMethodId);
  if (!chosen || offer.repricesOrderId !== found.id || !isTransfer(deps, chosen.id)) {
    throw new Refusal("NOT_FOUND", { message: "This order has no such offer." });
  }
  const price = { quoteId: offer.quote.id, receiveUnits: offer.quote.receive.units };
  const method = { paymentMethodId: chosen.id, windowSeconds: paymentWindowSeconds(chosen) };
  try {
    await advanceOrder(deps, command, async (order, now) => {
      if (!(await mayChange(deps, order, now))) throw notChangeable(order);
      const note = `the customer pays by ${chosen.name} instead`;
      const { receiveAssetId: assetId } = order;
      // A cheaper way to pay promises more coins than the order has claimed.
      const isMore = price.receiveUnits > order.receiveUnits;
      const needs = isMore ? { assetId, units: price.receiveUnits, orderId: order.id } : undefined;
      const changed = { ...order, ...price, paymentMethodId: chosen.id };
      const noted = stepOfNote(deps, changed, { actor: "customer", note });
      return { ...noted, price, method, needs, inTime: true };
    });
  } catch (error) {
    if (error instanceof RequirementUnmet) {
      throw new Refusal("LIQUIDITY_UNAVAILABLE", {
        message: "There is not enough of this currency for that way to pay right now.",
      });
    }
    if (error instanceof StepRefused) throw new Refusal("QUOTE_EXPIRED");
    throw error;
  }
  return readOrder(deps, command);
}

/** Only a refused card is replaced. A transfer may be under way as soon as its account was shown. */
const mayChange = async (deps: Deps, order: Order, now: Date): Promise<boolean> =>
  mayChangeMethod(order, now) &&
  deps.catalogue().paymentMethodById(order.paymentMethodId)?.type === "card" &&
  (await findOpenAttempt(deps.database, order.id)) === undefined;

const isTransfer = (deps: Deps, paymentMethodId: number): boolean =>
  deps.catalogue().paymentMethodById(paymentMethodId)?.type === "bank_transfer";

const notChangeable = ({ status }: Order): Refusal =>
  new Refusal("INVALID_ORDER_STATE", {
    message: `This order is ${status}. Only an order whose card was refused can be paid in another way.`,
  });
