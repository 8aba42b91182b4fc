import type { Decimal } from "@exchange/money";
import { type ReferenceSource, type ReferenceTable } from "../market/reference.ts";
import { readNumber, VenueFault } from "../market/venue.ts";

// README.md says what the bank says about its rates.

/** Fewer rates than this are not the whole list. */
const RATES_MIN = 20;

/** The euro reference rates of the European Central Bank. */
export const ecb: ReferenceSource = {
  name: "ecb",
  url: "https://www.ecb.europa.eu",
  path: "/stats/eurofxref/eurofxref-daily.xml",
  everyMs: 1_800_000,
  read: readRates,
};

/** Reads the list of a day: how many of each currency one euro buys. */
export function readRates(xml: string): ReferenceTable {
  const day = /<Cube\s+time=['"](\d{4}-\d{2}-\d{2})['"]\s*>/.exec(xml)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(day))) {
    throw new VenueFault("a list of reference rates without a day");
  }
  const rows = xml.matchAll(/<Cube\s+currency=['"]([A-Z]{3})['"]\s+rate=['"]([^'"]*)['"]\s*\/>/g);
  const perEuro = new Map<string, Decimal>([["EUR", { units: 1n, scale: 0 }]]);
  for (const [, code = "", rate] of rows) {
    const number = readNumber(rate);
    if (number.units === 0n) throw new VenueFault(`a rate of zero for ${code}`);
    if (perEuro.has(code)) throw new VenueFault(`two rates for ${code}`);
    perEuro.set(code, number);
  }
  if (perEuro.size <= RATES_MIN || !perEuro.has("USD")) {
    throw new VenueFault(`a list of only ${perEuro.size - 1} rates, or one without the dollar`);
  }
  return { day, perEuro };
}
