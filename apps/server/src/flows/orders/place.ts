import { toDecimal } from "@exchange/money";
import { hasCaps } from "../../domain/orders/open-orders.ts";
import type { NewOrder, Order, OrderCustomer } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { paymentWindowSeconds } from "../../domain/payments/payment-window.ts";
import { euroCentsOf } from "../../domain/payouts/limits.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { failpoint } from "../../failpoints.ts";
import type { NewDataKey } from "../../storage/customers/data-keys.ts";
import type { StepEvent } from "../../storage/orders/order-step.ts";
import { type OpenOrder, OpenOrdersCapped, OutOfStock } from "../../storage/orders/place.ts";
import { itemOf } from "../../storage/orders/timeline.ts";
import { type QuoteKey, readQuote, type StoredQuote } from "../../storage/quotes/quotes.ts";
import { findSession } from "../../storage/sessions/sessions.ts";
import { referenceDigest, sealOrder, unsealSession } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { requireRails } from "../payments/rails.ts";
import { QuoteExpired } from "../quotes/quote-expired.ts";
import { requireOpen } from "../quotes/rule-refusal.ts";
import { Refusal } from "../refusal.ts";
import { requireTerms } from "../sessions/require-terms.ts";
import { checkCustomer } from "./check-customer.ts";
import { refuseDepositAddress, refuseOwnRefundAddress } from "./check-destination.ts";
import { checkOrderTerms, type OrderTerms, type RequestedTerms } from "./check-terms.ts";
import { orderEventPayload } from "./event-payload.ts";

/** The order that a customer asks for. It names a quote and never a price. */
export interface RequestedOrder extends RequestedTerms {
  readonly quoteId: string;
  readonly customer?: OrderCustomer;
}

export interface PlaceOrder {
  readonly merchantId: string;
  readonly sessionId: string;
  /** The id of the caller's token. A token that a newer one replaced cannot place an order. */
  readonly tokenJti: string;
  readonly request: RequestedOrder;
  /** The session, if it was just read with that token. It is read when absent. */
  readonly session?: Session;
}

/**
 * Places the session's one order from a stored quote, and ends the session. One database transaction writes the
 * order, the used quote, the ended session, the timeline, the event and the expiry job.
 *
 * Refuses SESSION_EXPIRED, QUOTE_EXPIRED (as `QuoteExpired`), QUOTE_ALREADY_USED, NOT_FOUND, the address errors,
 * INVALID_COUNTRY, and the codes of the rules of the customer's country. PROVIDER_UNAVAILABLE means that no rail can
 * take the payment. LIQUIDITY_UNAVAILABLE means that a stop covers the exchange, the open orders are at a cap, or the
 * stock does not cover the order.
 */
export async function placeOrder(deps: Deps, command: PlaceOrder): Promise<OrderView> {
  failpoint("order.before_place");
  const [session, stored, orderId] = await Promise.all([
    command.session ?? requireSession(deps, command),
    requireQuote(readQuote(deps.database, quoteKeyOf(command))),
    deps.orderIds.take(),
  ]);
  const catalogue = deps.catalogue();
  const terms = checkOrderTerms(catalogue, stored.quote, command.request);
  await refuseDepositAddress(deps, catalogue.requireCurrency(stored.quote.receive.asset.id), terms);
  const spent = catalogue.requireCurrency(stored.quote.spend.asset.id);
  await refuseOwnRefundAddress(deps, spent, terms);
  requireRails(deps, { ...terms, spendNetworkCode: spent.networkCode });
  requireOpenSession(session);
  requireLockedAddress(session, terms);
  requireOpen(deps, stored.quote, command.merchantId);
  requireFresh(stored);
  requireLockedExchange(deps, session, stored);
  const customer = checkCustomer(catalogue, session, {
    quote: stored.quote,
    requested: command.request.customer,
  });
  const { order: placing, newKey } = newOrder(deps, {
    session,
    quote: stored,
    orderId,
    terms,
    customer,
  });
  const order = await deps
    .placeNewOrder({
      order: placing,
      newKey,
      tokenJti: command.tokenJti,
      note: PLACED,
      event: createdEvent(deps, placing),
      open: openOrderOf(deps, placing, session),
      claimsStock: deps.controls().stock.has(placing.receiveAssetId),
    })
    .catch((error: unknown) => {
      throw error instanceof OpenOrdersCapped || error instanceof OutOfStock
        ? cappedRefusal(error)
        : error;
    });
  if (!order) throw await explainRefusal(deps, command);
  failpoint("order.after_place");
  return viewOf(order, stored.quote);
}

/** Returns the amount that the caps count; undefined without caps. */
function openOrderOf(deps: Deps, order: NewOrder, { customer }: Session): OpenOrder | undefined {
  const caps = deps.openOrderCaps;
  if (!hasCaps(caps)) return undefined;
  const asset = deps.catalogue().requireCurrency(order.spendAssetId);
  // Only the merchant's word names a customer: a browser could name a new one for each order.
  const digest = referenceDigest(deps, order.merchantId, customer.reference);
  const euroCents = euroCentsOf({ asset, units: order.spendUnits });
  return { euroCents, customerDigest: digest, caps };
}

const CAPPED = {
  pair: "Too much of this pair is waiting to be paid. Try again later.",
  merchant: "Too many orders of this shop are waiting to be paid. Try again later.",
  customer: "You have too many orders that wait to be paid. Pay or cancel one first.",
  stock: "We cannot provide that much right now. Try a smaller amount, or try again later.",
} as const;

const cappedRefusal = (error: OpenOrdersCapped | OutOfStock): Refusal => {
  const scope = error instanceof OutOfStock ? "stock" : error.scope;
  return new Refusal("LIQUIDITY_UNAVAILABLE", { message: CAPPED[scope] });
};

const PLACED = { actor: "customer", note: "the order was placed" } as const;

async function requireSession(deps: Deps, command: PlaceOrder): Promise<Session> {
  const session = await findSession(deps.database, command);
  if (!session) throw new Refusal("TOKEN_INVALID");
  return unsealSession(deps, session);
}

const quoteKeyOf = (command: PlaceOrder): QuoteKey => ({
  merchantId: command.merchantId,
  sessionId: command.sessionId,
  quoteId: command.request.quoteId,
});

async function requireQuote(reading: Promise<StoredQuote | undefined>): Promise<StoredQuote> {
  const stored = await reading;
  if (!stored) throw new Refusal("NOT_FOUND", { message: "This session has no such quote." });
  return stored;
}

function requireOpenSession(session: Session): void {
  if (session.status === "active") return;
  throw new Refusal("SESSION_EXPIRED", { extra: { orderId: Number(session.orderId) } });
}

function requireFresh({ consumedByOrderId }: StoredQuote): void {
  if (consumedByOrderId !== null) throw new Refusal("QUOTE_ALREADY_USED");
}

/** Explains a refused write. The database decided, so its state is read again. */
async function explainRefusal(deps: Deps, command: PlaceOrder): Promise<Refusal> {
  const session = await requireSession(deps, command);
  requireOpenSession(session);
  if (session.tokenJti !== command.tokenJti) return new Refusal("TOKEN_INVALID");
  const stored = await requireQuote(readQuote(deps.database, quoteKeyOf(command)));
  requireFresh(stored);
  return new QuoteExpired(stored.quote);
}

/** The view of a new order. Nothing has happened to it yet, so nothing has to be read. */
const viewOf = (order: Order, quote: Quote): OrderView => ({
  order,
  isPageRevoked: false,
  quote,
  attempt: undefined,
  payout: undefined,
  refunds: [],
  instruction: undefined,
  deposits: [],
  timeline: [itemOf(order, PLACED)],
});

/** The quote may be older than the session's lock, because a newer token can change the lock. */
function requireLockedExchange(deps: Deps, session: Session, { quote }: StoredQuote): void {
  requireTerms(deps.catalogue(), session.lock, {
    operation: quote.operation,
    spendCurrencyId: quote.spend.asset.id,
    spendAmount: toDecimal(quote.spend),
    receiveCurrencyId: quote.receive.asset.id,
    paymentMethodId: quote.paymentMethodId,
    namedBy: "quoteId",
  });
}

/**
 * A locked address is a destination for coins. It does not apply to an order that pays out fiat.
 */
function requireLockedAddress(session: Session, destination: OrderTerms): void {
  if (destination.walletAddress === null) return;
  const { walletAddress, networkCode, memo, withoutMemo } = session.lock;
  const differs =
    (walletAddress !== undefined && walletAddress !== destination.walletAddress) ||
    (networkCode !== undefined && networkCode !== destination.networkCode);
  if (differs) throw lockedElse("walletAddress", "another wallet address");
  const fixedMemo = withoutMemo ? null : memo;
  if (fixedMemo !== undefined && fixedMemo !== destination.memo) {
    throw lockedElse("memo", fixedMemo === null ? "an address without a memo" : "another memo");
  }
}

const lockedElse = (field: string, what: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The merchant fixed ${what} for this session.`,
    details: [{ field, issue: "differs from the session's locked value" }],
  });

interface Placing {
  readonly session: Session;
  readonly quote: StoredQuote;
  readonly orderId: bigint;
  readonly terms: OrderTerms;
  readonly customer: OrderCustomer;
}

function newOrder(
  deps: Deps,
  placing: Placing,
): { readonly order: NewOrder; readonly newKey: NewDataKey | undefined } {
  const { session, orderId, terms, customer } = placing;
  const { quote } = placing.quote;
  const { payment, delivery, payoutFields, payoutShown, ...addresses } = terms;
  const { metadata } = session;
  const { newKey, ...sealed } = sealOrder(deps, session, {
    id: orderId,
    person: { customer, metadata, payoutFields: payoutFields ?? {}, payoutShown },
  });
  const order = {
    id: orderId,
    merchantId: session.merchantId,
    sessionId: session.sessionId,
    quoteId: quote.id,
    operation: quote.operation,
    paymentMethodId: payment.id,
    deliveryMethodId: delivery.id,
    spendAssetId: quote.spend.asset.id,
    spendUnits: quote.spend.units,
    receiveAssetId: quote.receive.asset.id,
    receiveUnits: quote.receive.units,
    ...addresses,
    ...sealed,
    paymentWindowSeconds: paymentWindowSeconds(payment),
  };
  return { order, newKey };
}

function createdEvent(deps: Deps, order: NewOrder): StepEvent {
  const eventType = "OrderCreated";
  const published = { ...order, status: "awaiting_payment", receivedUnits: null } as const;
  return { eventType, payload: orderEventPayload(eventType, published, deps.catalogue()) };
}
