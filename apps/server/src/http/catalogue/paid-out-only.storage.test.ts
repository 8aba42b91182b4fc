import { ENDPOINTS, type ExchangeCurrencies } from "@exchange/contract";
import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { buildCatalogue } from "../../domain/catalogue/catalogue.ts";
import { shippedCatalogue } from "../../testing/catalogue.ts";
import type { Ok } from "../../testing/checkout-browser.ts";
import { useConsole } from "../../testing/console-world.ts";
import { faultsOf, makeHttpWorld } from "../../testing/http-world.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

const TOKEN = "usdc-solana";

/** An installation that pays a token of Solana and does not take it. */
const desk = useConsole(async () => {
  const shipped = await shippedCatalogue();
  const currencies = shipped.currencies.map((currency) =>
    currency.reference === TOKEN ? { ...currency, isPaidOutOnly: true as const } : currency,
  );
  const catalogue = buildCatalogue({ ...shipped, currencies });
  return makeHttpWorld({ deps: { catalogue: () => catalogue } });
});

test.each([
  ["B", true],
  ["CC", true],
  ["S", undefined],
])(
  "the currencies of %s say that a token is only paid out, where they have it",
  async (operationType, mark) => {
    const { status, body } = await desk.world.call<Ok<ExchangeCurrencies>>({
      url: `/v1/exchange/currencies?operationType=${operationType}&countryCode=DE`,
      headers: desk.world.shop.headers,
    });
    expect(status).toBe(200);
    expect(faultsOf(ENDPOINTS.listCurrencies, body)).toEqual([]);
    const { cryptoCurrencies } = body.data;
    const token = cryptoCurrencies.find(({ reference }) => reference === TOKEN);
    expect(token?.paidOutOnly).toBe(mark);
    const others = cryptoCurrencies.filter(({ reference }) => reference !== TOKEN);
    expect(others.length).toBeGreaterThan(20);
    expect(others.filter((other) => "paidOutOnly" in other)).toEqual([]);
  },
);

test("the code of a page never spends a token that is only paid out", async () => {
  const developer = await desk.person(["merchant_developer"], MERCHANT_ID);
  const query = { operationType: "CC", baseCurrency: TOKEN, targetCurrency: TOKEN };
  const { body } = await developer.call(CALLS.readInstallKit, { query });
  const { spend, receive, baseCurrency, targetCurrency } = body.data;
  expect(spend.length).toBeGreaterThan(20);
  expect(spend.map(({ reference }) => reference)).not.toContain(TOKEN);
  expect(receive.map(({ reference }) => reference)).toContain(TOKEN);
  expect([baseCurrency === TOKEN, targetCurrency]).toEqual([false, TOKEN]);
});
