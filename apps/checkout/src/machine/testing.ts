import type { CheckoutSession, CurrencyItem, OrderData, QuoteData } from "@exchange/contract";
import { type Catalogue, openChoosing } from "./open.ts";
import type { Choosing } from "./state.ts";

/** Builders for tests: a plausible checkout, changed where a test cares. */
export const makeSession = (change: Partial<CheckoutSession> = {}): CheckoutSession => ({
  sessionId: "cart-1",
  status: "active",
  environment: "dev",
  expiresAt: 2_000_000_000,
  scope: ["order.read"],
  merchant: { name: "Northwind Tea", logoUrl: null, primaryColor: null },
  operationTypes: ["B"],
  countryCode: "DE",
  defaults: { baseCurrency: "eur", targetCurrency: "btc" },
  lock: {},
  customer: {},
  returnUrl: null,
  locale: null,
  orderId: null,
  testCards: [{ number: "4000000000002701", brand: "Visa", outcome: "approved" }],
  ...change,
});

export const makeCurrency = (change: Partial<CurrencyItem> & { id: number; code: string }) => ({
  description: change.code,
  shortName: null,
  symbol: change.code,
  type: "C" as const,
  reference: change.code.toLowerCase(),
  decimals: 8,
  networkCode: null,
  networkName: null,
  memo: "none" as const,
  ...change,
});

export const CATALOGUE: Catalogue = {
  currencies: {
    fiatCurrencies: [
      makeCurrency({ id: 1, code: "EUR", type: "F", decimals: 2 }),
      makeCurrency({ id: 2, code: "JPY", type: "F", decimals: 0 }),
    ],
    cryptoCurrencies: [
      makeCurrency({ id: 101, code: "BTC", networkCode: "bitcoin" }),
      makeCurrency({ id: 102, code: "USDT", reference: "usdt-ethereum", networkCode: "ethereum" }),
      makeCurrency({ id: 103, code: "USDT", reference: "usdt-tron", networkCode: "tron" }),
    ],
  },
  methods: [
    { id: 1, live: false, name: "Card", reference: "card", type: "card" },
    { id: 2, live: false, name: "SEPA", reference: "sepa", type: "bank_transfer" },
  ],
};

export function makeChoosing(change: Partial<Choosing> = {}): Choosing {
  const opening = { session: makeSession(), options: {}, operation: "B", locale: "en" } as const;
  const choosing = openChoosing(opening, CATALOGUE);
  if (!choosing) throw new Error("the test catalogue offers nothing");
  return { ...choosing, ...change };
}

export const makeQuote = (receive: number, change: Partial<QuoteData> = {}): QuoteData => ({
  spend: { amount: 100, currencyCode: "EUR", currencyReference: "eur" },
  transactionFee: { amount: 0, currencyCode: "BTC" },
  receive: { amount: receive, currencyCode: "BTC", currencyReference: "btc" },
  delivery: { fee: { amount: 0, currencyCode: "BTC" }, time: { minDays: null, maxDays: null } },
  paymentMethod: { id: 1, name: "Card", reference: "card" },
  receivePaymentMethod: { id: 9, name: "Crypto", reference: "crypto" },
  rate: 0.0000166666666667,
  quoteId: `quote-${receive}`,
  expiresAt: 1_000,
  limits: { min: 20, max: 5000, currencyCode: "EUR" },
  fees: [],
  ...change,
});

export const makeOrder = (change: Partial<OrderData> = {}): OrderData => ({
  orderId: 77,
  sessionId: "cart-1",
  status: "awaiting_payment",
  statusReason: null,
  fulfilled: false,
  operationType: "B",
  paymentMethod: "Card",
  totalPrice: 100,
  totalPriceCurrency: "EUR",
  exchangeDetails: {
    baseCurrency: "EUR",
    amountReceived: 100,
    targetCurrency: "BTC",
    amountToSend: 0.0016,
    operationType: "B",
  },
  quote: makeQuote(0.0016),
  payment: { type: "card", attemptsLeft: 5, expiresAt: 2_000_000_000, attempt: null },
  delivery: {
    type: "on_chain",
    walletAddress: "bc1q",
    networkCode: "bitcoin",
    memo: null,
    transactionHash: null,
    explorerUrl: null,
    confirmations: 0,
    confirmationsRequired: 1,
  },
  metadata: {},
  timeline: [],
  createdAt: 1_000,
  updatedAt: 1_000,
  ...change,
});

/** An order whose newest payment attempt stands at this status. */
export const makeAttempt = (status: "processing" | "challenge" | "declined" | "captured") => ({
  type: "card",
  attemptsLeft: 4,
  expiresAt: 2_000_000_000,
  attempt: {
    number: 1,
    status,
    brand: "visa",
    lastFour: "2701",
    declineReason: null,
    challengeUrl: null,
    threeDSecure: null,
  },
});
