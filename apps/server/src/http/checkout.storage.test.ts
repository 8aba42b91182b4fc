import { randomUUID } from "node:crypto";
import {
  type CheckoutQuoteData,
  type CheckoutSession,
  ENDPOINTS,
  type QuoteData,
} from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { updateMerchant } from "../flows/merchants/update.ts";
import { makeKeyLine, parseKeyRing } from "../secrets/key-ring.ts";
import { createTokenSigner } from "../secrets/tokens.ts";
import {
  BITCOIN_ADDRESS,
  browserWith,
  type Ok,
  openBrowser,
  wantedExchange,
} from "../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
  type Reply,
} from "../testing/http-world.ts";
import { operatorNamed } from "../testing/operators.ts";

let world: HttpWorld;
let wanted: Record<string, unknown>;

beforeAll(async () => {
  world = await makeHttpWorld();
  wanted = wantedExchange(world);
});
afterAll(() => world.close());

/** The origin of the service's own address in these tests. */
const OWN = "http://localhost:8080";
const allowedOrigin = ({ headers }: Pick<Reply<unknown>, "headers">) =>
  headers["access-control-allow-origin"];
const preflight = (path: string, origin: string) =>
  world.call<ErrorReply>({
    method: "OPTIONS",
    url: new URL(`/v1/checkout${path}`, OWN).pathname,
    headers: { origin, "access-control-request-method": "POST" },
  });

const newBrowser = (body: Record<string, unknown> = {}) => openBrowser(world, body);

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
    const reply = await browserWith(world, token)("/session");
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
    const reply = await browserWith(world, await world.deps.tokens.sign(claimsOf(2)))("/session");
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_EXPIRED"]);
  });

  test("one that another environment signed, even with the same key", async () => {
    const line = makeKeyLine("k1");
    const sign = (environment: string) =>
      createTokenSigner({ ring: parseKeyRing(line), environment, now: () => new Date() });
    const dev = await makeHttpWorld({ deps: { tokens: sign("dev") } });
    const reply = await dev.call<ErrorReply>({
      url: "/v1/checkout/session",
      headers: { authorization: `Bearer ${await sign("staging").sign(claimsOf(9_999_999_999))}` },
    });
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_INVALID"]);
    await dev.close();
  });

  test("a well signed one of a session that does not exist", async () => {
    const reply = await browserWith(
      world,
      await world.deps.tokens.sign(claimsOf(9_999_999_999)),
    )("/session");
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
    expect(allowedOrigin(reply)).toBe(status === 200 ? origin : undefined);
    expect(reply.headers["vary"]).toBe("Origin");
    const preflightReply = await preflight("/session", origin);
    expect([preflightReply.status, allowedOrigin(preflightReply)]).toEqual(
      status === 200 ? [204, origin] : [404, undefined],
    );
  });

  test("an error can be read by the checkout's own page too", async () => {
    const reply = await browserWith(world, "nonsense")("/session", { headers: { origin: OWN } });
    expect([reply.status, allowedOrigin(reply)]).toEqual([401, OWN]);
  });

  test("a cached answer names the origin of each request", async () => {
    const call = await newBrowser();
    const ask = (headers: Record<string, string>) =>
      call("/currencies?operationType=B&countryCode=CA", { headers });
    const origins = [{ origin: OWN }, {}, { origin: "http://localhost:80" }, { origin: OWN }];
    for (const headers of origins) {
      const reply = await ask(headers);
      expect([reply.status, allowedOrigin(reply)]).toEqual([200, headers.origin]);
      expect(reply.headers["vary"]).toBe("Origin, accept-encoding");
    }
  });

  test("a preflight of the checkout's own page names the methods of its path and the checkout's headers", async () => {
    const { status, headers, text } = await preflight("/orders/7/payments", OWN);
    expect([status, text]).toEqual([204, ""]);
    expect(headers["access-control-allow-methods"]).toBe("POST");
    const names = String(headers["access-control-allow-headers"]).split(", ");
    const own = ["authorization", "content-type", "idempotency-key", "x-client-id"];
    expect(names).toEqual(expect.arrayContaining(own));
    expect(headers["vary"]).toBe("Origin");
  });

  test("OPTIONS of the checkout's own page that is not a preflight is NOT_FOUND", async () => {
    const url = "/v1/checkout/session";
    const reply = await world.call({ method: "OPTIONS", url, headers: { origin: OWN } });
    expect([reply.status, reply.body["code"]]).toEqual([404, "NOT_FOUND"]);
  });

  test("other endpoints answer no preflight and name no origin", async () => {
    const preflightReply = await preflight("/../orders", OWN);
    expect([preflightReply.status, allowedOrigin(preflightReply)]).toEqual([404, undefined]);
    const headers = { ...world.shop.headers, origin: OWN };
    const read = await world.call({ url: "/v1/orders", headers });
    expect([read.status, allowedOrigin(read)]).toEqual([200, undefined]);
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
      operationTypes: ["B", "S", "CC", "FF"],
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
    const place = "operationType=B&countryCode=CA";
    for (const [mine, theirs, query] of [
      ["/currencies", "/v1/exchange/currencies", place],
      ["/payment-methods", "/v1/payment-methods", `${place}&includeDeliveryMethods=true`],
    ] as const) {
      const browserReply = await call(`${mine}?${query}`);
      const { headers } = world.shop;
      const merchantReply = await world.call({ url: `${theirs}?${query}`, headers });
      expect(browserReply.status).toBe(200);
      expect(browserReply.text).toBe(merchantReply.text);
    }
    const lookup = await call(`/wallets/lookup?walletAddress=${BITCOIN_ADDRESS}&currencyCode=btc`);
    expect(faultsOf(ENDPOINTS.lookUpCheckoutWallet, lookup.body)).toEqual([]);
    expect(lookup.body).toMatchObject({ success: true, wallet: null });
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
    const order = await call("/orders", { payload: { quoteId, walletAddress: BITCOIN_ADDRESS } });
    expect([order.status, order.body.code]).toEqual([404, "NOT_FOUND"]);
  });
});

test("the session that a token reads has the customer's name and country, and no e-mail address or reference", async () => {
  const customer = {
    reference: "user-77",
    email: "ada@example.org",
    firstName: "Ada",
    lastName: "Lovelace",
    countryCode: "CA",
  };
  const browser = browserWith(world, await world.token({ customer }));
  const { body, text } = await browser<Ok<CheckoutSession>>("/session");
  expect(faultsOf(ENDPOINTS.readCheckoutSession, body)).toEqual([]);
  expect(body.data.customer).toEqual({
    firstName: "Ada",
    lastName: "Lovelace",
    countryCode: "CA",
  });
  expect(text).not.toMatch(/user-77|ada@example/);
});

test("where the service sends mail, the session that a token reads has the customer's e-mail address too, and no reference", async () => {
  const customer = { reference: "user-77", email: "ada@example.org", firstName: "Ada" };
  const browser = browserWith(world, await world.token({ customer }));
  Object.assign(world.deps, { offersMail: true });
  try {
    const { body, text } = await browser<Ok<CheckoutSession>>("/session");
    expect(body.data.customer).toEqual({ firstName: "Ada", email: "ada@example.org" });
    expect(text).not.toContain("user-77");
  } finally {
    Object.assign(world.deps, { offersMail: undefined });
  }
});

test("the session names the operator where its settings do, and is without it otherwise", async () => {
  const browser = await openBrowser(world);
  const { body } = await browser<Ok<CheckoutSession>>("/session");
  expect(body.data).not.toHaveProperty("operator");
  const operator = { name: "Example Pay Ltd", termsUrl: "https://pay.example.com/terms" };
  Object.assign(world.deps, { operator });
  try {
    const named = await browser<Ok<CheckoutSession>>("/session");
    expect(faultsOf(ENDPOINTS.readCheckoutSession, named.body)).toEqual([]);
    expect(named.body.data.operator).toEqual(operator);
  } finally {
    Object.assign(world.deps, { operator: undefined });
  }
});

test("(b): the popup's defaults and the token's lifetime come from the merchant's settings", async () => {
  await updateMerchant(world.deps, {
    merchantId: world.shop.clientId,
    baseCurrency: "CAD",
    targetCurrency: "usdt-tron",
    baseAmount: { units: 2505n, scale: 1 },
    tokenLifetimeSeconds: 120,
    by: operatorNamed("anna"),
  });
  await world.refresh();
  const browser = await openBrowser(world);
  const { body } = await browser<Ok<CheckoutSession>>("/session");
  expect(faultsOf(ENDPOINTS.readCheckoutSession, body)).toEqual([]);
  expect(body.data.defaults).toEqual({
    baseCurrency: "cad",
    targetCurrency: "usdt-tron",
    baseAmount: 250.5,
  });
  const left = body.data.expiresAt - Date.now() / 1000;
  expect(left).toBeGreaterThan(60);
  expect(left).toBeLessThanOrEqual(120);
  await updateMerchant(world.deps, {
    merchantId: world.shop.clientId,
    baseCurrency: "eur",
    targetCurrency: "btc",
    baseAmount: null,
    tokenLifetimeSeconds: null,
    by: operatorNamed("anna"),
  });
  await world.refresh();
});

test("one call says what every payment method brings or from which amount it is possible, and stores one quote", async () => {
  const browser = await newBrowser({ customer: { countryCode: "DE" } });
  const reply = await browser<Ok<CheckoutQuoteData>>("/quotes", {
    payload: { ...wanted, alternatives: "paymentMethods" },
  });
  expect(faultsOf(ENDPOINTS.createCheckoutQuote, reply.body)).toEqual([]);
  const { alternatives = [], outsideLimits = [], ...quote } = reply.body.data;
  const byMethod = new Map(alternatives.map((each) => [each.paymentMethodId, each]));
  const idOf = (reference: string) =>
    world.deps.catalogue().paymentMethodByReference(reference)?.id ?? 0;
  expect(byMethod.get(idOf("card"))?.receive).toEqual({
    amount: quote.receive.amount,
    currencyCode: "BTC",
  });
  const sepa = byMethod.get(idOf("sepa"))?.receive.amount ?? 0;
  expect(sepa).toBeGreaterThan(quote.receive.amount);
  // A wire is not possible for so little, and Interac takes no euro.
  expect(byMethod.has(idOf("wire"))).toBe(false);
  expect(byMethod.has(idOf("interac"))).toBe(false);
  expect(outsideLimits).toEqual([
    { methodId: idOf("wire"), bound: "min", limit: { amount: 250, currencyCode: "EUR" } },
  ]);
  const sepaQuote = await browser<Ok<CheckoutQuoteData>>("/quotes", {
    payload: { ...wanted, paymentMethodId: idOf("sepa") },
  });
  expect(sepaQuote.body.data.receive.amount).toBeCloseTo(sepa, 6);
  expect(sepaQuote.body.data.alternatives).toBeUndefined();
  expect(sepaQuote.body.data.outsideLimits).toBeUndefined();
});
