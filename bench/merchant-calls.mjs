import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";

// The very client of the service; its own call costs a load half of what fetch costs.
const require = createRequire(new URL("../apps/server/package.json", import.meta.url));
const { request } = require("undici");

const PLACE = "operationType=B&countryCode=DE";
/** A Bitcoin address whose checksum is right: the genesis block's. */
const WALLET = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
const CARD = {
  type: "card",
  card: {
    number: "4000000000002701",
    expiryMonth: 12,
    expiryYear: 2040,
    cvv: "123",
    holderName: "Ada Lovelace",
  },
  billingAddress: {
    line1: "Hauptstrasse 1",
    city: "Berlin",
    postalCode: "10115",
    countryCode: "DE",
  },
  frequency: "one_time",
};

/** Calls the API at `url` and gives the answer's data; throws what was refused. */
const callsOf =
  ({ url, headers }) =>
  async (method, path, body) => {
    const { statusCode, body: answer } = await request(url + path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text).data;
  };

/** What the merchant's server and its customers' browsers ask of the API to sell bitcoin for a card. */
export async function openMerchant({ url, headers }) {
  const call = callsOf({ url, headers });
  const exchange = await findExchange(call);
  return {
    addWebhookEndpoint: (address) => call("POST", "/webhook_endpoints", { url: address }),
    openSession: async () => {
      const sessionId = randomUUID();
      const { accessToken } = await call("POST", "/public_token/create", { sessionId });
      const browse = callsOf({ url, headers: { authorization: `Bearer ${accessToken}` } });
      return {
        sessionId,
        takeQuote: () => browse("POST", "/checkout/quotes", exchange),
        placeOrder: ({ quoteId }) =>
          browse("POST", "/checkout/orders", { quoteId, walletAddress: WALLET }),
        payByCard: (orderId) => browse("POST", `/checkout/orders/${orderId}/payments`, CARD),
      };
    },
  };
}

/** €100 for bitcoin by card, with the ids the catalogue gives. */
async function findExchange(call) {
  const currencies = await call("GET", `/exchange/currencies?${PLACE}`);
  const methods = await call("GET", `/payment-methods?${PLACE}`);
  const idOf = (items, reference) => items.find((item) => item.reference === reference).id;
  return {
    operationType: "B",
    baseCurrencyId: idOf(currencies.fiatCurrencies, "eur"),
    baseAmount: 100,
    targetCurrencyId: idOf(currencies.cryptoCurrencies, "btc"),
    paymentMethodId: idOf(methods, "card"),
  };
}
