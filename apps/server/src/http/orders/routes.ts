import {
  ENDPOINTS,
  hasPostalCodes,
  type OrdersQuery,
  PAGE_LIMIT_DEFAULT,
  type PaymentRequest,
} from "@exchange/contract";
import { toDecimal } from "@exchange/money";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { Deps } from "../../flows/deps.ts";
import { requestMails } from "../../flows/mails/request.ts";
import { acceptPrice, declinePrice, offerPrice } from "../../flows/orders/answer-price.ts";
import { cancelOrder } from "../../flows/orders/cancel.ts";
import { changeMethod, offerMethods } from "../../flows/orders/change-method.ts";
import { type PayOrder, payOrder } from "../../flows/orders/pay.ts";
import { type PlaceOrder, placeOrder, type RequestedOrder } from "../../flows/orders/place.ts";
import {
  listOrders,
  type OrderFilter,
  type OrderPosition,
  readOrder,
} from "../../flows/orders/read.ts";
import { recordRefundAddress } from "../../flows/orders/record-refund-address.ts";
import { refundOrder } from "../../flows/orders/refund.ts";
import { revokePage } from "../../flows/orders/revoke-page.ts";
import { createQuote } from "../../flows/quotes/create.ts";
import { QuoteExpired } from "../../flows/quotes/quote-expired.ts";
import { Refusal } from "../../flows/refusal.ts";
import { requireCountry } from "../../flows/requirements.ts";
import { type BrowserCaller, customerCountry, requireActiveSession } from "../auth/caller.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { presentOffer, presentQuote } from "../quotes/present.ts";
import type { Register } from "../registrar.ts";
import { list, ok, toExact, toOperation } from "../wire.ts";
import { presentCheckoutOrder, presentToKey } from "./present.ts";

/**
 * Registers the calls on the session's one order, and the merchant's reads, refunds and
 * cancellations.
 */
export function registerOrders(register: Register, deps: Deps): void {
  registerCheckoutOrders(register, deps);
  registerPriceAnswers(register, deps);
  register(ENDPOINTS.cancelOrderByMerchant, async ({ caller, params, deps: joined }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(params.orderId) };
    const order = await cancelOrder(joined, { ...key, by: "merchant" });
    return ok(presentToKey(order, caller, deps));
  });
  register(ENDPOINTS.revokeCustomerUrl, async ({ caller, params, deps: joined }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(params.orderId) };
    return ok(presentToKey(await revokePage(joined, key), caller, deps));
  });
  register(ENDPOINTS.refundOrder, async ({ caller, params, body, deps: joined }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(params.orderId) };
    const { amount, ...to } = body;
    const exact = amount === undefined ? undefined : toExact(amount);
    const order = await refundOrder(joined, { ...key, ...to, amount: exact, by: "merchant" });
    return ok(presentToKey(order, caller, deps));
  });
  register(ENDPOINTS.readOrder, async ({ caller, params }) => {
    const key = { merchantId: caller.merchant.id, orderId: BigInt(params.orderId) };
    return ok(presentToKey(await readOrder(deps, key), caller, deps));
  });
}

/** Registers the browser's calls on the session's one order. */
function registerCheckoutOrders(register: Register, deps: Deps): void {
  const answer = (view: OrderView) => ok(presentCheckoutOrder(view, deps));
  register(ENDPOINTS.placeOrder, async ({ caller, body }) =>
    answer(await placeOrRequote(deps, caller, body)),
  );
  register(ENDPOINTS.payOrder, async ({ caller, params, body }) =>
    answer(
      await payOrder(deps, {
        ...keyOf(caller, params.orderId),
        payment: toPayment(deps, body),
      }),
    ),
  );
  register(ENDPOINTS.cancelOrder, async ({ caller, params }) =>
    answer(await cancelOrder(deps, { ...keyOf(caller, params.orderId), by: "customer" })),
  );
  register(ENDPOINTS.keepRefundAddress, async ({ caller, params, body }) =>
    answer(
      await recordRefundAddress(deps, {
        ...keyOf(caller, params.orderId),
        to: body,
      }),
    ),
  );
  register(ENDPOINTS.mailOrder, async ({ caller, params, body }) => {
    await requestMails(deps, { ...keyOf(caller, params.orderId), ...body });
    return ok({ accepted: true } as const);
  });
  register(ENDPOINTS.readCheckoutOrder, async ({ caller, params }) =>
    answer(await readOrder(deps, keyOf(caller, params.orderId))),
  );
}

/** Registers the customer's answers to a price that moved, and to a card that was refused. */
function registerPriceAnswers(register: Register, deps: Deps): void {
  const answer = (view: OrderView) => ok(presentCheckoutOrder(view, deps));
  register(ENDPOINTS.offerPrice, async ({ caller, params }) =>
    ok(presentQuote(await offer(deps, caller, params.orderId), deps.catalogue())),
  );
  register(ENDPOINTS.acceptPrice, async ({ caller, params, body }) => {
    const command = { ...keyOf(caller, params.orderId), quoteId: body.quoteId };
    try {
      return answer(await acceptPrice(deps, command));
    } catch (error) {
      if (!(error instanceof QuoteExpired)) throw error;
      throw expiredWith(deps, await offer(deps, caller, params.orderId));
    }
  });
  register(ENDPOINTS.offerMethods, async ({ caller, params }) => {
    const key = { ...keyOf(caller, params.orderId), countryCode: customerCountry(caller) };
    const offers = await offerMethods(deps, { ...key, lock: caller.session.lock });
    return ok(offers.map((each) => presentOffer(each, deps.catalogue())));
  });
  register(ENDPOINTS.changeMethod, async ({ caller, params, body }) => {
    const { quoteId } = body;
    return answer(await changeMethod(deps, { ...keyOf(caller, params.orderId), quoteId }));
  });
  register(ENDPOINTS.declinePrice, async ({ caller, params }) =>
    answer(await declinePrice(deps, keyOf(caller, params.orderId))),
  );
}

const offer = (deps: Deps, caller: BrowserCaller, orderId: number): Promise<Quote> =>
  offerPrice(deps, { ...keyOf(caller, orderId), countryCode: customerCountry(caller) });

const expiredWith = (deps: Deps, quote: Quote): Refusal =>
  new Refusal("QUOTE_EXPIRED", { extra: { quote: presentQuote(quote, deps.catalogue()) } });

const keyOf = ({ session }: BrowserCaller, orderId: number) => ({
  merchantId: session.merchantId,
  sessionId: session.sessionId,
  orderId: BigInt(orderId),
});

function toPayment(deps: Pick<Deps, "catalogue">, request: PaymentRequest): PayOrder["payment"] {
  if (request.type !== "card") return request;
  const { billingAddress } = request;
  const { code } = requireCountry(deps.catalogue(), {
    code: billingAddress.countryCode,
    field: "billingAddress.countryCode",
  });
  const postalCode = billingAddress.postalCode.trim();
  if (postalCode === "" && hasPostalCodes(code)) {
    throw new Refusal("INVALID_INPUT", {
      message: `postalCode is empty. Addresses in ${code} have a postal code.`,
      details: [{ field: "billingAddress.postalCode", issue: "is empty" }],
    });
  }
  return { ...request, billingAddress: { ...billingAddress, postalCode, countryCode: code } };
}

/** Answers an expired quote with a new one for the same exchange and the amount that was asked for, ready to be accepted. */
async function placeOrRequote(
  deps: Deps,
  caller: BrowserCaller,
  request: RequestedOrder,
): Promise<OrderView> {
  requireActiveSession(caller);
  const { session, tokenJti } = caller;
  const { merchantId, sessionId } = session;
  // The page of an order has no token, and its session has its order.
  if (tokenJti === null) throw new Refusal("INSUFFICIENT_SCOPE");
  const command: PlaceOrder = { merchantId, sessionId, tokenJti, request, session };
  try {
    return await placeOrder(deps, command);
  } catch (error) {
    if (!(error instanceof QuoteExpired)) throw error;
    throw expiredWith(deps, await requote(deps, caller, error));
  }
}

async function requote(deps: Deps, caller: BrowserCaller, expired: QuoteExpired): Promise<Quote> {
  const { quote } = expired;
  const { askedReceive } = quote;
  const { session, merchant } = caller;
  return createQuote(deps, {
    merchantId: merchant.id,
    sessionId: session.sessionId,
    countryCode: customerCountry(caller),
    operation: quote.operation,
    spendCurrencyId: quote.spend.asset.id,
    receiveCurrencyId: quote.receive.asset.id,
    ...(askedReceive ? { receiveAmount: askedReceive } : { spendAmount: toDecimal(quote.spend) }),
    paymentMethodId: quote.paymentMethodId,
    deliveryMethodId: quote.deliveryMethodId,
  });
}

export function registerOrderList(register: Register, deps: Deps): void {
  register(ENDPOINTS.listOrders, async ({ caller, query }) => {
    const filter = toFilter(caller.merchant.id, query);
    const { items, last } = await listOrders(deps, filter, query.limit ?? PAGE_LIMIT_DEFAULT);
    return list(
      items.map((view) => presentToKey(view, caller, deps)),
      last && encodeCursor("orders", [last.createdAtMicros, last.id]),
    );
  });
}

const toFilter = (merchantId: string, query: OrdersQuery): OrderFilter => ({
  merchantId,
  status: query.status,
  operation: query.operationType && toOperation(query.operationType),
  sessionId: query.sessionId,
  createdFrom: query.createdFrom,
  createdTo: query.createdTo,
  after: query.cursor === undefined ? undefined : toPosition(query.cursor),
});

function toPosition(cursor: string): OrderPosition {
  const [createdAtMicros, id = 0n] = decodeCursor("orders", cursor);
  return { createdAtMicros, id };
}
