import type {
  CheckoutOrderData,
  CheckoutSession,
  CurrencyItem,
  DeliveryMethodItem,
  OperationType,
  PaymentInstructions,
  PaymentMethodItem,
  QuoteData,
} from "@exchange/contract";
import type { Effect } from "./effects.ts";
import type { CheckoutEvent } from "./events.ts";
import { type Catalogue, openChoosing } from "./open.ts";
import { reduce } from "./reduce.ts";
import type { CardDraft, CheckoutState, Choosing, Stage } from "./state.ts";

/** The state after some events. */
export const replay = (stage: Stage, ...events: readonly CheckoutEvent[]): CheckoutState =>
  events.reduce<CheckoutState>((state, event) => reduce(state, event).state, {
    stage,
    exit: "none",
  });

/** The effects of one event. */
export const effectsOf = (stage: Stage, event: CheckoutEvent): readonly Effect[] =>
  reduce({ stage, exit: "none" }, event).effects;

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
  offersMail: false,
  unservedCountries: ["KP"],
  slippagePercent: 0.1,
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

type MethodNames = Pick<PaymentMethodItem, "id" | "name" | "reference" | "type">;

const makeMethod = (names: MethodNames): PaymentMethodItem => ({
  ...names,
  live: false,
  paymentWindowSeconds: 1_800,
});

export const makeDelivery = (
  change: Partial<DeliveryMethodItem> & { id: number; reference: string },
): DeliveryMethodItem => ({
  live: false,
  name: change.reference,
  type: "bank_transfer",
  currencyCodes: null,
  fee: { percent: 0, fixed: 0, currencyCode: "EUR" },
  time: { minDays: 0, maxDays: 2 },
  requiredFields: [],
  ...change,
});

/** A card form that can be sent. */
export const CARD: CardDraft = {
  number: "4000000000002701",
  expiry: "12/30",
  code: "123",
  holderName: "A",
  postalCode: "2",
  countryCode: "DE",
};

const IBAN_FIELD = { name: "iban", label: "IBAN", pattern: "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$" };
const CARD_FIELD = { name: "cardToken", label: "Debit card", pattern: "^[A-Za-z0-9_-]{8,128}$" };

const DELIVERIES = [
  makeDelivery({
    id: 13,
    reference: "wire",
    currencyCodes: ["EUR"],
    fee: { percent: 0, fixed: 25, currencyCode: "EUR" },
  }),
  makeDelivery({
    id: 2,
    reference: "sepa",
    currencyCodes: ["EUR"],
    requiredFields: [IBAN_FIELD],
  }),
  makeDelivery({
    id: 14,
    reference: "card_push",
    type: "card_push",
    currencyCodes: ["EUR", "JPY"],
    fee: { percent: 1.5, fixed: 0.5, currencyCode: "EUR" },
    requiredFields: [CARD_FIELD],
  }),
];

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
    makeMethod({ id: 1, name: "Card", reference: "card", type: "card" }),
    makeMethod({ id: 2, name: "SEPA", reference: "sepa", type: "bank_transfer" }),
  ],
};

/** The same currencies, with the payment and delivery methods of an operation. */
export const catalogueFor = (operation: OperationType): Catalogue => {
  if (operation === "B") return CATALOGUE;
  const crypto = makeMethod({ id: 3, name: "Cryptocurrency", reference: "crypto", type: "crypto" });
  const paid = operation === "FF" ? CATALOGUE.methods : [crypto];
  const deliveryMethods = operation === "CC" ? [] : DELIVERIES;
  return { ...CATALOGUE, methods: paid.map((method) => ({ ...method, deliveryMethods })) };
};

export const makeChoosing = (change: Partial<Choosing> = {}): Choosing => openAs("B", change);

/** The first screen of an operation. */
export function openAs(operation: OperationType, change: Partial<Choosing> = {}): Choosing {
  const session = makeSession({ operationTypes: ["B", "S", "CC", "FF"] });
  const options = { baseAmount: 100 };
  const opening = { session, options, operation, locale: "en" };
  const choosing = openChoosing(opening, catalogueFor(operation));
  if (!choosing) throw new Error("the test catalogue offers nothing");
  return { ...choosing, card: CARD, ...change };
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
  receipt: {
    currencyCode: "EUR",
    value: 100,
    exchangeFee: 0,
    deliveryFee: 0,
    spread: 0,
    total: 0,
    spreadPercent: 0,
  },
  ...change,
});

export const makeOrder = (change: Partial<CheckoutOrderData> = {}): CheckoutOrderData => ({
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
  payment: makePayment(),
  delivery: {
    type: "on_chain",
    walletAddress: "bc1q",
    networkCode: "bitcoin",
    memo: null,
    transactionHash: null,
    explorerUrl: null,
    confirmations: 0,
    confirmationsRequired: 1,
    reference: null,
    fields: [],
  },
  refunds: [],
  refundAddress: null,
  requestedRefundAddress: null,
  timeline: [],
  customerUrl: "https://pay.example.com/o/secret",
  createdAt: 1_000,
  updatedAt: 1_000,
  ...change,
});

export const makePayment = (
  change: Partial<CheckoutOrderData["payment"]> = {},
): CheckoutOrderData["payment"] => ({
  type: "card",
  outcome: "unpaid",
  attemptsLeft: 5,
  expiresAt: 2_000_000_000,
  attempt: null,
  instructions: null,
  received: 0,
  deposits: [],
  ...change,
});

/** The payment of an order whose newest attempt has this status. */
export const makeAttempt = (status: "processing" | "challenge" | "declined" | "captured") =>
  makePayment({
    attemptsLeft: 4,
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

/** The instructions of an order that is not paid by card. */
export const makeInstructions = (type: PaymentInstructions["type"]): PaymentInstructions => ({
  type,
  amount: 100,
  currencyCode: "EUR",
  currencyReference: "eur",
  networkCode: null,
  networkName: null,
  walletAddress: null,
  memo: null,
  paymentUri: null,
  reference: "EX-77",
  account: [{ label: "IBAN", value: "DE89370400440532013000" }],
  confirmationsRequired: 0,
  expiresAt: 2_000_000_000,
});
