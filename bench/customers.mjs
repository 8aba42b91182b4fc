import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { summaryOf } from "./load.mjs";

// The HTTP client that the service itself uses: a call costs half of what fetch costs.
const { Agent, request } = createRequire(new URL("../apps/server/package.json", import.meta.url))(
  "undici",
);

const QUERY = "operationType=B&countryCode=DE";
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
/** A measurement begins after this time and after the first order was completed. */
const WARM_UP_MS = 1_500;
/** An order has two webhooks: it was created, it was fulfilled. */
const WEBHOOKS_PER_ORDER = 2;

/** Returns a function that calls the API and returns the answer's data. It throws what was refused. */
const makeCaller =
  ({ url, headers, dispatcher }) =>
  async (method, path, body) => {
    const { statusCode, body: answer } = await request(url + path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(dispatcher && { dispatcher }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${text}`);
    return text === "" ? undefined : JSON.parse(text).data;
  };

/** Returns the body of a quote of €100 for bitcoin by card, with the ids of the catalogue. */
export async function findExchange({ url, headers }) {
  const call = makeCaller({ url, headers });
  const currencies = await call("GET", `/exchange/currencies?${QUERY}`);
  const methods = await call("GET", `/payment-methods?${QUERY}`);
  const idOf = (items, reference) => items.find((item) => item.reference === reference).id;
  return {
    operationType: "B",
    baseCurrencyId: idOf(currencies.fiatCurrencies, "eur"),
    baseAmount: 100,
    targetCurrencyId: idOf(currencies.cryptoCurrencies, "btc"),
    paymentMethodId: idOf(methods, "card"),
  };
}

/** The calls that a merchant's server and its customers' browsers make to sell bitcoin for a card. */
export async function openMerchant({ url, headers, dispatcher }) {
  const call = makeCaller({ url, headers, dispatcher });
  const exchange = await findExchange({ url, headers });
  return {
    call,
    openSession: async () => {
      const sessionId = randomUUID();
      const { accessToken } = await call("POST", "/public_token/create", { sessionId });
      const token = { authorization: `Bearer ${accessToken}` };
      const browse = makeCaller({ url, headers: token, dispatcher });
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

/**
 * Customers who buy bitcoin by card. Each places its next order when the merchant has got both webhooks of the last
 * one. `buy` returns the orders that were completed, each with the time from its placement to its last webhook.
 * `perSecond` bounds the rate of all customers together.
 */
export async function startCustomers({ url, headers }) {
  const dispatcher = new Agent({ connections: 64, pipelining: 1 });
  const fulfilment = makeFulfilment();
  await new Promise((resolve) => fulfilment.receiver.listen(0, "127.0.0.1", resolve));
  const merchant = await openMerchant({ url, headers, dispatcher });
  const address = `http://127.0.0.1:${fulfilment.receiver.address().port}/`;
  const { id } = await merchant.call("POST", "/webhook_endpoints", { url: address });
  return {
    buy: (wanted) => buy({ merchant, fulfilment }, wanted),
    stop: async () => {
      await merchant.call("DELETE", `/webhook_endpoints/${id}`);
      fulfilment.receiver.closeAllConnections();
      fulfilment.receiver.close();
      await dispatcher.destroy();
    },
  };
}

/** A receiver that counts the webhooks of each session; the last one ends the wait for it. */
function makeFulfilment() {
  const sessions = new Map();
  const receiver = createServer((incoming, response) => {
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      response.writeHead(204).end();
      const { sessionId } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const session = sessions.get(sessionId);
      if (session === undefined) return;
      session.webhooks += 1;
      if (session.webhooks === WEBHOOKS_PER_ORDER) session.end();
    });
  });
  receiver.keepAliveTimeout = 60_000;
  const wait = (sessionId) =>
    new Promise((resolve) => {
      const end = () => {
        sessions.delete(sessionId);
        resolve();
      };
      sessions.set(sessionId, { webhooks: 0, end });
    });
  return { receiver, wait };
}

/** @returns {Promise<import("./load.mjs").Load & { orderIds: number[] }>} */
async function buy({ merchant, fulfilment }, { customers, seconds, perSecond }) {
  const pauseMs = perSecond === undefined ? 0 : (customers * 1_000) / perSecond;
  const run = { pauseMs, isOver: false, isMeasured: false, latenciesMs: [], orderIds: [] };
  const firstOrder = new Promise((resolve) => {
    run.onOrder = resolve;
  });
  const loops = Array.from({ length: customers }, () => keepBuying({ merchant, fulfilment }, run));
  const all = Promise.all(loops);
  await Promise.race([Promise.all([sleep(WARM_UP_MS), firstOrder]), all]);
  run.isMeasured = true;
  const startedAt = performance.now();
  await Promise.race([sleep(seconds * 1_000), all]);
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  const summary = summaryOf(run.latenciesMs, elapsedSeconds);
  run.isMeasured = false;
  run.isOver = true;
  await all;
  return { ...summary, orderIds: run.orderIds };
}

async function keepBuying({ merchant, fulfilment }, run) {
  while (!run.isOver) {
    const due = sleep(run.pauseMs);
    const session = await merchant.openSession();
    const fulfilled = fulfilment.wait(session.sessionId);
    const quote = await session.takeQuote();
    const placedAt = performance.now();
    const { orderId } = await session.placeOrder(quote);
    await session.payByCard(orderId);
    await fulfilled;
    run.orderIds.push(orderId);
    run.onOrder();
    if (run.isMeasured) run.latenciesMs.push(performance.now() - placedAt);
    if (run.pauseMs > 0) await due;
  }
}
