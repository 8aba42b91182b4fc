import type { CurrencyItem } from "@exchange/contract";
import {
  type Decimal,
  formatDecimal,
  normalize,
  parseDecimal,
  ratio,
  rescale,
  significantDigits,
} from "@exchange/money";

export type CurrencyKind = "fiat" | "crypto";

/** An amount as the service sends it. */
export interface WireAmount {
  readonly amount: number;
  readonly currencyCode: string;
}

const COINS = { maximumFractionDigits: 8 } as const;
const CENTS = 2;

export const ZERO: Decimal = { units: 0n, scale: 0 };

/** The exact decimal behind a wire number, which has at most 15 significant digits. */
export const decimalOf = (value: number): Decimal => parseDecimal(String(value)) ?? ZERO;

/** The exact sum of two wire numbers, as one. */
export function addWire(a: number, b: number): number {
  const scale = Math.max(decimalOf(a).scale, decimalOf(b).scale);
  const units = [a, b].map((value) => rescale(decimalOf(value), scale, "down").units);
  return Number(formatDecimal({ units: units.reduce((sum, value) => sum + value, 0n), scale }));
}

/** Rounds a calculated part of an amount to the decimals with which the amount is printed. */
export function roundWire(part: number, whole: WireAmount, kind: CurrencyKind): number {
  const style = kind === "fiat" ? moneyStyle(whole) : COINS;
  const { maximumFractionDigits } = new Intl.NumberFormat("en", style).resolvedOptions();
  return Number(part.toFixed(maximumFractionDigits));
}

/**
 * Amounts of money are exact, so they are never rounded. Intl prints no decimals of currencies whose cents are out of
 * use, such as HUF, while banks still move them.
 */
function moneyStyle({ amount, currencyCode }: WireAmount): Intl.NumberFormatOptions {
  const style = { style: "currency", currency: currencyCode } as const;
  const { maximumFractionDigits: usual = 0 } = new Intl.NumberFormat("en", style).resolvedOptions();
  const { scale } = normalize(decimalOf(amount));
  return { ...style, minimumFractionDigits: scale > usual ? Math.max(scale, CENTS) : usual };
}

/** "€100.00" or "0.00163 BTC", never broken across lines. */
export function formatAmount(amount: WireAmount, kind: CurrencyKind, locale: string): string {
  const text = numeric(decimalOf(amount.amount));
  if (kind === "crypto") {
    return `${new Intl.NumberFormat(locale, COINS).format(text)}\u00a0${amount.currencyCode}`;
  }
  return new Intl.NumberFormat(locale, moneyStyle(amount)).format(text);
}

const BRIEF_DIGITS = 6;

/**
 * An amount in brief: coins with six significant digits, the rest cut off and never rounded up. Equals `formatAmount`
 * where nothing is cut off.
 */
export function formatBrief(amount: WireAmount, kind: CurrencyKind, locale: string): string {
  if (kind === "fiat") return formatAmount(amount, kind, locale);
  const exact = normalize(decimalOf(amount.amount));
  const cut = Math.min(exact.scale, significantDigits(exact) - BRIEF_DIGITS);
  const brief = cut > 0 ? rescale(exact, exact.scale - cut, "down") : exact;
  return formatAmount({ ...amount, amount: Number(formatDecimal(brief)) }, kind, locale);
}

/** The number alone, grouped, for an amount field. */
export function formatPlain(value: Decimal, decimals: number, locale: string): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: decimals }).format(numeric(value));
}

/** A quoted number alone: money with all its decimals, such as "589.20". */
export function formatQuoted(
  value: Decimal,
  { type, decimals }: Pick<CurrencyItem, "type" | "decimals">,
  locale: string,
): string {
  const least = type === "F" ? { minimumFractionDigits: decimals } : {};
  return new Intl.NumberFormat(locale, { maximumFractionDigits: decimals, ...least }).format(
    numeric(value),
  );
}

/** One coin's price from a rate of target per base: "€60,000.00"; more digits when it is small. */
export function formatPrice(rate: number, base: WireCode, locale: string): string {
  const value = decimalOf(rate);
  if (value.units <= 0n) return "";
  const price = ratio(10n ** BigInt(value.scale), value.units, { digits: 12, rounding: "half_up" });
  return formatUnitPrice(price, base, locale);
}

/** A rate, for one of the base currency: "€59,400.00", "0.0412 BTC"; more digits when it is small. */
export function formatRate(rate: number, target: WireCode, locale: string): string {
  const value = decimalOf(rate);
  return value.units <= 0n ? "" : formatUnitPrice(value, target, locale);
}

/** Fiat's two decimals are too few for the price of something small. */
function formatUnitPrice(price: Decimal, { code, kind }: WireCode, locale: string): string {
  const text = numeric(price);
  if (kind === "fiat") {
    const digits = fiatDigits(price);
    return new Intl.NumberFormat(locale, { style: "currency", currency: code, ...digits }).format(
      text,
    );
  }
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 8 }).format(text)}\u00a0${code}`;
}

function fiatDigits({ units, scale }: Decimal): Intl.NumberFormatOptions {
  const one = 10n ** BigInt(scale);
  if (units < one) return { maximumSignificantDigits: 6 };
  return units < 100n * one ? { maximumFractionDigits: 4 } : {};
}

export const inList = (names: readonly string[], locale: string): string =>
  new Intl.ListFormat(locale, { type: "conjunction" }).format(names);

export interface WireCode {
  readonly code: string;
  readonly kind: CurrencyKind;
}

const numeric = (value: Decimal): Intl.StringNumericLiteral =>
  formatDecimal(value) as Intl.StringNumericLiteral;
