import type { OrderData } from "@exchange/contract";
import { beforeAll, expect, inject } from "vitest";
import { type Answer, call, type ErrorAnswer } from "../support/http/api.ts";
import { type Integration, startIntegration } from "../support/interface/integration.ts";
import { readInterface, type Statement } from "../support/interface/statements.ts";
import { createToken, merchantCall, newSessionId } from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  type Customer,
  orderWithStatus,
  payByCard,
  placeOrder,
  startOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";

const service = inject("service");
const CURRENCIES = "/v1/exchange/currencies?operationType=B&countryCode=CA";
/** The three endpoints whose statuses the interface lists. */
const LISTED = [
  { path: "/v1/public_token/create", method: "POST" },
  { path: "/v1/payment-methods?operationType=B&countryCode=CA" },
  { path: CURRENCIES },
] as const;

let shop: Integration;
let customer: Customer;
let placed: Answer<{ data: OrderData }>;
beforeAll(async () => {
  shop = await startIntegration(service);
  customer = await startSession(service, shop.merchant);
  const choice = await buyChoice(service, shop.merchant);
  placed = await placeOrder(customer, (await takeQuote(customer, choice)).quoteId);
});

async function buy(number: string, changes: Readonly<Record<string, unknown>> = {}) {
  const choice = await buyChoice(service, shop.merchant);
  const { customer: buyer, orderId } = await startOrder(service, shop.merchant, choice);
  const path = `/v1/checkout/orders/${orderId}/payments`;
  const paid =
    Object.keys(changes).length === 0
      ? await payByCard(buyer, orderId, number)
      : await buyer.call<ErrorAnswer>({ method: "POST", path, body: cardPayment(number, changes) });
  return { buyer, orderId, paid };
}

const cardPayment = (number: string, changes: Readonly<Record<string, unknown>>) => ({
  type: "card",
  card: { number, expiryMonth: 12, expiryYear: 2099, cvv: "000", holderName: "A", ...changes },
  billingAddress: { line1: "x", city: "y", postalCode: "z", countryCode: "DE" },
  frequency: "one_time",
});

readInterface("what the service does", [
  [
    "1 What the service does",
    "the address carries the version prefix /v1",
    async () => {
      const { headers } = shop.merchant;
      expect((await call(service, { path: CURRENCIES, headers })).status).toBe(200);
      expect((await fetch(service.url + CURRENCIES.replace("/v1", ""))).status).toBe(404);
    },
  ],
  [
    "1 What the service does",
    "the merchant backend calls with x-api-key and x-client-id",
    async () => expect((await shop.get(CURRENCIES.replace("/v1", ""))).status).toBe(200),
  ],
  [
    "1 What the service does",
    "the backend creates a public token for one session",
    async () => {
      const made = await createToken(service, shop.merchant, { sessionId: newSessionId() });
      expect(made.status).toBe(201);
    },
  ],
  ...(["S", "B", "FF", "CC"] as const).map(
    (code): Statement => [
      "1 What the service does",
      `${code} is an operation type with currencies, payment methods and prices`,
      async () => expect((await shop.quote(code)).status).toBe(200),
    ],
  ),
  ...["X", "b", ""].map(
    (code): Statement => [
      "1 What the service does",
      `"${code}" is not an operation type`,
      async () => {
        const path = `/exchange/currencies?operationType=${code}&countryCode=CA`;
        expect((await shop.get(path)).status).toBe(400);
      },
    ],
  ),
  ...Object.entries(CARDS).map(
    ([network, number]): Statement => [
      "1 What the service does",
      `the sandbox takes a ${network} test card, with 3-D Secure, frictionless and authenticated`,
      async () => {
        const { buyer, orderId } = await buy(number);
        const { payment } = await orderWithStatus(buyer, orderId, "completed");
        expect(payment.attempt?.challengeUrl).toBeNull();
        expect(payment.attempt?.threeDSecure).toMatchObject({
          flow: "frictionless",
          transStatus: "Y",
        });
      },
    ],
  ),
  [
    "1 What the service does",
    "any future expiry, any CVV and any address are accepted",
    async () => expect((await buy(CARDS.visa, { cvv: "999" })).paid.status).toBe(201),
  ],
  [
    "1 What the service does",
    "a past expiry is not",
    async () => expect((await buy(CARDS.visa, { expiryYear: 2001 })).paid.status).toBe(400),
  ],
  [
    "1 What the service does",
    "real card details must not be entered in the sandbox",
    async () => {
      const { paid } = await buy("4242424242424242", { cvv: "123" });
      expect(paid.status).toBe(400);
      expect(paid.body).toMatchObject({ message: expect.stringMatching(/real cards/i) });
    },
  ],
]);

readInterface("states and transitions", [
  [
    "3 States and transitions",
    "placing an order expires the session",
    async () => {
      expect(placed.status).toBe(201);
      const path = `/sessions/${customer.sessionId}`;
      const { body } = await shop.get<{ data: { status: string } }>(path);
      expect(body.data.status).toBe("expired");
    },
  ],
  [
    "3 States and transitions",
    "a customer who starts another order is told to restart the checkout from the merchant",
    async () => {
      const again = await placeOrder(customer, "quo_none");
      expect(again.status).toBe(409);
      expect(again.body).toMatchObject({
        message: expect.stringMatching(/restart the checkout from the merchant's platform/i),
      });
    },
  ],
  [
    "3 States and transitions",
    "the session cannot be reused for another token",
    async () => {
      const { sessionId } = customer;
      const again = await createToken(service, shop.merchant, { sessionId });
      expect([again.status, again.body]).toMatchObject([400, { code: "SESSION_ALREADY_USED" }]);
    },
  ],
  [
    "8 Limits",
    "one session maps to exactly one order, also when many are placed at once",
    async () => {
      const buyer = await startSession(service, shop.merchant);
      const { quoteId } = await takeQuote(buyer, await buyChoice(service, shop.merchant));
      const all = await Promise.all([1, 2, 3, 4].map(() => placeOrder(buyer, quoteId)));
      expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    },
  ],
]);

readInterface("authentication", [
  ...LISTED.map(
    (request): Statement => [
      "5 Authentication",
      `${request.path.split("?")[0]} without credentials is 401`,
      async () => {
        const { status, body } = await call<ErrorAnswer>(service, request);
        expect([status, typeof body.code, typeof body.message]).toEqual([401, "string", "string"]);
      },
    ],
  ),
  [
    "5 Authentication",
    "invalid credentials are 401 with the same body",
    async () => {
      const headers = { ...shop.merchant.headers, "x-api-key": "exk_dev_0_wrong" };
      const wrong = await call<ErrorAnswer>(service, { path: CURRENCIES, headers });
      const missing = await call<ErrorAnswer>(service, { path: CURRENCIES });
      expect([wrong.status, wrong.body.code, wrong.body.message]).toEqual([
        missing.status,
        missing.body.code,
        missing.body.message,
      ]);
    },
  ],
  [
    "5 Authentication",
    "the public token is bound to one session",
    async () => {
      const stranger = await startSession(service, shop.merchant);
      const path = `/v1/checkout/orders/${placed.body.data.orderId}`;
      expect((await stranger.call({ path })).status).toBe(404);
      expect((await customer.call({ path })).status).toBe(200);
    },
  ],
  [
    "5 Authentication",
    "the public token is safe in a browser: it opens no merchant endpoint",
    async () => {
      const { status } = await customer.call({ path: CURRENCIES });
      expect(status).toBe(401);
    },
  ],
  [
    "5 Authentication",
    "wallet.read and merchant.read are scopes, and their token opens the checkout",
    async () => {
      const scope = ["wallet.read", "merchant.read"];
      const made = await createToken(service, shop.merchant, { sessionId: newSessionId(), scope });
      const headers = { authorization: `Bearer ${made.body.data.accessToken}` };
      for (const path of ["/session", "/currencies?operationType=B&countryCode=CA"]) {
        expect((await call(service, { path: `/v1/checkout${path}`, headers })).status).toBe(200);
      }
    },
  ],
]);

readInterface("errors", [
  [
    "7 Errors",
    "invalid JSON is 400 INVALID_INPUT, with a message about it",
    async () => {
      const { status, body } = await merchantCall<ErrorAnswer>(service, shop.merchant, {
        method: "POST",
        path: "/v1/public_token/create",
        rawBody: "{",
      });
      expect([status, body.code]).toEqual([400, "INVALID_INPUT"]);
      expect(body.message).toMatch(/invalid JSON in the request body/i);
    },
  ],
  [
    "7 Errors",
    "an error body has code and message",
    async () => {
      const { body } = await shop.get("/payment-methods");
      expect(body).toMatchObject({ code: "INVALID_INPUT", message: expect.any(String) });
    },
  ],
  ...LISTED.map(
    ({ path, ...request }): Statement => [
      "7 Errors",
      `${path.split("?")[0]} answers missing or invalid required parameters with 400`,
      async () => {
        const [address = ""] = path.split("?");
        const body = "method" in request ? { body: {} } : {};
        const sent = { ...request, ...body, path: address };
        expect((await merchantCall(service, shop.merchant, sent)).status).toBe(400);
      },
    ],
  ),
  [
    "7 Errors",
    "the script endpoint's 500 has only a message",
    async () => {
      const answer = await call(service, { path: "/v1/sdk/exchange.js" });
      expect([answer.status, answer.body]).toEqual([500, { message: expect.any(String) }]);
    },
  ],
]);

readInterface("limits and versioning", [
  [
    "8 Limits",
    "the lifetime of a token is reported in seconds and as a Unix second",
    async () => {
      const body = { sessionId: newSessionId(), expiresIn: 600 };
      const { data } = (await createToken(service, shop.merchant, body)).body;
      expect(data.expiresIn).toBe(600);
      expect(Math.abs(data.expiresAt - 600 - Date.now() / 1000)).toBeLessThan(30);
    },
  ],
  [
    "9 Versioning",
    "the interface version is 1.0.0, below the prefix /v1",
    async () => {
      const { body } = await call<{
        info: { version: string };
        servers: readonly { url: string }[];
      }>(service, { path: "/v1/openapi.json" });
      expect(body.info.version).toBe("1.0.0");
      expect(body.servers[0]?.url).toMatch(/\/v1$/);
    },
  ],
]);
