import { randomUUID } from "node:crypto";
import { ENDPOINTS, type Endpoint, SCOPES } from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { statement } from "../storage/postgres/database.ts";
import { browserWith } from "../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  GENEROUS,
  type HttpWorld,
  makeHttpWorld,
} from "../testing/http-world.ts";
import { buildHttpServer } from "./server.ts";
import { ok } from "./wire.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const session = (token: string) =>
  world.call<ErrorReply>({
    url: "/v1/checkout/session",
    headers: { authorization: `Bearer ${token}` },
  });

const claimsOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

const countSessions = async (sessionId: string): Promise<number> => {
  const rows = await world.database.query(
    statement("sessions_of_test", "select 1 from sessions where session_id = $1"),
    [sessionId],
  );
  return rows.length;
};

test("a token is answered 201 in the documented envelope", async () => {
  const before = Math.floor(Date.now() / 1000);
  const reply = await world.createToken({ sessionId: "cart-1" });
  const after = Math.ceil(Date.now() / 1000);
  expect(reply.status).toBe(201);
  expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(faultsOf(ENDPOINTS.createPublicToken, reply.body)).toEqual([]);
  expect(reply.body).toMatchObject({ code: "OK", data: { tokenType: "Bearer", expiresIn: 1800 } });
  const { expiresAt, accessToken, jti } = reply.body.data;
  expect(expiresAt - 1800).toBeGreaterThanOrEqual(before);
  expect(expiresAt - 1800).toBeLessThanOrEqual(after);
  expect(claimsOf(accessToken)).toMatchObject({ jti, exp: expiresAt });
});

test.each([
  [undefined, 1800],
  [60, 60],
  [86_400, 86_400],
])("a lifetime of %s is %s seconds", async (expiresIn, expected) => {
  const reply = await world.createToken({
    sessionId: randomUUID(),
    ...(expiresIn && { expiresIn }),
  });
  expect(reply.body.data.expiresIn).toBe(expected);
});

test.each([[59], [86_401], [60.5], ["60"], [null]])(
  "a lifetime of %s is refused",
  async (expiresIn) => {
    const reply = await world.createToken<ErrorReply>({ sessionId: randomUUID(), expiresIn });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  },
);

test.each([["a b"], ["ä"], ["x".repeat(255)], ["a/b?c#d%"], ["😀".repeat(255)], ["Ünïcode …"]])(
  "the session id %j is accepted, read and filtered by",
  async (sessionId) => {
    expect((await world.createToken({ sessionId })).status).toBe(201);
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}`;
    const shown = await world.call<{ data: { sessionId: string } }>({
      url: path,
      headers: world.shop.headers,
    });
    expect([shown.status, shown.body.data.sessionId]).toEqual([200, sessionId]);
    const list = await world.call({
      url: `/v1/orders?sessionId=${encodeURIComponent(sessionId)}`,
      headers: world.shop.headers,
    });
    expect(list.status).toBe(200);
  },
);

test.each([
  [""],
  ["x".repeat(256)],
  ["😀".repeat(256)],
  [7],
  [null],
  ["a\n"],
  ["\u007f"],
  ["a\u0085"],
])("the session id %j is refused", async (sessionId) => {
  const reply = await world.createToken<ErrorReply>({ sessionId });
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
});

test("a session id of 101 characters is created and read", async () => {
  const sessionId = "x".repeat(101);
  expect((await world.createToken({ sessionId })).status).toBe(201);
  const { headers } = world.shop;
  expect((await world.call({ url: `/v1/sessions/${sessionId}`, headers })).status).toBe(200);
});

test.each([
  ["locks", { locks: { baseAmount: 100 } }],
  ["expires_in", { expires_in: 60 }],
  ["metaData", { metaData: { cart: "1" } }],
])("an unknown member %s of a token request is refused", async (name, body) => {
  const reply = await world.createToken<ErrorReply>({ sessionId: randomUUID(), ...body });
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  expect(reply.body.details).toEqual([{ path: `body.${name}`, issue: "is not a known member" }]);
});

describe("scopes", () => {
  test.each([[undefined], [[]]])("%j grants all of them", async (scope) => {
    const reply = await world.createToken({ sessionId: randomUUID(), ...(scope && { scope }) });
    expect(reply.body.data.scope).toEqual(SCOPES);
  });

  test("the requested scopes are granted in their order, each once, in the answer and in the token", async () => {
    const scope = ["wallet.write", "merchant.read", "wallet.write", "wallet.read"];
    const reply = await world.createToken({ sessionId: randomUUID(), scope });
    const granted = ["wallet.write", "merchant.read", "wallet.read"];
    expect(reply.body.data.scope).toEqual(granted);
    expect(claimsOf(reply.body.data.accessToken)["scope"]).toEqual(granted);
  });

  test.each([
    ["an unknown name", ["admin"]],
    ["one unknown name among others", ["merchant.read", "x"]],
    ["a name of a prototype", ["__proto__"]],
    ["a name of 65 letters", ["x".repeat(65)]],
    ["a name of 20,000 letters", ["x".repeat(20_000)]],
    ["17 unknown names", Array.from({ length: 17 }, (_, index) => `scope.${index}`)],
  ])("%s is INVALID_SCOPE, and the answer stays short", async (_title, scope) => {
    const reply = await world.createToken<ErrorReply>({ sessionId: randomUUID(), scope });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_SCOPE"]);
    expect(reply.text.length).toBeLessThan(1_000);
  });

  test("a list that repeats known scopes is granted, however long it is", async () => {
    const scope = Array.from({ length: 40 }, () => SCOPES).flat();
    const reply = await world.createToken({ sessionId: randomUUID(), scope });
    expect(reply.body.data.scope).toEqual(SCOPES);
  });

  test.each([["merchant.read"], [[7]], [{}], [null]])(
    "%j is not a list of names",
    async (scope) => {
      const reply = await world.createToken<ErrorReply>({ sessionId: randomUUID(), scope });
      expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    },
  );

  test.each([[["wallet.read", "merchant.read"]], [["wallet.write"]], [["currency.read"]]])(
    "%j opens the checkout of its own session",
    async (scope) => {
      const token = await world.token({ scope });
      const browser = browserWith(world, token);
      for (const { path, caller, method } of Object.values<Endpoint>(ENDPOINTS)) {
        if (caller !== "browser" || path.includes("{")) continue;
        const reply = await browser<ErrorReply>(path.replace("/checkout", ""), { method });
        expect([path, reply.body.code]).not.toEqual([path, "INSUFFICIENT_SCOPE"]);
      }
      expect((await session(token)).status).toBe(200);
    },
  );

  test("a call beyond the checkout needs its scope, and the refusal names it", async () => {
    const endpoint = {
      ...ENDPOINTS.readCheckoutSession,
      path: "/checkout/saved_wallets",
      scope: "wallet.write",
    } as const;
    const app = buildHttpServer(
      world.deps,
      { version: "0.0.0", rateLimits: GENEROUS },
      ({ register }) => register(endpoint, async () => ok(null as never)),
    );
    const call = async (scope: readonly string[]) => {
      const headers = { authorization: `Bearer ${await world.token({ scope })}` };
      return app.inject({ url: "/v1/checkout/saved_wallets", headers });
    };
    const refused = await call(["wallet.read"]);
    expect([refused.statusCode, refused.json().code]).toEqual([403, "INSUFFICIENT_SCOPE"]);
    expect(refused.json().message).toContain("wallet.write");
    expect((await call(["wallet.write"])).statusCode).toBe(200);
    await app.close();
  });
});

describe("the same session again", () => {
  test("a new token replaces the older one", async () => {
    const first = await world.createToken({ sessionId: "again" });
    const second = await world.createToken({ sessionId: "again" });
    expect(second.status).toBe(201);
    expect((await session(second.body.data.accessToken)).status).toBe(200);
    const older = await session(first.body.data.accessToken);
    expect([older.status, older.body.code]).toEqual([401, "TOKEN_INVALID"]);
  });

  test("100 calls at once make one session and 100 answers of 201", async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => world.createToken({ sessionId: "at-once" })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await countSessions("at-once")).toBe(1);
    const reads = await Promise.all(
      replies.map(({ body }) => session(body.data.accessToken).then(({ status }) => status)),
    );
    expect(reads.filter((status) => status === 200)).toHaveLength(1);
  });

  test("two merchants may use the same session id", async () => {
    const other = await world.addShop();
    await world.createToken({ sessionId: "shared" });
    await world.createToken({ sessionId: "shared" }, { ...other.headers });
    expect(await countSessions("shared")).toBe(2);
  });
});

describe("a lock that no order could meet is refused", () => {
  const BITCOIN = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
  test.each([
    ["an unknown currency", { baseCurrency: "XXQ" }, "CURRENCY_NOT_FOUND"],
    [
      "a coin to spend when buying",
      { operationType: "B", baseCurrency: "btc" },
      "UNSUPPORTED_PAIR",
    ],
    ["the same currency twice", { baseCurrency: "cad", targetCurrency: "CAD" }, "UNSUPPORTED_PAIR"],
    ["half a cent", { baseCurrency: "cad", baseAmount: 1.005 }, "AMOUNT_PRECISION"],
    ["an unknown method", { paymentMethod: "barter" }, "PAYMENT_METHOD_NOT_FOUND"],
    [
      "a broken checksum",
      { targetCurrency: "btc", walletAddress: `${BITCOIN.slice(0, -1)}b` },
      "INVALID_WALLET_ADDRESS",
    ],
    [
      "an address of another coin",
      { targetCurrency: "eth", walletAddress: BITCOIN },
      "NETWORK_MISMATCH",
    ],
    ["nonsense as an address", { walletAddress: "my wallet" }, "INVALID_WALLET_ADDRESS"],
    [
      "a token's contract, whatever the coin",
      { walletAddress: "0xdAC17F958D2ee523a2206206994597C13D831ec7" },
      "INVALID_WALLET_ADDRESS",
    ],
    [
      "a network the coin is not on",
      { targetCurrency: "btc", networkCode: "tron" },
      "NETWORK_MISMATCH",
    ],
    ["an unknown member", { amount: 1 }, "INVALID_INPUT"],
    ["an unknown operation", { operationType: "X" }, "INVALID_OPERATION_TYPE"],
  ])("%s", async (_name, lock, code) => {
    const reply = await world.createToken<ErrorReply>({ sessionId: randomUUID(), lock });
    expect([reply.status, reply.body.code]).toEqual([400, code]);
    expect(reply.body.details?.[0]?.path).toMatch(/^body\.lock\./);
  });

  const TRON = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
  test.each<[string, object, string, RegExp]>([
    [
      "a payment method that does not take the currency",
      { baseCurrency: "eur", paymentMethod: "interac" },
      "PAYMENT_METHOD_UNAVAILABLE",
      /^lock\.paymentMethod contradicts lock\.baseCurrency: .* Use one of: card, sepa,/,
    ],
    [
      "a payment method of the other kind of currency",
      { baseCurrency: "eur", paymentMethod: "crypto" },
      "PAYMENT_METHOD_UNAVAILABLE",
      /^lock\.paymentMethod contradicts lock\.baseCurrency: .* EUR is a fiat currency\./,
    ],
    [
      "a payment method that is not offered in the customer's country",
      { paymentMethod: "interac" },
      "PAYMENT_METHOD_UNAVAILABLE",
      /^lock\.paymentMethod contradicts customer\.countryCode: .* not offered in Germany\. Use one of: card,/,
    ],
    [
      "a payment method of another operation",
      { operationType: "B", paymentMethod: "crypto" },
      "PAYMENT_METHOD_UNAVAILABLE",
      /^lock\.paymentMethod contradicts lock\.operationType: /,
    ],
    [
      "a wallet address for fiat money",
      { targetCurrency: "eur", walletAddress: BITCOIN },
      "INVALID_INPUT",
      /^lock\.walletAddress contradicts lock\.targetCurrency: /,
    ],
    [
      "an address of another network than the locked one",
      { networkCode: "bitcoin", walletAddress: TRON },
      "NETWORK_MISMATCH",
      /^lock\.walletAddress contradicts lock\.networkCode: .* an address of tron\./,
    ],
    [
      "an address of another network than the coin's",
      { targetCurrency: "btc", walletAddress: TRON },
      "NETWORK_MISMATCH",
      /^lock\.walletAddress contradicts lock\.targetCurrency: btc .* an address of tron\./,
    ],
    [
      "a network on which the coin is not",
      { targetCurrency: "usdt", networkCode: "bitcoin" },
      "NETWORK_MISMATCH",
      /^lock\.networkCode contradicts lock\.targetCurrency: .* Use .*tron/,
    ],
    [
      "a coin to spend with the operation and another coin",
      { operationType: "FF", baseCurrency: "eur", targetCurrency: "btc" },
      "UNSUPPORTED_PAIR",
      /^lock\.targetCurrency contradicts lock\.operationType: BTC is a coin, .* Use a fiat currency there/,
    ],
    [
      "an amount below all limits of its currency",
      { baseCurrency: "eur", baseAmount: 1 },
      "AMOUNT_BELOW_MINIMUM",
      /^The minimum is 10 EUR\./,
    ],
    [
      "an amount above all limits of its currency",
      { baseCurrency: "eur", baseAmount: 90_000_000 },
      "AMOUNT_ABOVE_MAXIMUM",
      /^The maximum is /,
    ],
  ])("%s contradicts another member, and the answer names both", async (...row) => {
    const [_name, lock, code, message] = row;
    const reply = await world.createToken<ErrorReply>({
      sessionId: randomUUID(),
      lock,
      customer: { countryCode: "DE" },
    });
    expect([reply.status, reply.body.code]).toEqual([400, code]);
    expect(reply.body.message).toMatch(message);
    expect(reply.body.details?.[0]?.path).toMatch(/^body\.lock\./);
  });

  test("a method of another country than the merchant's may work, so it opens a session", async () => {
    const lock = { paymentMethod: "faster_payments" };
    const shop = await world.addShop();
    const made = await world.createToken({ sessionId: randomUUID(), lock }, shop.headers);
    expect(made.status).toBe(201);
  });

  test.each<[string, object, string]>([
    ["a method that takes the currency", { baseCurrency: "eur", paymentMethod: "sepa" }, "DE"],
    ["a method of the country without a currency", { paymentMethod: "interac" }, "CA"],
    ["a method in a country that is not served", { paymentMethod: "interac" }, "KP"],
    ["an address that fits the network", { networkCode: "tron", walletAddress: TRON }, "DE"],
    ["an address in a sale", { operationType: "S", walletAddress: BITCOIN }, "DE"],
    ["a network in a transfer", { operationType: "FF", networkCode: "tron" }, "DE"],
    ["an amount that one method takes", { baseCurrency: "eur", baseAmount: 10 }, "DE"],
    ["an amount without its currency", { baseAmount: 0.0001 }, "DE"],
  ])("%s may work, so it opens a session", async (_name, lock, countryCode) => {
    const customer = { countryCode };
    const reply = await world.createToken({ sessionId: randomUUID(), lock, customer });
    expect(reply.status).toBe(201);
  });

  test("a good one is kept, with currencies by their references", async () => {
    const lock = {
      operationType: "B",
      baseCurrency: "CAD",
      baseAmount: 100.5,
      targetCurrency: "usdt",
      networkCode: "TRON",
      paymentMethod: "Card",
    };
    const token = await world.token({ lock });
    const reply = await world.call<{ data: { lock: unknown } }>({
      url: "/v1/checkout/session",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(reply.body.data.lock).toEqual({
      operationType: "B",
      baseCurrency: "cad",
      baseAmount: 100.5,
      targetCurrency: "usdt-tron",
      networkCode: "tron",
      paymentMethod: "card",
    });
  });
});

describe("a locked amount", () => {
  const lock = { operationType: "B", baseCurrency: "eur", targetCurrency: "btc" } as const;
  const createFor = (more: object) =>
    world.createToken<ErrorReply & { readonly details: readonly Record<string, unknown>[] }>({
      sessionId: randomUUID(),
      lock: { ...lock, ...more },
      customer: { countryCode: "DE" },
    });

  test.each([
    [1, "AMOUNT_BELOW_MINIMUM"],
    [9_000_000, "AMOUNT_ABOVE_MAXIMUM"],
  ])("of %s that no customer could pay is refused with its limits", async (baseAmount, code) => {
    const reply = await createFor({ baseAmount });
    expect([reply.status, reply.body.code]).toEqual([400, code]);
    expect(reply.body.details).toEqual([
      expect.objectContaining({ path: "body.lock.baseAmount", currencyCode: "EUR" }),
    ]);
    const [detail] = reply.body.details;
    const limits = [detail?.["min"], detail?.["max"]].map(Number);
    for (const limit of limits) expect((await createFor({ baseAmount: limit })).status).toBe(201);
  });

  test("whose exchange the customer may still change opens a session", async () => {
    const open = { sessionId: randomUUID(), lock: { baseAmount: 1 } };
    expect((await world.createToken(open)).status).toBe(201);
  });
});
