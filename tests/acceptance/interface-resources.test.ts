import type {
  ExchangeCurrencies,
  PaymentMethodItem,
  PublicToken,
  QuoteData,
  Wallet,
  WalletLookupResult,
} from "@exchange/contract";
import { beforeAll, expect, inject } from "vitest";
import { type Integration, itemOf, startIntegration } from "../support/interface/integration.ts";
import { fieldStatements, readInterface } from "../support/interface/statements.ts";
import { newSessionId, type TokenEnvelope } from "../support/orders/merchant.ts";
import { BITCOIN_ADDRESS, type Ok } from "../support/orders/purchase.ts";

const service = inject("service");
const EVM_ADDRESS = "0xde709f2102306220921060314715629080e2fb77";

let shop: Integration;
let token: PublicToken;
/** The Unix seconds before the token was asked for and after it came. */
let tokenMade: { readonly from: number; readonly until: number };
let method: PaymentMethodItem;
let currencies: ExchangeCurrencies;
let quote: QuoteData;
let wallet: Wallet;
let lookup: WalletLookupResult;

beforeAll(async () => {
  shop = await startIntegration(service);
  const body = { sessionId: newSessionId() };
  const from = Math.floor(Date.now() / 1_000);
  token = (await shop.post<TokenEnvelope>("/public_token/create", body)).body.data;
  tokenMade = { from, until: Math.ceil(Date.now() / 1_000) };
  [method = expect.fail("no payment method")] = await shop.methods("B");
  currencies = await shop.currencies("B");
  quote = (await shop.quote("B")).body.data;
  const request = {
    walletAddress: BITCOIN_ADDRESS,
    currencyCode: "BTC",
    networkCode: "bitcoin",
    user: { firstName: "Ada", lastName: "Lovelace" },
  };
  wallet = (await shop.post<{ data: Wallet }>("/wallets", request)).body.data;
  lookup = (await lookUp(BITCOIN_ADDRESS, "BTC")).body;
});

const lookUp = (walletAddress: string, currencyCode: string) =>
  shop.get<WalletLookupResult>(
    `/wallets/lookup?walletAddress=${walletAddress}&currencyCode=${currencyCode}`,
  );

readInterface("public token", [
  ...fieldStatements("2.1 Public token", () => token, {
    accessToken: "string",
    tokenType: "string",
    expiresIn: "integer",
    expiresAt: "integer",
    scope: "array of string",
    jti: "string",
  }),
  [
    "2.1 Public token",
    "accessToken is a JWT, whose id is jti",
    () => {
      const [, payload = ""] = token.accessToken.split(".");
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
      expect(claims).toMatchObject({ jti: token.jti, exp: token.expiresAt });
    },
  ],
  ["2.1 Public token", "tokenType is a bearer type", () => expect(token.tokenType).toBe("Bearer")],
  [
    "2.1 Public token",
    "expiresAt is the Unix second at which expiresIn seconds have passed",
    () => {
      const madeAt = token.expiresAt - token.expiresIn;
      expect(madeAt).toBeGreaterThanOrEqual(tokenMade.from);
      expect(madeAt).toBeLessThanOrEqual(tokenMade.until);
    },
  ],
  ["2.1 Public token", "scope lists the granted scopes", () => expect(token.scope).not.toEqual([])],
]);

readInterface("session", [
  [
    "2.2 Session",
    "sessionId is a string that the merchant chooses",
    async () => {
      for (const sessionId of ["7", "cart 1 / Ünï#%?&", "x".repeat(255), newSessionId()]) {
        const made = await shop.post("/public_token/create", { sessionId });
        expect([sessionId, made.status]).toEqual([sessionId, 201]);
        const path = `/sessions/${encodeURIComponent(sessionId)}`;
        expect((await shop.get<Ok<{ sessionId: string }>>(path)).body.data.sessionId).toBe(
          sessionId,
        );
      }
    },
  ],
]);

readInterface("payment method item", [
  ...fieldStatements("2.3 Payment method item", () => method, {
    id: "integer",
    live: "boolean",
    name: "string",
    reference: "string",
  }),
  [
    "2.3 Payment method item",
    "id is the paymentMethodId of quotes",
    () => expect(quote.paymentMethod.id).toBe(method.id),
  ],
  ["2.3 Payment method item", "live is false in a test", () => expect(method.live).toBe(false)],
  [
    "2.3 Payment method item",
    "reference is a value of the SDK's paymentMethod",
    async () => {
      const lock = { paymentMethod: method.reference };
      const made = await shop.post("/public_token/create", { sessionId: newSessionId(), lock });
      expect(made.status).toBe(201);
    },
  ],
  [
    "2.3 Payment method item",
    "delivery methods come with includeDeliveryMethods true",
    async () => {
      const query = "operationType=S&countryCode=CA&includeDeliveryMethods=true";
      const { body } = await shop.get<Ok<PaymentMethodItem[]>>(`/payment-methods?${query}`);
      expect(body.data[0]?.deliveryMethods?.length).toBeGreaterThan(0);
      expect((await shop.methods("S"))[0]).not.toHaveProperty("deliveryMethods");
    },
  ],
]);

const crypto = () => itemOf(currencies.cryptoCurrencies, "btc");
const fiat = () => itemOf(currencies.fiatCurrencies, "cad");
const CURRENCY = {
  id: "integer",
  code: "string",
  description: "string",
  shortName: "string or null",
  symbol: "string",
  type: "string",
  reference: "string or null",
} as const;

readInterface("currencies", [
  ...fieldStatements("2.4 Currency item, crypto", crypto, CURRENCY),
  ...fieldStatements("2.4 Currency item, fiat", fiat, CURRENCY),
  [
    "2.4 Currency item",
    "id is the baseCurrencyId and targetCurrencyId of quotes",
    async () => {
      const request = await shop.quoteRequest("B");
      expect([request["baseCurrencyId"], request["targetCurrencyId"]]).toEqual([
        fiat().id,
        crypto().id,
      ]);
    },
  ],
  [
    "2.4 Currency item",
    "shortName is null for crypto",
    () => expect(crypto().shortName).toBeNull(),
  ],
  ["2.4 Currency item", "type is C for crypto", () => expect(crypto().type).toBe("C")],
  ["2.4 Currency item", "type is F for fiat", () => expect(fiat().type).toBe("F")],
  [
    "2.4 Currency item",
    "reference is unique, and it or the code names the currency for the SDK",
    async () => {
      const all = [...currencies.cryptoCurrencies, ...currencies.fiatCurrencies];
      expect(new Set(all.map(({ reference }) => reference)).size).toBe(all.length);
      const lock = { baseCurrency: fiat().reference, targetCurrency: crypto().reference };
      const made = await shop.post("/public_token/create", { sessionId: newSessionId(), lock });
      expect(made.status).toBe(201);
      const codes = { baseCurrency: fiat().code, targetCurrency: crypto().code };
      const byCode = { sessionId: newSessionId(), lock: codes };
      expect((await shop.post("/public_token/create", byCode)).status).toBe(201);
    },
  ],
  [
    "2.5 Exchange currencies data",
    "one list has the cryptocurrencies that can be received",
    () => expect(currencies.cryptoCurrencies.every(({ type }) => type === "C")).toBe(true),
  ],
  [
    "2.5 Exchange currencies data",
    "one list has the fiat currencies that can be spent",
    () => expect(currencies.fiatCurrencies.every(({ type }) => type === "F")).toBe(true),
  ],
]);

readInterface("quote", [
  ...fieldStatements("2.6 Exchange quote data", () => quote, {
    "spend.amount": "number",
    "spend.currencyCode": "string",
    "spend.currencyReference": "string or null",
    "transactionFee.amount": "number",
    "transactionFee.currencyCode": "string",
    "receive.amount": "number",
    "receive.currencyCode": "string",
    "receive.currencyReference": "string",
    "delivery.fee.amount": "number",
    "delivery.fee.currencyCode": "string",
    "delivery.time.minDays": "integer or null",
    "delivery.time.maxDays": "integer or null",
    "paymentMethod.id": "integer",
    "paymentMethod.name": "string",
    "paymentMethod.reference": "string",
    "receivePaymentMethod.id": "integer",
    "receivePaymentMethod.name": "string",
    "receivePaymentMethod.reference": "string",
    rate: "number",
  }),
  ["2.6 Exchange quote data", "spend is what is spent", () => expect(quote.spend.amount).toBe(100)],
  [
    "2.6 Exchange quote data",
    "rate is target per base",
    () => {
      const received =
        quote.receive.amount + quote.transactionFee.amount + quote.delivery.fee.amount;
      expect(received / quote.spend.amount / quote.rate).toBeCloseTo(1, 3);
    },
  ],
]);

readInterface("wallets", [
  ...["walletAddress", "currencyCode"].map(
    (name) =>
      [
        "2.7 Wallet request",
        `${name} is required`,
        async () => {
          const whole = { walletAddress: BITCOIN_ADDRESS, currencyCode: "BTC" };
          const { status } = await shop.post("/wallets", { ...whole, [name]: undefined });
          expect(status).toBe(400);
        },
      ] as const,
  ),
  [
    "2.7 Wallet request",
    "networkCode is optional",
    async () => {
      const request = { walletAddress: BITCOIN_ADDRESS, currencyCode: "BTC" };
      expect((await shop.post("/wallets", request)).status).toBe(201);
    },
  ],
  ...fieldStatements("2.7 Wallet", () => wallet, {
    id: "integer",
    "user.firstName": "string",
    "user.lastName": "string",
    walletAddress: "string",
    currencyCode: "string",
    networkCode: "string",
  }),
  ...fieldStatements("2.7 Wallet lookup result", () => lookup, {
    success: "boolean",
    message: "string",
    wallet: "object",
    availableNetworks: "array of string",
    requiresNetworkCode: "boolean",
  }),
  [
    "2.7 Wallet lookup result",
    "it has these members and no other, so there is one success",
    () =>
      expect(Object.keys(lookup).toSorted()).toEqual([
        "availableNetworks",
        "message",
        "requiresNetworkCode",
        "success",
        "wallet",
      ]),
  ],
  [
    "2.7 Wallet lookup result",
    "wallet is a Wallet or null",
    async () => {
      expect(lookup.wallet).toMatchObject({ walletAddress: BITCOIN_ADDRESS });
      expect((await lookUp(EVM_ADDRESS, "ETH")).body.wallet).toBeNull();
    },
  ],
  [
    "2.7 Wallet lookup result",
    "an address of several networks requires a networkCode",
    async () => {
      const { body } = await lookUp(EVM_ADDRESS, "ETH");
      expect(body).toMatchObject({ success: false, requiresNetworkCode: true });
      expect(body.availableNetworks.length).toBeGreaterThan(1);
    },
  ],
]);
