import type { PlaceOrderRequest } from "@exchange/contract";
import { toDecimal } from "@exchange/money";
import type { Session } from "../domain/sessions/session.ts";
import { failpoint } from "../failpoints.ts";
import type { Tx } from "../storage/database.ts";
import { enqueueJob } from "../storage/jobs.ts";
import type { OrderView } from "../storage/order-views.ts";
import { insertOrder, type Order } from "../storage/orders.ts";
import { recordEvent } from "../storage/outbox.ts";
import { consumeQuote, type QuoteKey, readQuote, type StoredQuote } from "../storage/quotes.ts";
import { expireSession, lockSession } from "../storage/sessions.ts";
import { checkOrderTerms, type OrderTerms } from "./check-order-terms.ts";
import type { Deps } from "./deps.ts";
import { orderEventPayload } from "./order-event-payload.ts";
import { takeOrderId } from "./order-ids.ts";
import { paymentWindowSeconds, requireRails } from "./order-rails.ts";
import { QuoteExpired } from "./quote-expired.ts";
import { readOrder } from "./read-order.ts";
import { Refusal } from "./refusal.ts";
import { requireLock } from "./require-lock.ts";
import { requireOpen } from "./require-open.ts";
import { sealPayoutFields } from "./seal-payout-fields.ts";

export interface PlaceOrder {
  readonly merchantId: string;
  readonly sessionId: string;
  /** The token's id: a token that a newer one replaced places nothing. */
  readonly tokenJti: string;
  readonly request: PlaceOrderRequest;
}

/**
 * Places the session's one order from a stored quote and ends the session: order, used quote, ended
 * session, timeline, event and expiry job are one database transaction.
 *
 * Refuses SESSION_EXPIRED, QUOTE_EXPIRED (as `QuoteExpired`), QUOTE_ALREADY_USED, NOT_FOUND, the
 * address errors, PROVIDER_UNAVAILABLE where no rail can take the payment, and LIQUIDITY_UNAVAILABLE
 * while the pair or the merchant is stopped.
 */
export async function placeOrder(deps: Deps, command: PlaceOrder): Promise<OrderView> {
  failpoint("order.before_place");
  const key = { ...command, quoteId: command.request.quoteId };
  const stored = await readQuote(deps.database, key);
  if (!stored) throw new Refusal("NOT_FOUND", { message: "This session has no such quote." });
  const terms = checkOrderTerms(deps.catalogue(), stored.quote, command.request);
  requireRails(deps, terms);
  const order = await deps.database.transaction(async (tx) => {
    const [session, orderId] = await Promise.all([
      requireOpenSession(tx, command),
      takeOrderId(tx, deps.environment),
    ]);
    requireLockedAddress(session, terms);
    requireOpen(deps, stored.quote, command.merchantId);
    const quote = await takeQuote(tx, key, orderId);
    requireLockedExchange(deps, session, quote);
    return insertPlacedOrder(tx, deps, { session, quote, orderId, terms, command });
  });
  failpoint("order.after_place");
  deps.wakeWebhooks();
  return readOrder(deps, { merchantId: command.merchantId, orderId: order.id });
}

async function requireOpenSession(tx: Tx, command: PlaceOrder): Promise<Session> {
  const session = await lockSession(tx, command);
  if (!session) throw new Refusal("TOKEN_INVALID");
  if (session.status === "expired") {
    throw new Refusal("SESSION_EXPIRED", { extra: { orderId: Number(session.orderId) } });
  }
  if (session.tokenJti !== command.tokenJti) throw new Refusal("TOKEN_INVALID");
  return session;
}

/** The quote may be older than the lock: a newer token of the session brings its own. */
function requireLockedExchange(deps: Deps, session: Session, { quote }: StoredQuote): void {
  requireLock(deps.catalogue(), session.lock, {
    operation: quote.operation,
    spendCurrencyId: quote.spend.asset.id,
    spendAmount: toDecimal(quote.spend),
    receiveCurrencyId: quote.receive.asset.id,
    paymentMethodId: quote.paymentMethodId,
    namedBy: "quoteId",
  });
}

/** A locked address is where coins go: it says nothing of an order that pays fiat out. */
function requireLockedAddress(session: Session, destination: OrderTerms): void {
  if (destination.walletAddress === null) return;
  const { walletAddress, networkCode } = session.lock;
  const differs =
    (walletAddress !== undefined && walletAddress !== destination.walletAddress) ||
    (networkCode !== undefined && networkCode !== destination.networkCode);
  if (!differs) return;
  throw new Refusal("INVALID_INPUT", {
    message: "The merchant fixed another wallet address for this session.",
    details: [{ path: "body.walletAddress", issue: "differs from what the session locks" }],
  });
}

/** The conditional update decides; what it left behind says why it refused. */
async function takeQuote(tx: Tx, key: QuoteKey, orderId: bigint): Promise<StoredQuote> {
  const taken = await consumeQuote(tx, { ...key, orderId });
  if (taken) return taken;
  const left = await readQuote(tx, key);
  if (left?.consumedByOrderId != null) throw new Refusal("QUOTE_ALREADY_USED");
  if (left) throw new QuoteExpired(left.quote);
  throw new Refusal("NOT_FOUND", { message: "This session has no such quote." });
}

interface Placing {
  readonly session: Session;
  readonly quote: StoredQuote;
  readonly orderId: bigint;
  readonly terms: OrderTerms;
  readonly command: PlaceOrder;
}

async function insertPlacedOrder(tx: Tx, deps: Deps, placing: Placing): Promise<Order> {
  const { session, orderId, terms, command } = placing;
  const { quote } = placing.quote;
  const { payment, delivery, payoutFields, ...told } = terms;
  const sealed = payoutFields && sealPayoutFields(deps.secrets, orderId, payoutFields);
  const placed = {
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
    ...told,
    payoutSealed: sealed,
    customer: { ...session.customer, ...command.request.customer },
    metadata: session.metadata,
    paymentWindowSeconds: paymentWindowSeconds(payment),
  };
  const [order, isExpired] = await Promise.all([
    insertOrder(tx, placed, { actor: "customer", note: "the order was placed" }),
    expireSession(tx, session, orderId),
  ]);
  if (!isExpired) throw new Refusal("SESSION_EXPIRED");
  enqueueJob(tx, {
    kind: "expire_order",
    subject: String(orderId),
    orderId,
    merchantId: order.merchantId,
    runAt: order.paymentExpiresAt,
  });
  recordEvent(tx, {
    merchantId: order.merchantId,
    orderId,
    eventType: "OrderCreated",
    payload: orderEventPayload("OrderCreated", order, deps.catalogue()),
  });
  return order;
}
