import { type Decimal, divide, multiplyDecimals, parseDecimal } from "@exchange/money";
import type { PriceTable, RateSource } from "../../domain/ports/rate-source.ts";
import { type Movement, REFERENCE_PRICES } from "./reference-prices.ts";
import { deviationBillionths, STEP_MS } from "./walk.ts";

/** The divisor of the walk for each kind of price: a larger one makes a calmer price. */
const CALMNESS = {
  lively: 1,
  calm: 10,
  pegged: 200,
  fixed: Number.POSITIVE_INFINITY,
} as const satisfies Record<Movement, number>;
/** The digits of a price beyond those of its reference price. */
const EXTRA_SCALE = 6;
const BILLION = 1_000_000_000n;

/**
 * Plausible dollar prices that wander around fixed references. One seed and one time always yield the same
 * price, without state and without a network.
 */
export function sandboxRates(options: { readonly seed: string }): RateSource {
  const references = new Map(
    REFERENCE_PRICES.map(([code, price, movement]) => [
      code,
      { price: decimalOf(price), movement },
    ]),
  );
  const tableAt = (at: Date): PriceTable => ({
    at,
    price: (code) => {
      const reference = references.get(code);
      if (!reference) return undefined;
      const deviation = deviationBillionths(`${options.seed}:${code}`, at);
      return moved(reference.price, Math.trunc(deviation / CALMNESS[reference.movement]));
    },
    evidence: (code) =>
      references.has(code)
        ? { at, sources: ["sandbox"], apartBasisPoints: 0, kind: "sandbox" }
        : undefined,
    // The sandbox buys and sells any amount at its price.
    costBasisPoints: (code) => (references.has(code) ? 0 : undefined),
  });
  let latest = tableAt(new Date(0));
  const market: RateSource = {
    name: "sandbox",
    prices: (now) => {
      const stepMs = Math.floor(now.getTime() / STEP_MS) * STEP_MS;
      if (latest.at.getTime() !== stepMs) latest = tableAt(new Date(stepMs));
      return latest;
    },
    health: () => [{ source: "sandbox", state: "sound", why: null }],
    reason: () => undefined,
    stop: async () => {},
  };
  return {
    ...market,
    forOrder: ({ customer, spendCode }) =>
      customer.lastName === MOVED_LAST_NAME ? movedMarket(market, spendCode) : market,
  };
}

/** The customers with this last name find that their money has lost a twentieth once it is final. */
const MOVED_LAST_NAME = "Pricemoved";
const MOVED_TO: Decimal = { units: 95n, scale: 2 };

const movedMarket = (market: RateSource, spendCode: string): RateSource => ({
  ...market,
  prices: (now) => {
    const table = market.prices(now);
    if (!table) return undefined;
    const price = (code: string): Decimal | undefined => {
      const usual = table.price(code);
      return usual && code === spendCode ? multiplyDecimals(usual, MOVED_TO) : usual;
    };
    return { ...table, price };
  },
});

function moved(reference: Decimal, billionths: number): Decimal {
  const units = reference.units * 10n ** BigInt(EXTRA_SCALE) * (BILLION + BigInt(billionths));
  return { units: divide(units, BILLION, "half_up"), scale: reference.scale + EXTRA_SCALE };
}

function decimalOf(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error(`${text} is not a decimal number`);
  return value;
}
