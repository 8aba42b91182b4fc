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

describe("a refused exchange names the member that is refused", () => {
  interface Wrong {
    readonly code: string;
    readonly path: string;
    readonly change: (choice: Choice) => Partial<Choice>;
  }
  const UNKNOWN_ID = 999_999;
  const WRONG: readonly Wrong[] = [
    {
      code: "CURRENCY_NOT_FOUND",
      path: "baseCurrencyId",
      change: () => ({ baseCurrencyId: UNKNOWN_ID }),
    },
    {
      code: "CURRENCY_NOT_FOUND",
      path: "targetCurrencyId",
      change: () => ({ targetCurrencyId: UNKNOWN_ID }),
    },
    {
      code: "UNSUPPORTED_PAIR",
      path: "targetCurrencyId",
      change: () => ({ targetCurrencyId: idOf("cad") }),
    },
    {
      code: "UNSUPPORTED_PAIR",
      path: "baseCurrencyId",
      change: () => ({ baseCurrencyId: idOf("eth") }),
    },
    {
      code: "PAYMENT_METHOD_NOT_FOUND",
      path: "paymentMethodId",
      change: () => ({ paymentMethodId: UNKNOWN_ID }),
    },
    {
      code: "DELIVERY_METHOD_UNAVAILABLE",
      path: "deliveryMethodId",
      change: () => ({ deliveryMethodId: UNKNOWN_ID }),
    },
  ];
  const firstChoice = async (): Promise<Choice> => {
    const [ids, byName] = [
      { baseCurrencyId: idOf("eur"), targetCurrencyId: idOf("btc") },
      "operationType=B&baseCurrency=eur&targetCurrency=btc",
    ];
    const way = found((await limits(byName)).body.data.ways[0]);
    return {
      operationType: "B",
      ...ids,
      paymentMethodId: way.paymentMethod.id,
      deliveryMethodId: way.deliveryMethod.id,
    };
  };

  test.each(WRONG)("$code of $path, in a quote and in limits", async ({ code, path, change }) => {
    const choice = await firstChoice();
    const wrong = { ...choice, ...change(choice) };
    const quoted = await quote<ErrorReply>(wrong, 100);
    const issue = quoted.body.message;
    expect([quoted.status, quoted.body.code]).toEqual([400, code]);
    expect(quoted.body.details).toEqual([{ path: `body.${path}`, issue }]);
    const query = new URLSearchParams(
      Object.entries(wrong).map(([name, id]): [string, string] => [name, String(id)]),
    );
    const listed = await limits<ErrorReply>(query.toString());
    expect(listed.body.code).toBe(code);
    expect(listed.body.details).toEqual([{ path: `query.${path}`, issue }]);
  });

  test("the query names the currency as the caller did", async () => {
    const named = "operationType=S&baseCurrency=eur&targetCurrency=cad";
    const { body } = await limits<ErrorReply>(named);
    expect(body.details?.[0]?.path).toBe("query.baseCurrency");
  });

  test("an amount outside of the limits names its member beside them", async () => {
    const { body } = await quote<ErrorReply>(await firstChoice(), 1);
    expect(body.details).toEqual([
      {
        path: "body.baseAmount",
        issue: body.message,
        min: expect.any(Number),
        max: expect.any(Number),
        currencyCode: "EUR",
        boundBy: expect.any(String),
      },
    ]);
  });
});
