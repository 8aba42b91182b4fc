import { formatDecimal } from "@exchange/money";
import type { Config } from "../../config.ts";
import type { RateSource, SourceHealth } from "../../domain/ports/rate-source.ts";
import { checkRates, NO_PRICES } from "../../start/rails/open-rates.ts";
import { StartError } from "../../start/start-error.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import type { Command } from "../command.ts";
import { openRatesOnDemand, waitForPrices } from "../open-rates-on-demand.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";

/** A currency with its price or the reason why it has none. */
interface CurrencyRow {
  readonly code: string;
  readonly dollars: string | null;
  readonly kind: string | null;
  readonly sources: readonly string[];
  readonly apartBasisPoints: number | null;
  readonly ageSeconds: number | null;
  readonly note: string | null;
}

const EMPTY_CATALOGUE =
  "The catalogue is empty, so there is no currency to price. Start the service once: it loads the catalogue.";

export const ratesCommand: Command = {
  name: "rates",
  summary: "Query the price sources, and list them and the price of every currency.",
  options: {},
  example: "rates",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      const { currencies } = await readCatalogue(database);
      const codes = [...new Set(currencies.map(({ code }) => code))];
      if (codes.length === 0) throw new StartError(EMPTY_CATALOGUE);
      const rates = openRatesOnDemand(context.config(), context.progress);
      try {
        await waitForPrices(rates, codes);
        const rows = codes.map((code) => rowOf(rates, code));
        const sources = rates.health();
        const isSound = sources.length > 0 && sources.every(({ state }) => state === "sound");
        const ok = isSound && rows.every(({ dollars }) => dollars !== null);
        return { json: { ok, sources, currencies: rows }, text: describe(sources, rows), ok };
      } finally {
        await rates.stop();
      }
    }),
};

function rowOf(rates: RateSource, code: string): CurrencyRow {
  const now = new Date();
  const prices = rates.prices(now);
  const price = prices?.price(code);
  const evidence = prices?.evidence(code);
  const ageMs = evidence && Math.max(0, now.getTime() - evidence.at.getTime());
  return {
    code,
    dollars: price ? formatDecimal(price) : null,
    kind: evidence?.kind ?? null,
    sources: evidence?.sources ?? [],
    apartBasisPoints: evidence?.apartBasisPoints ?? null,
    ageSeconds: ageMs === undefined ? null : Math.round(ageMs / 1000),
    note: rates.reason(code) ?? null,
  };
}

function describe(sources: readonly SourceHealth[], rows: readonly CurrencyRow[]): string {
  if (sources.length === 0) return NO_PRICES;
  const missing = rows.filter(({ dollars }) => dollars === null);
  return [
    table([
      ["SOURCE", "STATE", "WHY"],
      ...sources.map(({ source, state, why }) => [source, state, why ?? ""]),
    ]),
    table([
      ["CURRENCY", "DOLLARS", "KIND", "SOURCES", "APART", "AGE", "NOTE"],
      ...rows.map((row) => [
        row.code,
        row.dollars ?? "none",
        row.kind ?? "",
        row.sources.join(", "),
        row.apartBasisPoints === null ? "" : `${row.apartBasisPoints} bp`,
        row.ageSeconds === null ? "" : `${row.ageSeconds} s`,
        row.note ?? "",
      ]),
    ]),
    missing.length === 0
      ? "Every currency has a price."
      : `${missing.length} currencies have no price, so their quotes are refused. Add a source, or disable them in the catalogue.`,
  ].join("\n\n");
}

/** The check of `exchange doctor`. It asks no provider, because a round of them takes seconds. */
export function examinePrices(config: Config) {
  const check = "prices";
  try {
    const from = checkRates(config);
    if (from) return { check, ok: true, found: `from ${from}; exchange rates asks the sources` };
    return { check, ok: false, found: "no source, so every quote is refused", fix: NO_PRICES };
  } catch (error) {
    return { check, ok: false, found: (error as Error).message, fix: "Correct the rails file." };
  }
}
