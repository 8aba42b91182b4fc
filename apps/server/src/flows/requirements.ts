import { type Decimal, fromDecimal, normalize } from "@exchange/money";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { Country } from "../domain/catalogue/country.ts";
import type { Currency } from "../domain/catalogue/currency.ts";
import { Refusal } from "./refusal.ts";

/** Control characters, and marks that change the direction of text and so what a reader sees. */
const UNREADABLE = /[\p{Cc}\p{Bidi_Control}]/u;

/** Returns whether people read a name as it is written. People decide by the names that others gave themselves. */
export const isReadable = (name: string): boolean => !UNREADABLE.test(name);

/**
 * Returns the ISO 3166-1 country of a code in any letter case. A country that is not served is
 * returned too, because the rules decide about it. Refuses INVALID_COUNTRY.
 */
export function requireCountry(
  catalogue: Catalogue,
  { code, field }: { readonly code: string; readonly field: string },
): Country {
  const country = catalogue.country(code);
  if (country) return country;
  throw new Refusal("INVALID_COUNTRY", {
    message: `"${code}" is not a country code. Use an ISO 3166-1 alpha-2 code such as DE.`,
    details: [{ field, issue: "is not an ISO 3166-1 alpha-2 code" }],
  });
}

type Currencies = Pick<Catalogue, "currencies">;
type Coin = Currency & { readonly networkCode: string };

/** Returns the currency with a reference, such as usdt-tron or eur. Refuses NOT_FOUND. */
export function requireCurrency(catalogue: Currencies, reference: string): Currency {
  const currency = find(catalogue, reference);
  if (currency) return currency;
  throw notFound("currency", reference);
}

/** Returns the coin on one network with a reference, such as usdt-tron. Refuses NOT_FOUND, also for a fiat currency. */
export function requireCoin(catalogue: Currencies, reference: string): Coin {
  const currency = find(catalogue, reference);
  if (currency && isCoin(currency)) return currency;
  throw notFound("coin", reference);
}

const find = ({ currencies }: Currencies, reference: string): Currency | undefined =>
  currencies.find((currency) => currency.reference === reference);

const isCoin = (currency: Currency): currency is Coin => currency.networkCode !== null;

const notFound = (noun: "currency" | "coin", reference: string): Refusal =>
  new Refusal("NOT_FOUND", {
    message: `There is no ${noun} "${reference}": name its reference, such as btc or usdt-tron.`,
  });

/**
 * Returns an amount of whole coins in the smallest units of its currency. `field` is the member of a request that has
 * the amount. Refuses AMOUNT_PRECISION where the amount has a digit below the smallest unit.
 */
export function requireUnits(currency: Currency, amount: Decimal, field?: string): bigint {
  const { code, decimals } = currency;
  if (normalize(amount).scale <= decimals) return fromDecimal(currency, amount, "down").units;
  throw new Refusal("AMOUNT_PRECISION", {
    message: `${code} has ${decimals} decimals.`,
    ...(field !== undefined && {
      details: [{ field, issue: `has more than ${decimals} decimals` }],
    }),
  });
}

const REASON_MAX = 500;

/**
 * Returns the reason of an operator's action without surrounding spaces. Refuses INVALID_INPUT without one, or with a
 * long one.
 */
export function requireReason(text: string): string {
  const reason = text.trim();
  if (reason !== "" && reason.length <= REASON_MAX) return reason;
  throw new Refusal("INVALID_INPUT", {
    message: `Give a reason of at most ${REASON_MAX} characters.`,
  });
}
