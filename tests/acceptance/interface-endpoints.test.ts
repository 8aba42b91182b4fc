import type { ExchangeCurrencies, PaymentMethodItem, QuoteData } from "@exchange/contract";
import { beforeAll, expect, inject } from "vitest";
import { type Answer, call, type ErrorAnswer } from "../support/http/api.ts";
import { type Integration, startIntegration } from "../support/interface/integration.ts";
import { readInterface, type Statement } from "../support/interface/statements.ts";
import { merchantCall, newSessionId, type TokenEnvelope } from "../support/orders/merchant.ts";
import type { Ok } from "../support/orders/purchase.ts";

const service = inject("service");
const EXAMPLE_SCOPES = ["wallet.read", "merchant.read"];

let shop: Integration;
beforeAll(async () => {
  shop = await startIntegration(service);
});

const create = (body: unknown) => shop.post<TokenEnvelope>("/public_token/create", body);
const script = (query: Readonly<Record<string, string>>) =>
  call<{ message: string }>(service, {
    path: `/v1/sdk/exchange.js?${new URLSearchParams(query).toString()}`,
  });
const page = () => ({ clientId: shop.merchant.clientId, env: "dev" });

function expectError({ status, body }: Answer<unknown>, expected = 400): void {
  expect(status).toBe(expected);
  const { code, message } = body as ErrorAnswer;
  expect([typeof code, typeof message]).toEqual(["string", "string"]);
}

/** The statements that hold for each documented endpoint of the merchant. */
const credentialStatements = (
  section: string,
  request: { readonly method?: string; readonly path: string },
): Statement[] =>
  (["x-api-key", "x-client-id"] as const).map((name) => [
    section,
    `without the required header ${name} it answers 401`,
    async () => {
      const headers = { ...shop.merchant.headers, [name]: "" };
      expectError(await call(service, { ...request, headers }), 401);
    },
  ]);

readInterface("POST /public_token/create", [
  [
    "4.1 POST /public_token/create",
    "it answers 201 with code OK, data and a message",
    async () => {
      const { status, body } = await create({ sessionId: newSessionId() });
      expect(status).toBe(201);
      expect(body).toEqual({
        code: "OK",
        data: expect.any(Object),
        message: expect.stringMatching(/\w+/),
      });
    },
  ],
  [
    "4.1 POST /public_token/create",
    "sessionId is required",
    async () => expectError(await create({})),
  ],
  [
    "4.1 POST /public_token/create",
    "sessionId is unique per order: used again after an order it is refused",
    async () => {
      const sessionId = newSessionId();
      expect((await create({ sessionId })).status).toBe(201);
      expect((await create({ sessionId })).status).toBe(201);
    },
  ],
  [
    "4.1 POST /public_token/create",
    "scope is optional",
    async () => expect((await create({ sessionId: newSessionId() })).status).toBe(201),
  ],
  [
    "4.1 POST /public_token/create",
    "scope is an array of the requested scopes",
    async () => {
      const made = await create({ sessionId: newSessionId(), scope: EXAMPLE_SCOPES });
      expect(made.body.data.scope).toEqual(EXAMPLE_SCOPES);
      expectError(await create({ sessionId: newSessionId(), scope: "wallet.read" }));
    },
  ],
  [
    "4.1 POST /public_token/create",
    "400 for an invalid body, with the error body",
    async () => expectError(await create({ sessionId: 7 })),
  ],
  ...credentialStatements("4.1 POST /public_token/create", {
    method: "POST",
    path: "/v1/public_token/create",
  }),
]);

readInterface("GET /sdk/exchange.js", [
  [
    "4.2 GET /sdk/exchange.js",
    "it needs no merchant headers and answers 200 with JavaScript",
    async () => {
      const answer = await script(page());
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toMatch(/^application\/javascript/);
    },
  ],
  ...(["clientId", "env"] as const).map(
    (name): Statement => [
      "4.2 GET /sdk/exchange.js",
      `${name} is required: without it, 500 with a message only`,
      async () => {
        const { [name]: _, ...rest } = page();
        const answer = await script(rest as Record<string, string>);
        expect([answer.status, answer.body]).toEqual([500, { message: expect.any(String) }]);
      },
    ],
  ),
  ...(
    [
      ["baseCurrency", "cad"],
      ["targetCurrency", "usdt-tron"],
      ["baseAmount", "125.5"],
      ["targetAmount", "0.01"],
      ["paymentMethod", "card"],
      ["walletAddress", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
    ] as const
  ).map(
    ([name, value]): Statement => [
      "4.2 GET /sdk/exchange.js",
      `${name} is optional and embedded`,
      async () => {
        const answer = await script({ ...page(), [name]: value });
        expect(answer.status).toBe(200);
        expect(answer.text).toContain(value);
      },
    ],
  ),
  ...(["baseAmount", "targetAmount"] as const).map(
    (name): Statement => [
      "4.2 GET /sdk/exchange.js",
      `${name} is a number`,
      async () => {
        const answer = await script({ ...page(), [name]: "ten" });
        expect([answer.status, Object.keys(answer.body)]).toEqual([500, ["message"]]);
      },
    ],
  ),
  [
    "4.2 GET /sdk/exchange.js",
    "clientId is a merchant's: another one is the documented 500, and the message says so",
    async () => {
      const unknown = await script({ ...page(), clientId: "client_dev_AAAAAAAAAAAAAAAA" });
      expect([unknown.status, unknown.body.message]).toEqual([
        500,
        expect.stringContaining("not a client id"),
      ]);
      const foreign = await script({ ...page(), clientId: "client_prod_AAAAAAAAAAAAAAAA" });
      expect([foreign.status, foreign.body.message]).toEqual([
        500,
        expect.stringContaining("belongs to prod"),
      ]);
    },
  ],
  [
    "5 Authentication",
    "the script exposes no credentials of the merchant",
    async () => {
      const { text } = await script(page());
      expect(text).not.toContain(shop.merchant.apiKey);
      expect(text).not.toMatch(/exk_|whsec_/);
    },
  ],
  [
    "4.2 GET /sdk/exchange.js",
    "env is one of dev, staging and prod: this installation serves its own",
    async () => {
      for (const env of ["staging", "prod", "test"]) {
        const answer = await script({ ...page(), env });
        expect([answer.status, answer.body.message]).toEqual([500, expect.stringContaining("env")]);
      }
    },
  ],
]);

/** The rows of an endpoint that takes an operation type and a country. */
const placeStatements = (section: string, path: string): Statement[] => [
  ...credentialStatements(section, { path: `/v1${path}?operationType=B&countryCode=CA` }),
  ...["B", "S", "CC", "FF"].map(
    (operationType): Statement => [
      section,
      `operationType ${operationType} answers 200 with success true, code ok and data`,
      async () => {
        const { status, body } = await shop.get<Ok<unknown>>(
          `${path}?operationType=${operationType}&countryCode=CA`,
        );
        expect([status, body.success, body.code]).toEqual([200, true, "ok"]);
        expect(Object.keys(body).toSorted()).toEqual(["code", "data", "success"]);
      },
    ],
  ),
  ...["countryCode=CA", "operationType=B", "operationType=X&countryCode=CA"].map(
    (query): Statement => [
      section,
      `400 for ${query} alone, since operationType and countryCode are required`,
      async () => expectError(await shop.get(`${path}?${query}`)),
    ],
  ),
  [
    section,
    "countryCode is an ISO country code",
    async () => {
      expectError(await shop.get(`${path}?operationType=B&countryCode=XX`));
      expectError(await shop.get(`${path}?operationType=B&countryCode=CAN`));
    },
  ],
];

readInterface("GET /payment-methods", [
  ...placeStatements("4.3 GET /payment-methods", "/payment-methods"),
  [
    "4.3 GET /payment-methods",
    "data is an array of payment method items",
    async () => expect((await shop.methods("B")).length).toBeGreaterThan(1),
  ],
  ...["true", "false"].map(
    (value): Statement => [
      "4.3 GET /payment-methods",
      `includeDeliveryMethods takes ${value}`,
      async () => {
        const query = `operationType=S&countryCode=CA&includeDeliveryMethods=${value}`;
        const { body } = await shop.get<Ok<PaymentMethodItem[]>>(`/payment-methods?${query}`);
        expect(body.data[0]?.deliveryMethods !== undefined).toBe(value === "true");
      },
    ],
  ),
  [
    "4.3 GET /payment-methods",
    "includeDeliveryMethods takes nothing else",
    async () => {
      const query = "operationType=B&countryCode=CA&includeDeliveryMethods=yes";
      expectError(await shop.get(`/payment-methods?${query}`));
    },
  ],
]);

readInterface("GET /exchange/currencies", [
  ...placeStatements("4.4 GET /exchange/currencies", "/exchange/currencies"),
  [
    "4.4 GET /exchange/currencies",
    "data has the currencies of the operation",
    async () => {
      const data: ExchangeCurrencies = await shop.currencies("B");
      expect(data.cryptoCurrencies.length).toBeGreaterThan(0);
      expect(data.fiatCurrencies.length).toBeGreaterThan(0);
    },
  ],
]);

const quoteWith = async (changes: Readonly<Record<string, unknown>>) =>
  shop.post<Ok<QuoteData>>("/exchange/quotes", { ...(await shop.quoteRequest("B")), ...changes });

readInterface("POST /exchange/quotes", [
  ...credentialStatements("4.5 POST /exchange/quotes", {
    method: "POST",
    path: "/v1/exchange/quotes",
  }),
  ...(["B", "S", "CC", "FF"] as const).map(
    (operationType): Statement => [
      "4.5 POST /exchange/quotes",
      `operationType ${operationType} answers 200 with success true, code ok and data`,
      async () => {
        const { status, body } = await shop.quote(operationType);
        expect([status, body.success, body.code]).toEqual([200, true, "ok"]);
      },
    ],
  ),
  ...["operationType", "baseCurrencyId", "baseAmount", "targetCurrencyId", "paymentMethodId"].map(
    (name): Statement => [
      "4.5 POST /exchange/quotes",
      `${name} is required`,
      async () => expectError(await quoteWith({ [name]: undefined })),
    ],
  ),
  ...["baseCurrencyId", "targetCurrencyId", "paymentMethodId", "deliveryMethodId"].map(
    (name): Statement => [
      "4.5 POST /exchange/quotes",
      `${name} is an integer`,
      async () => expectError(await quoteWith({ [name]: "1" })),
    ],
  ),
  [
    "4.5 POST /exchange/quotes",
    "baseAmount is a number in the base currency",
    async () => {
      expectError(await quoteWith({ baseAmount: "100" }));
      const { body } = await quoteWith({ baseAmount: 250.5 });
      expect(body.data.spend).toMatchObject({ amount: 250.5, currencyCode: "CAD" });
    },
  ],
  [
    "4.5 POST /exchange/quotes",
    "deliveryMethodId is optional",
    async () => {
      const query = "operationType=S&countryCode=CA&includeDeliveryMethods=true";
      const { body } = await shop.get<Ok<PaymentMethodItem[]>>(`/payment-methods?${query}`);
      const deliveryMethodId = body.data[0]?.deliveryMethods?.find(
        ({ currencyCodes }) => currencyCodes === null || currencyCodes.includes("CAD"),
      )?.id;
      const request = { ...(await shop.quoteRequest("S")), deliveryMethodId };
      expect((await shop.post("/exchange/quotes", request)).status).toBe(200);
    },
  ],
]);

readInterface("requests", [
  [
    "4 Endpoints",
    "requests with bodies use application/json",
    async () => {
      const answer = await merchantCall(service, shop.merchant, {
        method: "POST",
        path: "/v1/exchange/quotes",
        headers: { "content-type": "text/plain" },
        rawBody: "{}",
      });
      expectError(answer, 415);
    },
  ],
  [
    "4 Endpoints",
    "an unknown query parameter is invalid input and not ignored",
    async () => expectError(await shop.get("/orders?walletAddress=x")),
  ],
]);
