import { randomUUID } from "node:crypto";
import {
  ENDPOINTS,
  type OrderData,
  type PaymentMethodItem,
  type QuoteData,
} from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import {
  BITCOIN_ADDRESS,
  browserWith,
  type Ok,
  openBrowser,
  placeOrder,
  takeQuote,
  wantedExchange,
} from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
} from "../../testing/http-world.ts";

let world: HttpWorld;
/** The service's clock is this far behind the database's, so its quotes are expired at once. */
let behindMs = 0;

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() - behindMs) };
  world = await makeHttpWorld({ deps: { clock } });
});
afterAll(() => world.close());

const newBrowser = (body: Record<string, unknown> = {}) => openBrowser(world, body);

test("one is placed in the documented shape, and read by its session and its merchant", async () => {
  const call = await newBrowser();
  const { quoteId } = await takeQuote(world, call);
  const payload = { quoteId, walletAddress: BITCOIN_ADDRESS };
  const placed = await call<Ok<OrderData>>("/orders", { payload });
  expect(placed.status).toBe(201);
  expect(faultsOf(ENDPOINTS.placeOrder, placed.body)).toEqual([]);
  const { orderId } = placed.body.data;
  const mine = await call<Ok<OrderData>>(`/orders/${orderId}`);
  expect(mine.body.data).toMatchObject({ orderId, status: "awaiting_payment" });
  const { headers } = world.shop;
  const theirs = await world.call<Ok<OrderData>>({ url: `/v1/orders/${orderId}`, headers });
  expect(faultsOf(ENDPOINTS.readOrder, theirs.body)).toEqual([]);
  const other = await world.addShop();
  const foreign = await world.call({ url: `/v1/orders/${orderId}`, headers: other.headers });
  expect(foreign.status).toBe(404);
});

test.each([
  ["card", 100],
  ["sepa", 100],
  ["wire", 500],
])(
  "one that is paid by %s waits as long as the list of methods says",
  async (reference, baseAmount) => {
    const call = await newBrowser({ customer: { countryCode: "DE" } });
    const listed = await call<Ok<PaymentMethodItem[]>>(
      "/payment-methods?operationType=B&countryCode=DE",
    );
    const method = found(listed.body.data.find((each) => each.reference === reference));
    const wanted = { ...wantedExchange(world), baseAmount, paymentMethodId: method.id };
    const quote = await call<Ok<QuoteData>>("/quotes", { payload: wanted });
    const payload = { quoteId: quote.body.data.quoteId, walletAddress: BITCOIN_ADDRESS };
    const { body } = await call<Ok<OrderData>>("/orders", { payload });
    const { createdAt, payment } = body.data;
    // Both are whole seconds of one moment of the database's clock.
    expect(Math.abs(payment.expiresAt - createdAt - method.paymentWindowSeconds)).toBeLessThan(2);
  },
);

test("another session's is not found", async () => {
  const { orderId } = await placeOrder(world, await newBrowser());
  const stranger = await newBrowser();
  for (const [url, options] of [
    [`/orders/${orderId}`, {}],
    [`/orders/${orderId}/cancel`, { method: "POST" }],
  ] as const) {
    const reply = await stranger(url, options);
    expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
  }
});

test("a used session is refused by every call that would start something new", async () => {
  const sessionId = randomUUID();
  const call = browserWith(world, await world.token({ sessionId }));
  const second = await takeQuote(world, call);
  const { orderId } = await placeOrder(world, call);
  const order = await call("/orders", {
    payload: { quoteId: second.quoteId, walletAddress: BITCOIN_ADDRESS },
  });
  expect([order.status, order.body.code]).toEqual([409, "SESSION_EXPIRED"]);
  expect(order.body.message).toContain("Restart the checkout");
  const nonsense = await call("/orders", { payload: { quoteId: "quo_none" } });
  expect([nonsense.status, nonsense.body.code]).toEqual([409, "SESSION_EXPIRED"]);
  const quote = await call("/quotes", { payload: wantedExchange(world) });
  expect([quote.status, quote.body.code]).toEqual([409, "SESSION_EXPIRED"]);
  const token = await world.call<ErrorReply>({
    method: "POST",
    url: "/v1/public_token/create",
    headers: world.shop.headers,
    payload: { sessionId },
  });
  expect([token.status, token.body.code]).toEqual([400, "SESSION_ALREADY_USED"]);
  expect(token.body.message).toContain("Restart the checkout");
  expect((await call(`/orders/${orderId}`)).status).toBe(200);
});

test.each([
  ["spend", 100, { baseAmount: 100 }],
  ["receive", 0.01, { baseAmount: undefined, targetAmount: 0.01 }],
] as const)(
  "an expired quote of an amount to %s is answered with a fresh one of that amount",
  async (side, amount, wanted) => {
    const call = await newBrowser();
    // The prices of a minute ago differ from those of now.
    behindMs = 60_000;
    const payload = { ...wantedExchange(world), ...wanted };
    const { quoteId, ...old } = (await call<Ok<QuoteData>>("/quotes", { payload })).body.data;
    behindMs = 0;
    const reply = await call<ErrorReply & { quote: QuoteData }>("/orders", {
      payload: { quoteId, walletAddress: BITCOIN_ADDRESS },
    });
    expect([reply.status, reply.body.code]).toEqual([409, "QUOTE_EXPIRED"]);
    const renewed = reply.body.quote[side].amount;
    expect(renewed).toBeGreaterThanOrEqual(amount);
    // A cent more to pay, which rounding may cost, brings less than this.
    expect(renewed - amount).toBeLessThan(0.000_001);
    expect(reply.body.quote.rate).not.toBe(old.rate);
    expect(
      faultsOf(ENDPOINTS.createQuote, { success: true, code: "ok", data: reply.body.quote }),
    ).toEqual([]);
    const accepted = { quoteId: reply.body.quote.quoteId, walletAddress: BITCOIN_ADDRESS };
    expect((await call("/orders", { payload: accepted })).status).toBe(201);
  },
);

test("one can be cancelled with an empty body, whatever its content type says", async () => {
  const call = await newBrowser();
  const { orderId } = await placeOrder(world, call);
  const reply = await call<Ok<OrderData>>(`/orders/${orderId}/cancel`, {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(200);
  expect(reply.body.data.status).toBe("cancelled");
});

test("a quote from before the merchant locked the session to something else is refused", async () => {
  const sessionId = randomUUID();
  const { quoteId } = await takeQuote(world, browserWith(world, await world.token({ sessionId })));
  const call = browserWith(
    world,
    await world.token({ sessionId, lock: { targetCurrency: "eth" } }),
  );
  const refused = await call("/orders", { payload: { quoteId, walletAddress: BITCOIN_ADDRESS } });
  expect(refused.body).toMatchObject({
    code: "INVALID_INPUT",
    details: [{ path: "body.quoteId" }],
  });
});

test("an address other than the one the merchant locked is refused", async () => {
  const call = await newBrowser({
    lock: { targetCurrency: "btc", walletAddress: BITCOIN_ADDRESS },
  });
  const { quoteId } = await takeQuote(world, call);
  const other = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const refused = await call("/orders", { payload: { quoteId, walletAddress: other } });
  expect(refused.body).toMatchObject({
    code: "INVALID_INPUT",
    details: [{ path: "body.walletAddress" }],
  });
  const placed = await call("/orders", { payload: { quoteId, walletAddress: BITCOIN_ADDRESS } });
  expect(placed.status).toBe(201);
});

test("a price sent along is refused, not ignored", async () => {
  const call = await newBrowser();
  const { quoteId } = await takeQuote(world, call);
  const payload = { quoteId, walletAddress: BITCOIN_ADDRESS, amount: 1 };
  const reply = await call("/orders", { payload });
  expect(reply.body).toMatchObject({
    code: "INVALID_INPUT",
    details: [{ path: "body.amount" }],
  });
});

test("a real card number is refused and never repeated", async () => {
  const call = await newBrowser();
  const { orderId } = await placeOrder(world, call);
  const number = "4111111111111111";
  const reply = await call(`/orders/${orderId}/payments`, {
    payload: {
      type: "card",
      card: { number, expiryMonth: 12, expiryYear: 2040, cvv: "123", holderName: "Ada" },
      billingAddress: { line1: "1", city: "T", postalCode: "1", countryCode: "CA" },
      frequency: "one_time",
    },
  });
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  expect(reply.body.message).toContain("Real cards must not be entered");
  expect(reply.text).not.toContain(number);
});
