import { createHmac, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { type Answer, type Call, call, type ErrorAnswer } from "../support/http/api.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buyChoice,
  type Customer,
  placeOrder,
  startOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";

const service = inject("service");
let merchant: Merchant;
let choice: BuyChoice;
let customer: Customer;
beforeAll(async () => {
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
  customer = await startSession(service, merchant);
});

const SESSION: Call = { path: "/v1/checkout/session" };
const withToken = (token: string, request = SESSION): Promise<Answer<ErrorAnswer>> =>
  call<ErrorAnswer>(service, { ...request, headers: { authorization: `Bearer ${token}` } });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));

/** The token with its parts changed; the signature stays. */
function tampered(changes: { header?: object; claims?: object; signature?: string }): string {
  const [header, claims, signature = ""] = customer.token.split(".");
  return [
    encode({ ...decode(header), ...changes.header }),
    encode({ ...decode(claims), ...changes.claims }),
    changes.signature ?? signature,
  ].join(".");
}

const signedWith = (secret: string): string => {
  const [header, claims] = customer.token.split(".");
  const signature = createHmac("sha256", secret).update(`${header}.${claims}`).digest("base64url");
  return `${header}.${claims}.${signature}`;
};

describe("a token that is not ours is TOKEN_INVALID", () => {
  test.each<[string, () => string]>([
    ["nonsense", () => "nonsense"],
    ["an empty one", () => ""],
    ["two dots", () => ".."],
    [
      "another session in its claims",
      () => tampered({ claims: { sid: newSessionId(), sub: "x" } }),
    ],
    ["a later end", () => tampered({ claims: { exp: 4_000_000_000 } })],
    ["more scope", () => tampered({ claims: { scope: ["wallet.write"] } })],
    ["alg none", () => tampered({ header: { alg: "none" }, signature: "" })],
    ["alg none with its signature", () => tampered({ header: { alg: "none" } })],
    ["alg HS512", () => tampered({ header: { alg: "HS512" } })],
    ["alg RS256", () => tampered({ header: { alg: "RS256" } })],
    ["an unknown key id", () => tampered({ header: { kid: "another" } })],
    ["no key id", () => tampered({ header: { kid: undefined } })],
    ["no signature", () => tampered({ signature: "" })],
    ["a guessed key", () => signedWith("secret")],
    ["an empty key", () => signedWith("")],
    ["its last character dropped", () => customer.token.slice(0, -2)],
  ])("%s", async (_title, make) => {
    const answer = await withToken(make());
    expect([answer.status, answer.body.code]).toEqual([401, "TOKEN_INVALID"]);
  });

  test("no token, and another scheme", async () => {
    const without = await call<ErrorAnswer>(service, SESSION);
    expect([without.status, without.body.code]).toEqual([401, "TOKEN_INVALID"]);
    const headers = { authorization: `Basic ${customer.token}` };
    const basic = await call<ErrorAnswer>(service, { ...SESSION, headers });
    expect([basic.status, basic.body.code]).toEqual([401, "TOKEN_INVALID"]);
  });

  test("the token itself works", async () => {
    expect((await withToken(customer.token)).status).toBe(200);
  });
});

test("a token that has run out is TOKEN_EXPIRED and says to restart", {
  timeout: 120_000,
}, async () => {
  const { accessToken: token, expiresAt } = inject("shortToken");
  const refused = await vi.waitUntil(
    async () => {
      const answer = await withToken(token);
      return answer.status === 401 ? answer : undefined;
    },
    { timeout: 90_000 },
  );
  expect(refused.body.code).toBe("TOKEN_EXPIRED");
  expect(refused.body.message).toMatch(/restart/i);
  expect(expiresAt).toBeLessThanOrEqual(Date.now() / 1000 + 1);
});

describe("scopes", () => {
  test.each<[string, Call, number]>([
    ["reads its session", SESSION, 200],
    ["lists currencies", { path: "/v1/checkout/currencies?operationType=B&countryCode=CA" }, 200],
    [
      "lists payment methods",
      { path: "/v1/checkout/payment-methods?operationType=B&countryCode=CA" },
      200,
    ],
    ["takes a quote", { method: "POST", path: "/v1/checkout/quotes", body: {} }, 400],
    [
      "checks an address",
      { path: "/v1/checkout/wallets/lookup?walletAddress=x&currencyCode=BTC" },
      200,
    ],
    [
      "places an order",
      { method: "POST", path: "/v1/checkout/orders", body: { quoteId: "quo_x" } },
      404,
    ],
    ["reads an order", { path: "/v1/checkout/orders/1" }, 404],
    ["cancels an order", { method: "POST", path: "/v1/checkout/orders/1/cancel" }, 404],
  ])("with the interface's own scopes a token %s", async (_title, request, status) => {
    const scope = ["wallet.read", "merchant.read"];
    const created = await createToken(service, merchant, { sessionId: newSessionId(), scope });
    expect(created.body.data.scope.toSorted()).toEqual(["merchant.read", "wallet.read"]);
    expect((await withToken(created.body.data.accessToken, request)).status).toBe(status);
  });
});

describe("another session's order", () => {
  test("cannot be read, paid or cancelled: it does not exist for this token", async () => {
    const { customer: owner, orderId } = await startOrder(service, merchant, choice);
    const path = `/v1/checkout/orders/${orderId}`;
    const stranger = await startSession(service, merchant);
    const requests: readonly Call[] = [{ path }, { method: "POST", path: `${path}/cancel` }];
    for (const request of requests) {
      const answer = await withToken(stranger.token, request);
      expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect((await withToken(owner.token, { path })).status).toBe(200);
  });

  test("and another session's quote cannot be ordered", async () => {
    const owner = await startSession(service, merchant);
    const { quoteId } = await takeQuote(owner, choice);
    const stranger = await startSession(service, merchant);
    const refused = await placeOrder(stranger, quoteId);
    expect(refused.status).toBe(404);
  });

  test("another merchant cannot read the order", async () => {
    const { orderId } = await startOrder(service, merchant, choice);
    const other = await createMerchant(service);
    const path = `/v1/orders/${orderId}`;
    const refused = await call<ErrorAnswer>(service, { path, headers: other.headers });
    expect([refused.status, refused.body.code]).toEqual([404, "NOT_FOUND"]);
    expect((await call(service, { path, headers: merchant.headers })).status).toBe(200);
  });
});

test("a second order in a session is SESSION_EXPIRED and says to restart", async () => {
  const buyer = await startSession(service, merchant);
  const [first, second] = [await takeQuote(buyer, choice), await takeQuote(buyer, choice)];
  expect((await placeOrder(buyer, first.quoteId)).status).toBe(201);
  const refused = (await placeOrder(buyer, second.quoteId)) as unknown as Answer<ErrorAnswer>;
  expect([refused.status, refused.body.code]).toEqual([409, "SESSION_EXPIRED"]);
  expect(refused.body.message).toMatch(/restart/i);
});

test("an order id that cannot be one is a plain refusal", async () => {
  for (const id of ["0", "-1", "1.5", "9007199254740992", "abc", randomUUID(), "1e3"]) {
    const answer = await withToken(customer.token, { path: `/v1/checkout/orders/${id}` });
    expect([400, 404]).toContain(answer.status);
    expect(answer.body).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  }
});
