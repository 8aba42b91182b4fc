import { type Decimal, parseDecimal } from "@exchange/money";
import { describe, expect, test } from "vitest";
import { found, shippedCatalogue } from "../testing/catalogue.ts";
import { Refusal } from "./refusal.ts";
import { requireCoin, requireCurrency, requireUnits } from "./requirements.ts";

const catalogue = await shippedCatalogue();

function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("an amount of whole coins", () => {
  const btc = requireCurrency(catalogue, "btc");
  const coins = (text: string): Decimal => found(parseDecimal(text));

  test.each([
    ["0.00000001", 1n],
    ["0.000000010", 1n],
    ["1.50", 150_000_000n],
    ["-2", -200_000_000n],
    ["0.0", 0n],
  ])("of %s is %s units", (text, units) => {
    expect(requireUnits(btc, coins(text))).toBe(units);
  });

  test("with a digit below the smallest unit is refused, with the request's member where there is one", () => {
    expect(refusalOf(() => requireUnits(btc, coins("0.000000011")))).toMatchObject({
      code: "AMOUNT_PRECISION",
      message: "BTC has 8 decimals.",
    });
    expect(refusalOf(() => requireUnits(btc, coins("0.000000011"), "amount")).details).toEqual([
      { field: "amount", issue: "has more than 8 decimals" },
    ]);
  });
});

describe("a currency", () => {
  test("is found by its reference only", () => {
    expect(requireCurrency(catalogue, "eur").code).toBe("EUR");
    expect(refusalOf(() => requireCurrency(catalogue, "EUR"))).toMatchObject({
      code: "NOT_FOUND",
      message: 'There is no currency "EUR": name its reference, such as btc or usdt-tron.',
    });
  });

  test("without a network is not a coin", () => {
    expect(requireCoin(catalogue, "usdt-tron").networkCode).toBe("tron");
    expect(refusalOf(() => requireCoin(catalogue, "eur"))).toMatchObject({
      code: "NOT_FOUND",
      message: 'There is no coin "eur": name its reference, such as btc or usdt-tron.',
    });
  });
});
