import type { Json } from "./openapi-schemas.ts";

const QUOTE: Json = {
  spend: { amount: 100, currencyCode: "CAD", currencyReference: "cad" },
  transactionFee: { amount: 0.00004, currencyCode: "BTC" },
  receive: { amount: 0.00105, currencyCode: "BTC", currencyReference: "btc" },
  delivery: {
    fee: { amount: 0.00001, currencyCode: "BTC" },
    time: { minDays: 0, maxDays: 1 },
  },
  paymentMethod: { id: 1, name: "Credit or debit card", reference: "card" },
  receivePaymentMethod: { id: 2, name: "Cryptocurrency", reference: "crypto" },
  rate: 0.000011,
  quoteId: "quo_0123456789abcdef0123456789abcdef",
  expiresAt: 1_900_000_030,
  limits: { min: 20, max: 7500, currencyCode: "CAD" },
  fees: [{ type: "percentage", amount: 0.00004, currencyCode: "BTC" }],
};

const QUOTE_REQUEST: Json = {
  operationType: "B",
  baseCurrencyId: 124,
  baseAmount: 100,
  targetCurrencyId: 1001,
  paymentMethodId: 1,
};

const ORDER_ID = 1_785_392_000_042;
const ENDPOINT_ID = "019a3f0c-5d7e-7b2a-9c1d-4e5f60718293";

/** Values of parameters by name. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, Json>> = {
  operationType: "B",
  countryCode: "CA",
  includeDeliveryMethods: "true",
  walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
  currencyCode: "BTC",
  baseCurrency: "cad",
  targetCurrency: "btc",
  limit: 20,
  walletId: 7,
  orderId: ORDER_ID,
  sessionId: "cart-1001",
  endpointId: ENDPOINT_ID,
  deliveryId: "019a3f0c-6a11-7c3e-8f20-1b2c3d4e5f60",
};

/** Bodies that a reader can send: the ids are those of the built-in catalogue. */
export const REQUEST_EXAMPLES: Readonly<Record<string, Json>> = {
  createPublicToken: { sessionId: "cart-1001" },
  createQuote: QUOTE_REQUEST,
  createCheckoutQuote: QUOTE_REQUEST,
  refundOrder: { amount: 12.5 },
  saveWallet: {
    walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    currencyCode: "BTC",
    networkCode: "bitcoin",
  },
  advanceSandboxClock: { advanceSeconds: 3600 },
  paySandboxDeposit: { orderId: ORDER_ID },
  advanceSandboxOrder: { status: "completed" },
  plantWebhookFault: { fault: "corrupt_signature", deliveries: 1 },
  createWebhookEndpoint: {
    url: "https://shop.example/webhooks",
    eventTypes: ["OrderCreated", "OrderFulfillment"],
  },
  changeWebhookEndpoint: { enabled: true },
  rotateWebhookSecret: { overlapSeconds: 86_400 },
  testWebhookEndpoint: { eventType: "OrderFulfillment" },
  replayWebhookDeliveries: {
    endpointId: ENDPOINT_ID,
    createdFrom: 1_900_000_000,
    createdTo: 1_900_086_400,
    dryRun: true,
  },
  keepRefundAddress: { refundAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" },
  mailOrder: { email: "ada@example.com", kinds: ["link", "receipt"], language: "en" },
  acceptPrice: { quoteId: "quo_0123456789abcdef0123456789abcdef" },
  changeMethod: { quoteId: "quo_0123456789abcdef0123456789abcdef" },
  simulatePayment: { payment: "exact" },
  tokenizeCard: {
    card: {
      number: "4000000000002701",
      expiryMonth: 12,
      expiryYear: 2040,
      cvv: "123",
      holderName: "Ada Lovelace",
    },
  },
  placeOrder: {
    quoteId: "quo_0123456789abcdef0123456789abcdef",
    walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
  },
  payOrder: {
    type: "card",
    card: {
      number: "4000000000002701",
      expiryMonth: 12,
      expiryYear: 2040,
      cvv: "123",
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
};

export const RESPONSE_EXAMPLES: Readonly<Record<string, Json>> = {
  createPublicToken: {
    code: "OK",
    data: {
      accessToken: "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0.e30.c2lnbmF0dXJl",
      tokenType: "Bearer",
      expiresIn: 1800,
      expiresAt: 1_900_001_800,
      scope: ["merchant.read", "quote.create", "order.create", "order.read"],
      jti: "3f1d6a52-5bd2-4d2e-9a38-2f4f0f1f7c11",
    },
    message: "The public token was created.",
  },
  listPaymentMethods: {
    success: true,
    code: "ok",
    data: [{ id: 1, live: false, name: "Credit or debit card", reference: "card" }],
  },
  listCurrencies: {
    success: true,
    code: "ok",
    data: {
      cryptoCurrencies: [
        {
          id: 1001,
          code: "BTC",
          description: "Bitcoin",
          shortName: null,
          symbol: "₿",
          type: "C",
          reference: "btc",
          decimals: 8,
          networkCode: "bitcoin",
          networkName: "Bitcoin",
          memo: "none",
        },
      ],
      fiatCurrencies: [
        {
          id: 124,
          code: "CAD",
          description: "Canadian dollar",
          shortName: "Canadian dollar",
          symbol: "CA$",
          type: "F",
          reference: "cad",
          decimals: 2,
          networkCode: null,
          networkName: null,
          memo: "none",
        },
      ],
    },
  },
  createQuote: { success: true, code: "ok", data: QUOTE },
  createCheckoutQuote: { success: true, code: "ok", data: QUOTE },
};
