import { randomUUID } from "node:crypto";
import { ENDPOINTS, type ExchangeCurrencies } from "@exchange/contract";
import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { buildCatalogue } from "../../domain/catalogue/catalogue.ts";
import { shippedCatalogue } from "../../testing/catalogue.ts";
import type { Ok } from "../../testing/checkout-browser.ts";
import { useConsole } from "../../testing/console-world.ts";
import { type ErrorReply, faultsOf, makeHttpWorld } from "../../testing/http-world.ts";
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

test("no lock and no default of a merchant spends it, and the settings do not list it there", async () => {
  const message = expect.stringMatching(/usdc-solana is only paid out.* without paidOutOnly/);
  const lock = { baseCurrency: TOKEN };
  const locked = await desk.world.createToken<ErrorReply>({ sessionId: randomUUID(), lock });
  expect([locked.status, locked.body.code]).toEqual([400, "UNSUPPORTED_PAIR"]);
  expect(locked.body.details).toMatchObject([{ path: "body.lock.baseCurrency", issue: message }]);
  const received = { targetCurrency: TOKEN };
  const { status } = await desk.world.createToken({ sessionId: randomUUID(), lock: received });
  expect(status).toBe(201);
  const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  const change = (payload: object) => owner.call(CALLS.changeMerchantSettings, { payload });
  const refused = await change({ baseCurrency: TOKEN });
  expect([refused.status, refused.code]).toEqual([400, "INVALID_INPUT"]);
  expect((await change({ targetCurrency: TOKEN })).status).toBe(200);
  const { currencies, spendCurrencies } = (await owner.call(CALLS.readMerchantSettings)).body.data;
  const without = currencies.filter(({ value }) => value !== TOKEN);
  expect([without.length, spendCurrencies]).toEqual([currencies.length - 1, without]);
});
