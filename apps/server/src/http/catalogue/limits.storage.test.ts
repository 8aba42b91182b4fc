import {
  type CountryItem,
  ENDPOINTS,
  type ExchangeCurrencies,
  type ExchangeLimits,
  type PaymentMethodItem,
  type QuoteData,
} from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import type { Ok } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
} from "../../testing/http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const get = <Body>(url: string) =>
  world.call<Body>({ url: `/v1${url}`, headers: world.shop.headers });

const limits = <Body = Ok<ExchangeLimits>>(query: string) => get<Body>(`/exchange/limits?${query}`);

interface Choice {
  readonly operationType: string;
  readonly baseCurrencyId: number;
  readonly targetCurrencyId: number;
  readonly paymentMethodId: number;
  readonly deliveryMethodId: number;
}

const quote = <Body>(choice: Choice, baseAmount: number) =>
  world.call<Body>({
    method: "POST",
    url: "/v1/exchange/quotes",
    headers: world.shop.headers,
    payload: { ...choice, baseAmount },
  });

const idOf = (reference: string): number =>
  found(world.deps.catalogue().currencyByCodeOrReference(reference)).id;

describe("limits, quotes and errors have the same figures", () => {
  test.each([
    ["B", "cad", "btc"],
    ["B", "eur", "usdt-tron"],
    ["S", "btc", "eur"],
    ["CC", "btc", "eth"],
    ["FF", "cad", "eur"],
  ])("%s from %s to %s, for every way", async (operationType, base, target) => {
    const { status, body } = await limits(
      `operationType=${operationType}&baseCurrency=${base}&targetCurrency=${target}`,
    );
    expect(status).toBe(200);
    expect(faultsOf(ENDPOINTS.readExchangeLimits, body)).toEqual([]);
    const { ways, currencyCode } = body.data;
    expect(ways.length).toBeGreaterThan(0);
    for (const { paymentMethod, deliveryMethod, min, max, boundBy } of ways) {
      const choice = {
        operationType,
        baseCurrencyId: idOf(base),
        targetCurrencyId: idOf(target),
        paymentMethodId: paymentMethod.id,
        deliveryMethodId: deliveryMethod.id,
      };
      for (const amount of [min, max]) {
        const quoted = await quote<Ok<QuoteData>>(choice, amount);
        expect(quoted.body.data.limits).toEqual({ min, max, currencyCode });
      }
      const low = await quote<ErrorReply>(choice, min / 2);
      expect(low.body).toMatchObject({
        code: "AMOUNT_BELOW_MINIMUM",
        details: [{ min, max, currencyCode, boundBy: boundBy.min }],
      });
      const high = await quote<ErrorReply>(choice, max * 2);
      expect(high.body).toMatchObject({
        code: "AMOUNT_ABOVE_MAXIMUM",
        details: [{ min, max, currencyCode, boundBy: boundBy.max }],
      });
      const named = new URLSearchParams(
        Object.entries(choice).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const alone = await limits(String(named));
      expect(alone.body.data).toEqual({
        min,
        max,
        boundBy,
        currencyCode,
        ways: [expect.anything()],
      });
    }
    expect(body.data.min).toBe(Math.min(...ways.map(({ min }) => min)));
    expect(body.data.max).toBe(Math.max(...ways.map(({ max }) => max)));
  });
});

test.each([
  ["operationType=B&baseCurrency=cad", "INVALID_INPUT"],
  ["operationType=B&baseCurrency=cad&baseCurrencyId=124&targetCurrency=btc", "INVALID_INPUT"],
  ["operationType=X&baseCurrency=cad&targetCurrency=btc", "INVALID_OPERATION_TYPE"],
  ["operationType=B&baseCurrency=cad&targetCurrency=nothing", "CURRENCY_NOT_FOUND"],
  ["operationType=B&baseCurrency=cad&targetCurrencyId=999999", "CURRENCY_NOT_FOUND"],
  ["operationType=B&baseCurrency=btc&targetCurrency=cad", "UNSUPPORTED_PAIR"],
  ["operationType=B&baseCurrency=cad&targetCurrency=btc&countryCode=XX", "INVALID_COUNTRY"],
  [
    "operationType=B&baseCurrency=cad&targetCurrency=btc&countryCode=KP",
    "PAYMENT_METHOD_UNAVAILABLE",
  ],
  [
    "operationType=B&baseCurrency=cad&targetCurrency=btc&paymentMethodId=99",
    "PAYMENT_METHOD_NOT_FOUND",
  ],
  [
    "operationType=B&baseCurrency=cad&targetCurrency=btc&deliveryMethodId=99",
    "DELIVERY_METHOD_UNAVAILABLE",
  ],
])("%s is refused with %s", async (query, code) => {
  const reply = await limits<ErrorReply>(query);
  expect([reply.status, reply.body.code]).toEqual([400, code]);
});

test("a country offers exactly the operations for which its lists have something", async () => {
  const { status, body } = await get<Ok<CountryItem[]>>("/exchange/countries");
  expect(status).toBe(200);
  expect(faultsOf(ENDPOINTS.listCountries, body)).toEqual([]);
  const listed = new Map(body.data.map((country) => [country.code, country]));
  expect(listed.get("CA")).toMatchObject({ name: "Canada", currencyCode: "CAD" });
  expect(listed.has("KP")).toBe(false);
  for (const code of ["CA", "DE", "JP"]) {
    for (const type of ["S", "B", "FF", "CC"] as const) {
      const query = `operationType=${type}&countryCode=${code}`;
      const methods = await get<Ok<PaymentMethodItem[]>>(`/payment-methods?${query}`);
      const lists = await get<Ok<ExchangeCurrencies>>(`/exchange/currencies?${query}`);
      const { cryptoCurrencies, fiatCurrencies } = lists.body.data;
      const isOffered =
        methods.body.data.length > 0 &&
        (type === "FF" || cryptoCurrencies.length > 0) &&
        (type === "CC" || fiatCurrencies.length > 0);
      expect(listed.get(code)?.operationTypes.includes(type), `${code} ${type}`).toBe(isOffered);
    }
  }
});
