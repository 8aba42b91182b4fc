import type { CheckoutOrderData, CurrencyItem, QuoteData } from "@exchange/contract";
import { formatCount } from "../copy/format.ts";

// Words of the screens after the first. Their file is fetched later.

/** Returns enough of an address to recognize it: "bc1qw508…v8f3t4". */
export const shorten = (address: string): string =>
  address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;

export type PaidBy = "card" | "bank_transfer" | "crypto";

export const paidBy = ({ payment }: CheckoutOrderData): PaidBy =>
  payment.type === "crypto" || payment.type === "bank_transfer" ? payment.type : "card";

type Days = "upTo" | "about" | "between";

/** Returns the time of a payout in days and the phrase for it, or undefined when the service does not know it. */
export function daysOf(
  time: QuoteData["delivery"]["time"],
  locale: string,
): { readonly kind: Days; readonly least: string; readonly count: number } | undefined {
  const least = time.minDays ?? time.maxDays;
  const most = time.maxDays ?? time.minDays;
  if (least === null || most === null || most === 0) return undefined;
  const kind = least === 0 ? "upTo" : least === most ? "about" : "between";
  return { kind, least: formatCount(least, locale), count: most };
}

/** Returns the everyday name of a coin, without the network: "Bitcoin". */
export const coinName = (currency: CurrencyItem): string =>
  currency.shortName ?? currency.description ?? currency.code;

export const networkName = (currency: CurrencyItem): string =>
  currency.networkName || currency.code;

/** Returns the name of a network by its code, or the code when no currency names it. */
export const nameOfNetwork = (currencies: readonly CurrencyItem[], networkCode: string): string =>
  currencies.find((currency) => currency.networkCode === networkCode)?.networkName ?? networkCode;
