import { randomUUID } from "node:crypto";
import { ENDPOINTS, type OrderData, type QuoteData } from "@exchange/contract";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeKeyLine, parseKeyRing } from "../secrets/key-ring.ts";
import { createTokenSigner } from "../secrets/tokens.ts";
import { type ErrorReply, faultsOf, type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";

const BITCOIN = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

let world: HttpWorld;
let wanted: Record<string, unknown>;
/** How far the service's clock is behind the database's: what it quotes then is expired. */
let behindMs = 0;

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() - behindMs) };
  world = await makeHttpWorld({ deps: { clock } });
  const catalogue = world.deps.catalogue();
  wanted = {
    operationType: "B",
    baseCurrencyId: catalogue.currencyByCodeOrReference("eur")?.id,
    baseAmount: 100,
    targetCurrencyId: catalogue.currencyByCodeOrReference("btc")?.id,
    paymentMethodId: catalogue.paymentMethodByReference("card")?.id,
  };
});
afterAll(() => world.close());

interface Ok<Data> {
  readonly success: boolean;
  readonly code: string;
  readonly data: Data;
}

/** A browser that holds a token. */
const browser =
  (token: string) =>
  <Body = ErrorReply>(url: string, options: InjectOptions = {}) =>
    world.call<Body>({
      ...options,
      method: options.payload ? "POST" : (options.method ?? "GET"),
      url: `/v1/checkout${url}`,
      headers: { authorization: `Bearer ${token}`, ...options.headers },
    });

const newBrowser = async (body: Record<string, unknown> = {}) => browser(await world.token(body));

async function takeQuote(call: ReturnType<typeof browser>): Promise<QuoteData> {
  const reply = await call<Ok<QuoteData>>("/quotes", { payload: wanted });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.data;
}

async function placeOrder(call: ReturnType<typeof browser>): Promise<OrderData> {
  const { quoteId } = await takeQuote(call);
  const payload = { quoteId, walletAddress: BITCOIN };
  const reply = await call<Ok<OrderData>>("/orders", { payload });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.data;
}

describe("tokens that are refused", () => {
  const forged = (header: object, claims: object): string =>
    [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");

  test.each([
    ["none", ""],
    ["nonsense", "Bearer nonsense"],
    ["another scheme", "Basic dXNlcjpwYXNz"],
    ["alg none", `Bearer ${forged({ alg: "none" }, { sub: "client_dev_X", sid: "s" })}.`],
    ["a key id that is a path", `Bearer ${forged({ alg: "HS256", kid: "../../dev/null" }, {})}.AA`],
    ["a header of 5,000 characters", `Bearer ${"a".repeat(5000)}`],
  ])("%s", async (_name, authorization) => {
    const reply = await world.call<ErrorReply>({
      url: "/v1/checkout/session",
      headers: authorization ? { authorization } : {},
    });
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_INVALID"]);
  });

  test("a tampered one", async () => {
    const [header, , signature] = (await world.token()).split(".");
    const claims = Buffer.from(JSON.stringify({ sub: world.shop.clientId, sid: "other" }));
    const token = [header, claims.toString("base64url"), signature].join(".");
    const reply = await browser(token)("/session");
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_INVALID"]);
  });

  const claimsOf = (expiresAt: number) => ({
    merchantId: world.shop.clientId,
    sessionId: "signed",
    scope: ["merchant.read"],
    jti: randomUUID(),
    issuedAt: 1,
    expiresAt,
  });

  test("one that has run out says so", async () => {
    const reply = await browser(world.deps.tokens.sign(claimsOf(2)))("/session");
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_EXPIRED"]);
  });

  test("one that another environment signed, even with the same key", async () => {
    const line = makeKeyLine("k1");
    const sign = (environment: string) =>
      createTokenSigner({ ring: parseKeyRing(line), environment, now: () => new Date() });
    const dev = await makeHttpWorld({ deps: { tokens: sign("dev") } });
    const reply = await dev.call<ErrorReply>({
      url: "/v1/checkout/session",
      headers: { authorization: `Bearer ${sign("staging").sign(claimsOf(9_999_999_999))}` },
    });
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_INVALID"]);
    await dev.close();
  });

  test("a well signed one of a session that does not exist", async () => {
    const reply = await browser(world.deps.tokens.sign(claimsOf(9_999_999_999)))("/session");
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_INVALID"]);
  });

  test("merchant credentials open no browser route", async () => {
    const { headers } = world.shop;
    const reply = await world.call<ErrorReply>({ url: "/v1/checkout/session", headers });
    expect(reply.status).toBe(401);
  });
});

describe("origins", () => {
  test.each([
    ["the checkout's own", "http://localhost:8080", 200],
    ["the host the browser used, in a sandbox", "http://localhost:80", 200],
    ["the same host on another port", "http://localhost:81", 403],
    ["the shop's page", "https://shop.example", 403],
    ["an opaque one", "null", 403],
    ["a look-alike", "http://localhost:8080.evil.example", 403],
  ])("%s", async (_name, origin, status) => {
    const call = await newBrowser();
    const reply = await call("/session", { headers: { origin } });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.body.code).toBe("ORIGIN_NOT_ALLOWED");
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("the session", () => {
  test("tells the popup what it needs, in the documented shape", async () => {
    const call = await newBrowser({
      customer: { firstName: "Ada", countryCode: "fr" },
      returnUrl: "https://shop.example/done",
      locale: "de-CH",
    });
    const reply = await call<Ok<Record<string, unknown>>>("/session");
    expect(faultsOf(ENDPOINTS.readCheckoutSession, reply.body)).toEqual([]);
    expect(reply.body.data).toMatchObject({
      status: "active",
      environment: "dev",
      operationTypes: ["B"],
      countryCode: "FR",
      customer: { firstName: "Ada", countryCode: "FR" },
      returnUrl: "https://shop.example/done",
      locale: "de-CH",
      lock: {},
      orderId: null,
    });
  });

  test("lists currencies, methods and addresses as the merchant sees them", async () => {
    const call = await newBrowser();
    const query = "operationType=B&countryCode=CA&includeDeliveryMethods=true";
    for (const [mine, theirs] of [
      ["/currencies", "/v1/exchange/currencies"],
      ["/payment-methods", "/v1/payment-methods"],
    ] as const) {
      const browserReply = await call(`${mine}?${query}`);
      const { headers } = world.shop;
      const merchantReply = await world.call({ url: `${theirs}?${query}`, headers });
      expect(browserReply.status).toBe(200);
      expect(browserReply.text).toBe(merchantReply.text);
    }
    const lookup = await call(`/wallets/lookup?walletAddress=${BITCOIN}&currencyCode=btc`);
    expect(faultsOf(ENDPOINTS.lookUpCheckoutWallet, lookup.body)).toEqual([]);
    expect(lookup.body).toMatchObject({ data: { success: true, wallet: null } });
  });
});

describe("quotes", () => {
  test("are stored, and answer in the documented shape", async () => {
    const call = await newBrowser();
    const reply = await call<Ok<QuoteData>>("/quotes", { payload: wanted });
    expect(faultsOf(ENDPOINTS.createCheckoutQuote, reply.body)).toEqual([]);
    expect(reply.body.data.quoteId).toMatch(/^quo_[0-9a-f]{32}$/);
  });

  test("may name the amount to receive", async () => {
    const call = await newBrowser();
    const { baseAmount: _, ...rest } = wanted;
    const payload = { ...rest, targetAmount: 0.002 };
    const reply = await call<Ok<QuoteData>>("/quotes", { payload });
    expect(reply.body.data.receive.amount).toBeCloseTo(0.002, 6);
  });

  test.each([
    ["both amounts", { targetAmount: 1 }],
    ["no amount", { baseAmount: undefined }],
  ])("%s is refused", async (_name, changes) => {
    const call = await newBrowser();
    const reply = await call("/quotes", { payload: { ...wanted, ...changes } });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  });

  test.each([
    ["the operation", { operationType: "S" }, "body.operationType"],
    ["the currency to spend", { baseCurrency: "usd" }, "body.baseCurrencyId"],
    ["the currency to receive", { targetCurrency: "eth" }, "body.targetCurrencyId"],
    ["the payment method", { paymentMethod: "sepa" }, "body.paymentMethodId"],
    ["the amount", { baseAmount: 99 }, "body.baseAmount"],
  ])("that contradict %s the merchant locked are refused", async (_name, lock, path) => {
    const call = await newBrowser({ lock });
    const reply = await call("/quotes", { payload: wanted });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(reply.body.details?.[0]?.path).toBe(path);
    expect(reply.body.message).toMatch(/^The merchant fixed .+\.$/);
  });

  test("that agree with the lock are given", async () => {
    const lock = {
      operationType: "B",
      baseCurrency: "EUR",
      baseAmount: 100,
      paymentMethod: "card",
    };
    const call = await newBrowser({ lock });
    expect((await call("/quotes", { payload: wanted })).status).toBe(200);
  });

  test("over REST are indicative: no order can name them", async () => {
    const reply = await world.call<Ok<QuoteData>>({
      method: "POST",
      url: "/v1/exchange/quotes",
      headers: world.shop.headers,
      payload: wanted,
    });
    expect(faultsOf(ENDPOINTS.createQuote, reply.body)).toEqual([]);
    const call = await newBrowser();
    const { quoteId } = reply.body.data;
    const order = await call("/orders", { payload: { quoteId, walletAddress: BITCOIN } });
    expect([order.status, order.body.code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("orders", () => {
  test("one is placed in the documented shape, and read by its session and its merchant", async () => {
    const call = await newBrowser();
    const { quoteId } = await takeQuote(call);
    const payload = { quoteId, walletAddress: BITCOIN };
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

  test("another session's is not found", async () => {
    const { orderId } = await placeOrder(await newBrowser());
    const stranger = await newBrowser();
    for (const [url, options] of [
      [`/orders/${orderId}`, {}],
      [`/orders/${orderId}/cancel`, { method: "POST" }],
    ] as const) {
      const reply = await stranger(url, options);
      expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
    }
  });

  test("a used session is told to restart from the shop, by every call that would start anew", async () => {
    const sessionId = randomUUID();
    const call = browser(await world.token({ sessionId }));
    const second = await takeQuote(call);
    const { orderId } = await placeOrder(call);
    const order = await call("/orders", {
      payload: { quoteId: second.quoteId, walletAddress: BITCOIN },
    });
    expect([order.status, order.body.code]).toEqual([409, "SESSION_EXPIRED"]);
    expect(order.body.message).toContain("Restart the checkout");
    const quote = await call("/quotes", { payload: wanted });
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

  test("an expired quote is answered with a fresh one for the same exchange", async () => {
    const call = await newBrowser();
    behindMs = 60_000;
    const { quoteId } = await takeQuote(call);
    behindMs = 0;
    const reply = await call<ErrorReply & { quote: QuoteData }>("/orders", {
      payload: { quoteId, walletAddress: BITCOIN },
    });
    expect([reply.status, reply.body.code]).toEqual([409, "QUOTE_EXPIRED"]);
    expect(
      faultsOf(ENDPOINTS.createQuote, { success: true, code: "ok", data: reply.body.quote }),
    ).toEqual([]);
    const payload = { quoteId: reply.body.quote.quoteId, walletAddress: BITCOIN };
    expect((await call("/orders", { payload })).status).toBe(201);
  });

  test("one can be cancelled with an empty body, whatever its content type says", async () => {
    const call = await newBrowser();
    const { orderId } = await placeOrder(call);
    const reply = await call<Ok<OrderData>>(`/orders/${orderId}/cancel`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    expect(reply.status).toBe(200);
    expect(reply.body.data.status).toBe("cancelled");
  });

  test("a price sent along is refused, not ignored", async () => {
    const call = await newBrowser();
    const { quoteId } = await takeQuote(call);
    const payload = { quoteId, walletAddress: BITCOIN, amount: 1 };
    const reply = await call("/orders", { payload });
    expect(reply.body).toMatchObject({
      code: "INVALID_INPUT",
      details: [{ path: "body.amount" }],
    });
  });

  test("a real card number is refused and never repeated", async () => {
    const call = await newBrowser();
    const { orderId } = await placeOrder(call);
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
});
