import type { CurrencyItem } from "@exchange/contract";
import { languageOf } from "@exchange/ui/languages";

/** Returns enough of an address to recognize it: "bc1qw508…v8f3t4". */
export const shorten = (address: string): string =>
  address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;

/** Returns the everyday name of a coin, without the network: "Bitcoin". Money is named in the customer's language. */
export function currencyName(currency: CurrencyItem, locale: string): string {
  const { code, type, shortName, description } = currency;
  const own = shortName ?? description ?? code;
  // English has the catalogue's names, as everywhere else in the service.
  if (type === "C" || languageOf(locale) === "en") return own;
  return new Intl.DisplayNames(locale, { type: "currency" }).of(code) ?? own;
}

export const networkName = (currency: CurrencyItem): string =>
  currency.networkName || currency.code;

/** Returns the name of a network by its code, or the code when no currency names it. */
export const nameOfNetwork = (currencies: readonly CurrencyItem[], networkCode: string): string =>
  currencies.find((currency) => currency.networkCode === networkCode)?.networkName ?? networkCode;
