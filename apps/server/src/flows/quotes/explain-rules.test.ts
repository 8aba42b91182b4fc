import { parseDecimal } from "@exchange/money";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { OPERATION_SIDES, OPERATIONS } from "../../domain/catalogue/operation.ts";
import type { ExchangeControls } from "../../domain/payouts/controls.ts";
import { FLAT_FEES } from "../../domain/ports/network-fees.ts";
import { drawUpQuote } from "../../domain/quotes/draw-up-quote.ts";
import type { ExchangeWish } from "../../domain/rules/terms.ts";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { NO_CONTROLS, testRates } from "../../testing/exchanges.ts";
import { type ExplainDeps, explainRules } from "./explain-rules.ts";

const NOW = new Date(Date.UTC(2026, 0, 15, 12));
const MERCHANT = "client_dev_A";

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await shippedCatalogue();
}, 60_000);

const depsWith = (changes: Partial<ExplainDeps> = {}): ExplainDeps => ({
  catalogue: () => catalogue,
  directory: () => ({
    merchant: (id) =>
      id === MERCHANT
        ? {
            id,
            name: "Shop",
            settings: {
              allowedOrigins: [],
              countryCode: "DE",
              defaults: { baseCurrency: "eur", targetCurrency: "btc" },
            },
          }
        : undefined,
    apiKey: () => undefined,
    listKeyIds: () => [],
  }),
  controls: () => NO_CONTROLS,
  rates: testRates,
  networkFees: FLAT_FEES,
  clock: { now: () => NOW },
  ...changes,
});

interface Words {
  readonly spend?: string;
  readonly receive?: string;
  readonly method?: string;
  readonly delivery?: string;
  readonly amount?: string;
}

function wish(words: Words = {}, changes: Partial<ExchangeWish> = {}): ExchangeWish {
  const { spend = "cad", receive = "btc", method = "card", delivery, amount = "250" } = words;
  const idOf = (text: string) => found(catalogue.currencyByCodeOrReference(text)).id;
  return {
    merchantId: MERCHANT,
    operation: "buy",
    spendCurrencyId: idOf(spend),
    receiveCurrencyId: idOf(receive),
    paymentMethodId: found(catalogue.paymentMethodByReference(method)).id,
    deliveryMethodId: delivery && found(catalogue.deliveryMethodByReference(delivery)).id,
    countryCode: "CA",
    size: { side: "spend", amount: found(parseDecimal(amount)) },
    ...changes,
  } as ExchangeWish;
}

const explain = (exchangeWish: ExchangeWish, changes: Partial<ExplainDeps> = {}) =>
  explainRules(depsWith(changes), exchangeWish);

test("an offer is explained from the country to the liquidity, with the rules of its price and limits", () => {
  const { looks, verdict } = explain(wish());
  expect(verdict).toMatchObject({ ok: true });
  expect([...new Set(looks.map(({ rule }) => rule))]).toEqual([
    "country",
    "currency",
    "pair",
    "payment method",
    "pricing rule",
    "delivery method",
    "limit",
    "choice",
    "stop",
    "price",
    "amount",
    "liquidity",
  ]);
  expect(looks.filter(({ verdict: mark }) => mark === "refuses")).toEqual([]);
  const applied = looks.filter(
    (look) => look.rule === "pricing rule" && look.verdict === "applies",
  );
  expect(applied).toMatchObject([
    { subject: "card-buy", figures: expect.stringContaining("fee 290 basis points") },
  ]);
  const binding = looks.filter((look) => look.rule === "limit" && look.verdict === "applies");
  expect(binding.map(({ why }) => why)).toEqual([
    "sets the most, 8000 CAD",
    "sets the least, 24 CAD",
  ]);
});

describe("the rule that refuses", () => {
  const stops = (kind: "pair" | "merchant", subject: string): ExchangeControls => ({
    ...NO_CONTROLS,
    stops: [
      {
        kind,
        subject,
        reason: "a test",
        setBy: "anna",
        peopleToResume: 1,
        agreed: [],
        since: NOW,
      },
    ],
  });

  test.each<[string, () => ExchangeWish, Partial<ExplainDeps>, object, string]>([
    ["a country", () => wish({}, { countryCode: "XX" }), {}, { rule: "country" }, "not known"],
    ["a currency", () => wish({}, { spendCurrencyId: 1 }), {}, { rule: "currency" }, "not known"],
    ["a pair", () => wish({ receive: "eur" }), {}, { rule: "pair" }, "not what this operation"],
    [
      "a payment method's currency",
      () => wish({ spend: "eur", method: "interac" }, { countryCode: undefined }),
      {},
      { rule: "payment method", subject: "interac" },
      "does not take the currency",
    ],
    [
      "a payment method's country",
      () => wish({ method: "interac" }, { countryCode: "DE" }),
      {},
      { rule: "payment method", subject: "interac" },
      "not offered in this country",
    ],
    [
      "a payment method's operation",
      () => wish({ method: "crypto" }),
      {},
      { rule: "payment method", subject: "crypto" },
      "not for this operation",
    ],
    [
      "a delivery method",
      () => wish({ delivery: "sepa" }),
      {},
      { rule: "delivery method", subject: "sepa" },
      "not for this operation|not offered|does not pay out",
    ],
    [
      "a small amount",
      () => wish({ amount: "1" }),
      {},
      { rule: "amount" },
      "The minimum is 24 CAD",
    ],
    [
      "a large amount",
      () => wish({ amount: "9000" }),
      {},
      { rule: "amount" },
      "The maximum is 8000",
    ],
    ["a fine amount", () => wish({ amount: "50.001" }), {}, { rule: "amount" }, "2 decimals"],
    ["no rates", () => wish(), { rates: undefined }, { rule: "price" }, "no fresh prices"],
    [
      "a stopped pair",
      () => wish(),
      { controls: () => stops("pair", "cad-btc") },
      { rule: "stop" },
      "paused",
    ],
    [
      "a stopped merchant",
      () => wish(),
      { controls: () => stops("merchant", MERCHANT) },
      { rule: "stop" },
      "paused",
    ],
    [
      "a position that is used up",
      () => wish(),
      { controls: () => ({ ...NO_CONTROLS, headroom: new Map([[1001, 100n]]) }) },
      { rule: "liquidity", subject: "BTC" },
      "cannot provide",
    ],
  ])("for %s is the last one, and says why", (_what, makeWish, changes, look, why) => {
    const { looks, verdict } = explain(makeWish(), changes);
    expect(verdict.ok).toBe(false);
    expect(looks.at(-1)).toMatchObject({ ...look, verdict: "refuses" });
    expect(looks.at(-1)?.why).toMatch(new RegExp(why));
    expect(looks.filter((one) => one.verdict === "refuses")).toHaveLength(1);
  });
});

test("a merchant that is not there is refused", () => {
  expect(() => explain(wish({}, { merchantId: "client_dev_B" }))).toThrow("no merchant");
});

test("for any request the explanation's verdict is the quote that a merchant would get", () => {
  const pick = <Item>(items: readonly Item[], index: number): Item =>
    found(items[index % items.length]);
  let offered = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.boolean(),
      (
        [operation = 0, spend = 0, receive = 0, method = 0, delivery = 0, country = 0],
        cents,
        named,
      ) => {
        const does = pick(OPERATIONS, operation);
        const of = (kind: string) => catalogue.currencies.filter((one) => one.kind === kind);
        const methods = catalogue.paymentMethods.filter((one) => one.operations.has(does));
        const exchangeWish = wish(
          {},
          {
            operation: does,
            spendCurrencyId: pick(of(OPERATION_SIDES[does].spend), spend).id,
            receiveCurrencyId: pick(of(OPERATION_SIDES[does].receive), receive).id,
            paymentMethodId: pick(methods, method).id,
            deliveryMethodId: named ? pick(catalogue.deliveryMethods, delivery).id : undefined,
            countryCode: pick(catalogue.countries, country).code,
            size: { side: "spend", amount: { units: BigInt(cents), scale: 2 } },
          },
        );
        const { looks, verdict } = explain(exchangeWish);
        const quote = drawUpQuote(
          {
            catalogue,
            controls: NO_CONTROLS,
            rates: testRates,
            networkFees: FLAT_FEES,
            now: NOW,
            quoteId: "",
          },
          exchangeWish,
        );
        expect(verdict).toEqual(quote);
        if (verdict.ok) offered += 1;
        expect(looks.filter((look) => look.verdict === "refuses").length).toBeLessThanOrEqual(1);
        if (verdict.ok)
          expect(looks.at(-1)).toMatchObject({ rule: "liquidity", verdict: "passes" });
      },
    ),
    { numRuns: 5_000 },
  );
  expect(offered).toBeGreaterThan(300);
});
