import type {
  CurrencyItem,
  ExchangeCurrencies,
  OrderData,
  PaymentMethodItem,
  QuoteData,
} from "@exchange/contract";
import { vi } from "vitest";
import { type Answer, type Call, call } from "../http/api.ts";
import type { Service } from "../service/service.ts";
import { createToken, type Merchant, merchantCall, newSessionId } from "./merchant.ts";

export interface Ok<Data> {
  readonly success: boolean;
  readonly code: string;
  readonly data: Data;
}

/** The exchange that the tests buy, with the catalogue's ids that a merchant reads. */
export interface BuyChoice {
  readonly base: CurrencyItem;
  readonly target: CurrencyItem;
  readonly card: PaymentMethodItem;
}

export const CARDS = {
  visa: "4000000000002701",
  mastercard: "5200000000002235",
  amex: "340000000002708",
} as const;

/** A Bitcoin mainnet address whose checksum is right (the genesis block's). */
export const BITCOIN_ADDRESS = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

const find = <Item>(items: readonly Item[], test: (item: Item) => boolean): Item => {
  const found = items.find(test);
  if (found === undefined) throw new Error("the catalogue does not have what the tests buy");
  return found;
};

export async function buyChoice(service: Service, merchant: Merchant): Promise<BuyChoice> {
  const query = "operationType=B&countryCode=CA";
  const currencies = await merchantCall<Ok<ExchangeCurrencies>>(service, merchant, {
    path: `/v1/exchange/currencies?${query}`,
  });
  const methods = await merchantCall<Ok<PaymentMethodItem[]>>(service, merchant, {
    path: `/v1/payment-methods?${query}`,
  });
  const { cryptoCurrencies, fiatCurrencies } = currencies.body.data;
  return {
    base: find(fiatCurrencies, (item) => item.code === "CAD"),
    target: find(cryptoCurrencies, (item) => item.code === "BTC"),
    card: find(methods.body.data, (item) => item.reference === "card"),
  };
}

/** An address on the sandbox's list of sanctioned ones. */
export const SANCTIONED_ADDRESS = "bc1qtdd4kk6mtdd4kk6mtdd4kk6mtdd4kk6mfah9kr";

/** A customer's browser in one session: the calls the popup makes. */
export interface Customer {
  readonly sessionId: string;
  readonly token: string;
  call<Body = unknown>(request: Call): Promise<Answer<Body>>;
}

export async function startSession(
  service: Service,
  merchant: Merchant,
  sessionId = newSessionId(),
  lock: object = {},
): Promise<Customer> {
  const created = await createToken(service, merchant, { sessionId, lock });
  if (created.status !== 201) throw new Error(`no token: ${created.text}`);
  return customerWith(service, sessionId, created.body.data.accessToken);
}

export const customerWith = (service: Service, sessionId: string, token: string): Customer => ({
  sessionId,
  token,
  call: (request) =>
    call(service, {
      ...request,
      headers: { authorization: `Bearer ${token}`, ...request.headers },
    }),
});

export async function takeQuote(
  customer: Customer,
  choice: BuyChoice,
  baseAmount = 100,
): Promise<QuoteData> {
  const answer = await customer.call<Ok<QuoteData>>({
    method: "POST",
    path: "/v1/checkout/quotes",
    body: {
      operationType: "B",
      baseCurrencyId: choice.base.id,
      baseAmount,
      targetCurrencyId: choice.target.id,
      paymentMethodId: choice.card.id,
    },
  });
  if (answer.status !== 200) throw new Error(`no quote: ${answer.text}`);
  return answer.body.data;
}

export const placeOrder = (
  customer: Customer,
  quoteId: string,
  details: Readonly<Record<string, unknown>> = { walletAddress: BITCOIN_ADDRESS },
): Promise<Answer<Ok<OrderData>>> =>
  customer.call({ method: "POST", path: "/v1/checkout/orders", body: { quoteId, ...details } });

export const payByCard = (
  customer: Customer,
  orderId: number,
  number: string,
): Promise<Answer<Ok<OrderData>>> =>
  customer.call({
    method: "POST",
    path: `/v1/checkout/orders/${orderId}/payments`,
    body: {
      type: "card",
      card: {
        number,
        expiryMonth: 12,
        expiryYear: 2040,
        cvv: number.startsWith("3") ? "1234" : "123",
        holderName: "Ada Lovelace",
      },
      billingAddress: {
        line1: "1 Main Street",
        city: "Toronto",
        postalCode: "M5V 2T6",
        countryCode: "CA",
      },
      frequency: "one_time",
    },
  });

export const readOrder = (customer: Customer, orderId: number): Promise<Answer<Ok<OrderData>>> =>
  customer.call({ path: `/v1/checkout/orders/${orderId}` });

/** An order that awaits its payment, with the customer of its session. */
export interface PlacedOrder {
  readonly customer: Customer;
  readonly orderId: number;
}

/** Places an order in a new session of the merchant. */
export async function startOrder(
  service: Service,
  merchant: Merchant,
  choice: BuyChoice,
): Promise<PlacedOrder> {
  const customer = await startSession(service, merchant);
  const { quoteId } = await takeQuote(customer, choice);
  const placed = await placeOrder(customer, quoteId);
  if (placed.status !== 201) throw new Error(`no order: ${placed.text}`);
  return { customer, orderId: placed.body.data.orderId };
}

/** Places an order in a new session, pays it by card, and waits until it is completed. */
export async function buy(
  service: Service,
  merchant: Merchant,
  choice: BuyChoice,
): Promise<PlacedOrder> {
  const placed = await startOrder(service, merchant, choice);
  const paid = await payByCard(placed.customer, placed.orderId, CARDS.visa);
  if (paid.status !== 201) throw new Error(`no payment: ${paid.text}`);
  await orderWithStatus(placed.customer, placed.orderId, "completed");
  return placed;
}

/** Waits until the order has the status, and returns the order. */
export const orderWithStatus = (
  customer: Customer,
  orderId: number,
  status: OrderData["status"],
): Promise<OrderData> =>
  vi.waitUntil(
    async () => {
      const answer = await readOrder(customer, orderId);
      // A busy service may refuse a reading, which is then repeated.
      if (answer.status === 503) return undefined;
      const { data } = answer.body;
      return data.status === status ? data : undefined;
    },
    { timeout: 60_000 },
  );
