import { ENDPOINTS, encodeJson } from "@exchange/contract";
import { money, parseDecimal } from "@exchange/money";
import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { FLAT_FEES } from "../../domain/ports/network-fees.ts";
import { drawUpQuote, type QuoteCircumstances } from "../../domain/quotes/draw-up-quote.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { NO_CONTROLS } from "../../testing/exchanges.ts";
import { faultsOf } from "../../testing/http-world.ts";
import { ok } from "../wire.ts";
import { presentQuote } from "./present.ts";

const PRICES = { EUR: { units: 11n, scale: 1 }, ETH: { units: 2_000n, scale: 0 } };
const rates: QuoteCircumstances["rates"] = {
  name: "fixed",
  prices: (at) => ({
    at,
    price: (code) => PRICES[code as keyof typeof PRICES],
    evidence: () => ({ at, sources: ["fixed"], apartBasisPoints: 0, kind: "sandbox" }),
    costBasisPoints: () => 0,
  }),
};

let catalogue: Catalogue;
let quote: Quote;

beforeAll(async () => {
  catalogue = await shippedCatalogue();
  const idOf = (reference: string) => found(catalogue.currencyByCodeOrReference(reference)).id;
  const drawn = drawUpQuote(
    {
      catalogue,
      controls: NO_CONTROLS,
      rates,
      networkFees: FLAT_FEES,
      now: new Date("2026-01-01T00:00:00Z"),
      quoteId: "quo_1",
    },
    {
      merchantId: "client_dev_1",
      operation: "buy",
      spendCurrencyId: idOf("eur"),
      receiveCurrencyId: idOf("eth"),
      paymentMethodId: found(catalogue.paymentMethods.find(({ reference }) => reference === "card"))
        .id,
      size: { side: "spend", amount: found(parseDecimal("100.5")) },
    },
  );
  if (!drawn.ok) throw new Error(drawn.refusal.message);
  quote = drawn.value;
});

const shown = (changes: Partial<Quote> = {}) =>
  JSON.parse(encodeJson(ok(presentQuote({ ...quote, ...changes }, catalogue))));

test("a quote is JSON as its schema says, with its own amounts, name and expiry", () => {
  const answer = shown();
  expect(faultsOf(ENDPOINTS.createQuote, answer)).toEqual([]);
  expect(answer.data).toMatchObject({
    spend: { amount: 100.5, currencyCode: "EUR", currencyReference: "eur" },
    receive: { currencyCode: "ETH", currencyReference: "eth" },
    paymentMethod: { reference: "card" },
    receivePaymentMethod: { reference: "crypto" },
    quoteId: "quo_1",
    expiresAt: Date.parse("2026-01-01T00:00:30Z") / 1000,
    limits: { currencyCode: "EUR" },
  });
  const { transactionFee, fees } = answer.data;
  expect(fees.map(({ type }: { type: string }) => type)).toEqual(["percentage", "fixed"]);
  expect(fees[0].amount + fees[1].amount).toBeCloseTo(transactionFee.amount, 8);
});

test("nothing of one quote is seen in the next", () => {
  shown();
  expect(shown({ fees: [] }).data.fees).toEqual([]);
  expect(shown({ deliveryDays: { min: null, max: 9 } }).data.delivery.time).toEqual({
    minDays: null,
    maxDays: 9,
  });
  expect(shown({ receive: quote.spend }).data.receive.currencyReference).toBe("eur");
  expect(shown({ spend: quote.receive }).data.spend.currencyReference).toBe("eth");
  const { min, max } = quote.limits;
  const wider = { min: money(min.asset, min.units - 100n), max: money(max.asset, max.units * 2n) };
  expect(shown({ limits: wider }).data.limits).toMatchObject({ min: 14, max: 10_000 });
  expect(shown().data.limits).toMatchObject({ min: 15, max: 5_000 });
  expect(shown({ rate: { units: 5n, scale: 1 } }).data.rate).toBe(0.5);
  expect(shown({ rate: { units: 25n, scale: 1 } }).data.rate).toBe(2.5);
});
