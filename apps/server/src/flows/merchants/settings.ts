import { WIRE_LIMITS } from "@exchange/contract";
import {
  type Decimal,
  formatDecimal,
  normalize,
  parseDecimal,
  significantDigits,
} from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Merchant, MerchantDefaults } from "../../domain/ports/merchant-directory.ts";
import { spendFaultOf } from "../../domain/rules/availability.ts";
import { Refusal } from "../refusal.ts";
import { isReadable } from "../requirements.ts";

const NAME_CHARACTERS_MAX = 200;
const ORIGINS_MAX = 100;
/** The popup's session carries the logo, so it stays small. */
const LOGO_CHARACTERS_MAX = 48 * 1024;
const LOGO = /^data:image\/(png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*$/;
const TOKEN_SECONDS = { min: 60, max: 86_400 } as const;

export const invalid = (message: string): Refusal => new Refusal("INVALID_INPUT", { message });

export function requireName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= NAME_CHARACTERS_MAX && isReadable(trimmed))
    return trimmed;
  throw invalid(
    `A merchant's name has 1 to ${NAME_CHARACTERS_MAX} characters and no control characters.`,
  );
}

/** Checks each origin and returns it once. */
export function requireOrigins(texts: readonly string[]): readonly string[] {
  const origins = [...new Set(texts.map(requireOrigin))];
  if (origins.length <= ORIGINS_MAX) return origins;
  throw invalid(`A merchant has at most ${ORIGINS_MAX} origins, not ${origins.length}.`);
}

/**
 * Exact origins only: they are compared character by character with a browser's Origin header. In a
 * content policy `*` would stand for every subdomain.
 */
function requireOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isExact = url !== undefined && url.origin === text && !text.includes("*");
  if (!isExact || !/^https?:$/.test(url.protocol)) {
    throw invalid(
      `"${text}" is not an origin. Write each as https://shop.example, without a path or a wildcard.`,
    );
  }
  return url.origin;
}

export function requireCountryCode(text: string): string {
  if (!/^[A-Z]{2}$/.test(text)) {
    throw invalid(`"${text}" is not a country code. Write two capital letters, such as DE.`);
  }
  return text;
}

/** Refuses a country that the catalogue does not have. */
export function requireMerchantCountry(catalogue: Catalogue, text: string): string {
  const code = requireCountryCode(text);
  if (catalogue.country(code)) return code;
  throw invalid(`The catalogue has no country ${code}. GET /v1/exchange/countries lists them.`);
}

export function requireLogo(text: string): string {
  if (LOGO.test(text) && text.length <= LOGO_CHARACTERS_MAX) return text;
  throw invalid("A logo is a PNG, JPEG, WebP or SVG image of at most 36 kB.");
}

export function requireColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase();
  throw invalid(`"${text}" is not a colour. Write # and six hexadecimal digits, such as #1a6cff.`);
}

export function requireTokenLifetime(seconds: number): number {
  const { min, max } = TOKEN_SECONDS;
  if (Number.isInteger(seconds) && seconds >= min && seconds <= max) return seconds;
  throw invalid(`The lifetime of a token must be ${min} to ${max} seconds, not ${seconds}.`);
}

/** Changes of the defaults. Null removes an amount, an absent member does not change. */
export interface DefaultsChange {
  readonly baseCurrency?: string | undefined;
  readonly targetCurrency?: string | undefined;
  readonly baseAmount?: Decimal | null | undefined;
  readonly targetAmount?: Decimal | null | undefined;
}

/** Returns the defaults after a change, in references of the catalogue. Refuses INVALID_INPUT. */
export function changeDefaults(
  catalogue: Catalogue,
  defaults: MerchantDefaults,
  change: DefaultsChange,
): MerchantDefaults {
  const base = requireCurrency(catalogue, change.baseCurrency ?? defaults.baseCurrency);
  const fault = spendFaultOf(base);
  if (fault !== undefined) throw invalid(fault);
  const target = requireCurrency(catalogue, change.targetCurrency ?? defaults.targetCurrency);
  const baseAmount = amountOf(change.baseAmount, defaults.baseAmount);
  const targetAmount = amountOf(change.targetAmount, defaults.targetAmount);
  requireAmount(baseAmount, base);
  requireAmount(targetAmount, target);
  return {
    baseCurrency: base.reference,
    targetCurrency: target.reference,
    ...(baseAmount && { baseAmount: formatDecimal(baseAmount) }),
    ...(targetAmount && { targetAmount: formatDecimal(targetAmount) }),
  };
}

function requireCurrency(catalogue: Catalogue, text: string) {
  const currency = catalogue.currencyByCodeOrReference(text);
  if (currency?.enabled) return currency;
  throw invalid(
    `The catalogue has no currency "${text}". Write a code such as EUR, or a reference such as usdt-tron.`,
  );
}

const amountOf = (
  changed: Decimal | null | undefined,
  current: string | undefined,
): Decimal | undefined => {
  if (changed !== undefined) return changed ?? undefined;
  return current === undefined ? undefined : parseDecimal(current);
};

function requireAmount(
  amount: Decimal | undefined,
  currency: { readonly code: string; readonly publishedDecimals: number },
): void {
  if (amount === undefined) return;
  const isShown =
    amount.units > 0n &&
    significantDigits(amount) <= WIRE_LIMITS.amountSignificantDigitsMax &&
    normalize(amount).scale <= currency.publishedDecimals;
  if (isShown) return;
  throw invalid(
    `${formatDecimal(amount)} ${currency.code} is not an amount: it must be above zero, with at most ${currency.publishedDecimals} decimals.`,
  );
}

/** Returns a merchant's settings for the log. A logo is named by its size. */
export function showSettings({ name, settings }: Pick<Merchant, "name" | "settings">) {
  const { logoUrl, ...others } = settings;
  const logo = logoUrl === undefined ? undefined : `image of ${logoUrl.length} characters`;
  return { name, ...others, ...(logo === undefined ? {} : { logo }) };
}
