import { formatDecimal, parseDecimal } from "@exchange/money";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { FLAT_FEES } from "../../domain/ports/network-fees.ts";
import type { PriceTable } from "../../domain/ports/rate-source.ts";
import { describeMoney } from "../../domain/rules/limits.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { makeInsertQuote } from "../../storage/quotes/quotes.ts";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { NO_CONTROLS, testRates } from "../../testing/exchanges.ts";
import { Refusal } from "../refusal.ts";
import {
  type CreateQuote,
  createQuote,
  priceAlternatives,
  priceQuote,
  type QuoteDeps,
} from "./create.ts";
import { readLimits } from "./read-limits.ts";

const NOW = new Date(Date.UTC(2026, 0, 15, 12));

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await shippedCatalogue();
}, 60_000);

const UUID = "0b6e1a52-93c4-4a5e-8f10-2d3c4b5a6978";

function makeDeps(changes: Partial<QuoteDeps> = {}) {
  const query = vi.fn<Database["query"]>(() => Promise.resolve([]));
  const database = { query } as unknown as Database;
  const deps: QuoteDeps = {
    catalogue: () => catalogue,
    controls: () => NO_CONTROLS,
    rates: testRates,
    networkFees: FLAT_FEES,
    clock: { now: () => NOW },
    ids: { uuid: () => UUID, orderedUuid: () => UUID, bytes: (n) => new Uint8Array(n) },
    insertQuote: makeInsertQuote(database),
    ...changes,
  };
  return { deps, query };
}

const command = (changes: Partial<CreateQuote> = {}): CreateQuote => ({
  merchantId: "client_dev_A",
  operation: "buy",
  spendCurrencyId: found(catalogue.currencyByCodeOrReference("cad")).id,
  receiveCurrencyId: found(catalogue.currencyByCodeOrReference("btc")).id,
  spendAmount: found(parseDecimal("250")),
  paymentMethodId: found(catalogue.paymentMethodByReference("card")).id,
  ...changes,
});

/** The sandbox's prices with another cost of the market's depth. */
function withCost(costBasisPoints: PriceTable["costBasisPoints"]): QuoteDeps["rates"] {
  const table = found(testRates.prices(NOW));
  return { ...testRates, prices: () => ({ ...table, costBasisPoints }) };
}

async function refusal(changes: Partial<CreateQuote>, deps = makeDeps().deps): Promise<Refusal> {
  const outcome: unknown = await createQuote(deps, command(changes)).catch(
    (error: unknown) => error,
  );
  if (outcome instanceof Refusal) return outcome;
  throw new Error("the quote was not refused");
}

describe("a quote without a session", () => {
  test("lives 30 seconds, names its source, and asks no database", async () => {
    const { deps, query } = makeDeps();
    const quote = await createQuote(deps, command());
    expect(quote).toMatchObject({
      id: "quo_0b6e1a5293c44a5e8f102d3c4b5a6978",
      operation: "buy",
      rateSource: "sandbox",
      createdAt: NOW,
      expiresAt: new Date(NOW.getTime() + 30_000),
      deliveryDays: { min: 0, max: 0 },
    });
    expect(query).not.toHaveBeenCalled();
  });

  test("can be asked for by the amount to receive", async () => {
    const receiveAmount = found(parseDecimal("0.002"));
    const quote = await createQuote(
      makeDeps().deps,
      command({ spendAmount: undefined, receiveAmount }),
    );
    expect(quote.receive.units).toBeGreaterThanOrEqual(200_000n);
    expect(quote.receive.units).toBeLessThan(201_000n);
  });
});

test("a quote with a session is stored for it", async () => {
  const { deps, query } = makeDeps();
  await createQuote(deps, command({ sessionId: "s-1" }));
  const [statement, values] = found(query.mock.calls[0]);
  expect(statement.name).toBe("quotes_insert");
  expect(JSON.parse(String(values?.[0]))).toMatchObject({
    quotes: [{ merchant_id: "client_dev_A", session_id: "s-1" }],
  });
});

/** The sandbox's prices, with bitcoin so many times as dear: so are the catalogue's fees in bitcoin. */
function withDearBitcoin(times: bigint): QuoteDeps["rates"] {
  const table = found(testRates.prices(NOW));
  const price: PriceTable["price"] = (code) => {
    const now = table.price(code);
    return now && code === "BTC" ? { ...now, units: now.units * times } : now;
  };
  return { ...testRates, prices: () => ({ ...table, price }) };
}

test("an alternative names the limit that the amount is outside of, and none where no amount is possible", () => {
  const ask = (amount: string, changes: Partial<QuoteDeps> = {}) => {
    const request = command({ spendAmount: found(parseDecimal(amount)) });
    const { outsideLimits } = priceAlternatives(makeDeps(changes).deps, request, "paymentMethods");
    return outsideLimits.find(({ methodId }) => methodId === request.paymentMethodId);
  };
  expect(ask("23.99")).toMatchObject({ bound: "min", limit: { units: 2_400n } });
  expect(ask("24")).toBeUndefined();
  expect(ask("8000.01")).toMatchObject({ bound: "max", limit: { units: 800_000n } });
  const dear = ask("24", { rates: withDearBitcoin(100n) });
  expect(dear).toMatchObject({ bound: "min" });
  expect(Number(dear?.limit.units)).toBeGreaterThan(2_400);
  expect(ask("24", { rates: withDearBitcoin(1_000_000n) })).toBeUndefined();
});

describe("fees that exceed the amount", () => {
  const priceAt = (deps: QuoteDeps, cents: bigint) =>
    priceQuote(deps, command({ spendAmount: { units: cents, scale: 2 } }));

  test("are the reason of the refusal, whose minimum is the lowest amount that works", async () => {
    const { deps } = makeDeps({ rates: withDearBitcoin(100n) });
    const spendAmount = found(parseDecimal("24"));
    const { code, message, details } = await refusal({ spendAmount }, deps);
    const [detail] = details ?? [];
    const least = found(detail?.min);
    expect(code).toBe("AMOUNT_BELOW_MINIMUM");
    expect(message).toBe(
      `The fees are too high for 24 CAD. The minimum is ${describeMoney(least)} at present prices.`,
    );
    expect(detail).toMatchObject({ issue: message, currencyCode: "CAD", boundBy: "fees" });
    expect(detail?.max).toMatchObject({ units: 800_000n });
    expect(priceAt(deps, least.units).receive.units).toBeGreaterThan(0n);
    expect(() => priceAt(deps, least.units - 1n)).toThrow("The fees are too high");
  });

  test("raise the minimum of every quote and of the limits by the same", async () => {
    const { deps } = makeDeps({ rates: withDearBitcoin(100n) });
    const { details } = await refusal({ spendAmount: found(parseDecimal("24")) }, deps);
    const least = found(details?.[0]?.min);
    expect(priceAt(deps, 800_000n).limits.min).toEqual(least);
    const ways = readLimits(deps, command());
    expect(ways.map(({ limits }) => limits)).toEqual([
      expect.objectContaining({ min: least, minBoundBy: "fees" }),
    ]);
  });

  test("leave the limits as they are at the prices of the catalogue", async () => {
    const { deps } = makeDeps();
    expect((await createQuote(deps, command())).limits.min.units).toBe(2_400n);
    expect(readLimits(deps, command())[0]?.limits).toMatchObject({
      min: { units: 2_400n },
      minBoundBy: "currency",
    });
  });

  test("at prices where they exceed even the maximum are refused with that reason", async () => {
    const { deps } = makeDeps({ rates: withDearBitcoin(1_000_000n) });
    const { code, message } = await refusal({ spendAmount: found(parseDecimal("24")) }, deps);
    expect(code).toBe("AMOUNT_BELOW_MINIMUM");
    expect(message).toMatch(
      /^The fees are too high for 24 CAD\. The minimum is \d+(\.\d+)? CAD at present prices, above the maximum of 8000 CAD, so no amount is accepted\. Choose another currency or method, or try again later\.$/,
    );
  });
});

describe("refusals", () => {
  test("carry the limits, their currency and what sets them", async () => {
    const low = await refusal({ spendAmount: found(parseDecimal("0.01")) });
    expect(low.code).toBe("AMOUNT_BELOW_MINIMUM");
    expect(low.details).toEqual([
      {
        issue: "The minimum is 24 CAD.",
        min: expect.objectContaining({ units: 2_400n }),
        max: expect.objectContaining({ units: 800_000n }),
        currencyCode: "CAD",
        boundBy: "currency",
      },
    ]);
    const high = await refusal({ spendAmount: found(parseDecimal("99999999")) });
    expect(high.code).toBe("AMOUNT_ABOVE_MAXIMUM");
    expect(high.details?.[0]).toMatchObject({
      max: { units: 800_000n },
      boundBy: "payment_method",
    });
  });

  test.each<[string, () => Partial<CreateQuote>, string]>([
    ["no amount", () => ({ spendAmount: undefined }), "INVALID_INPUT"],
    ["both amounts", () => ({ receiveAmount: { units: 1n, scale: 0 } }), "INVALID_INPUT"],
    ["nothing", () => ({ spendAmount: { units: 0n, scale: 0 } }), "INVALID_INPUT"],
    ["less than nothing", () => ({ spendAmount: { units: -5n, scale: 0 } }), "INVALID_INPUT"],
    [
      "tenths of a cent",
      () => ({ spendAmount: { units: 250_001n, scale: 3 } }),
      "AMOUNT_PRECISION",
    ],
    ["an unknown currency", () => ({ spendCurrencyId: 0 }), "CURRENCY_NOT_FOUND"],
    ["an unknown method", () => ({ paymentMethodId: 0 }), "PAYMENT_METHOD_NOT_FOUND"],
    ["an unknown country", () => ({ countryCode: "XX" }), "INVALID_COUNTRY"],
  ])("%s is refused", async (_what, changes, code) => {
    expect((await refusal(changes())).code).toBe(code);
  });

  test("the market's depth at the amount is a cost beside the spread", async () => {
    const deep = await createQuote(makeDeps().deps, command());
    const rates = withCost((_code, side, { units, scale }) => {
      // 250 Canadian dollars are about 180 US dollars.
      const dollars = Number(units) / 10 ** scale;
      expect(dollars).toBeGreaterThan(150);
      expect(dollars).toBeLessThan(210);
      return side === "buy" ? 12 : 3;
    });
    const quote = await createQuote(makeDeps({ rates }).deps, command());
    const share = Number(formatDecimal(quote.rate)) / Number(formatDecimal(deep.rate));
    expect(share).toBeCloseTo(1 - 15 / 9_940, 5);
    expect(quote.midRate).toEqual(deep.midRate);
    expect(quote.evidence).toMatchObject({
      spend: { code: "CAD", kind: "sandbox", costBasisPoints: 3 },
      receive: { code: "BTC", kind: "sandbox", costBasisPoints: 12 },
    });
  });

  test("more than the market shows is refused, with what to do", async () => {
    const rates = withCost((code) => (code === "BTC" ? undefined : 0));
    const refused = await refusal({}, makeDeps({ rates }).deps);
    expect([refused.code, refused.message]).toEqual([
      "LIQUIDITY_UNAVAILABLE",
      "The market does not offer so much BTC at the moment. Choose a smaller amount, or try again later.",
    ]);
  });

  test("a quote without rates, fresh prices or a price is refused for liquidity", async () => {
    const sources = [
      undefined,
      { ...testRates, prices: () => undefined },
      { ...testRates, prices: () => ({ ...found(testRates.prices(NOW)), price: () => undefined }) },
    ];
    for (const rates of sources) {
      const refused = await refusal({}, makeDeps({ rates }).deps);
      expect(refused.code).toBe("LIQUIDITY_UNAVAILABLE");
    }
  });
});
