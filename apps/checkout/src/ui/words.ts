import type { CheckoutOrderData, CurrencyItem, OperationType, QuoteData } from "@exchange/contract";
import { type CurrencyKind, formatAmount, formatPrice, formatRate } from "../amounts/format.ts";
import { formatCount } from "../copy/format.ts";
import type { AmountSide } from "../machine/state.ts";

/** Returns the kind of currency on one side of an operation. */
export function kindOn(operation: OperationType, side: AmountSide): CurrencyKind {
  if (operation === "CC") return "crypto";
  if (operation === "FF") return "fiat";
  return (operation === "B") === (side === "spend") ? "fiat" : "crypto";
}

/** Formats both amounts of a quote. */
export function amountsOf(
  quote: Pick<QuoteData, "spend" | "receive">,
  operation: OperationType,
  locale: string,
): { readonly spend: string; readonly receive: string } {
  return {
    spend: formatAmount(quote.spend, kindOn(operation, "spend"), locale),
    receive: formatAmount(quote.receive, kindOn(operation, "receive"), locale),
  };
}

/** Returns "1 BTC = €60,000.00": a purchase shows the price of one coin, any other operation the rate of one spent unit. */
export function rateLine(quote: QuoteData, operation: OperationType, locale: string): string {
  const { rate, spend, receive } = quote;
  const one = formatCount(1, locale);
  if (operation === "B") {
    const paid = { code: spend.currencyCode, kind: kindOn(operation, "spend") };
    return `${one} ${receive.currencyCode} = ${formatPrice(rate, paid, locale)}`;
  }
  const received = { code: receive.currencyCode, kind: kindOn(operation, "receive") };
  return `${one} ${spend.currencyCode} = ${formatRate(rate, received, locale)}`;
}

/** Returns enough of an address to recognize it: "bc1qw508…v8f3t4". */
export const shorten = (address: string): string =>
  address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;

/** Returns the everyday name of a coin, without the network: "Bitcoin". */
export const coinName = (currency: CurrencyItem): string =>
  currency.shortName ?? currency.description ?? currency.code;

export const networkName = (currency: CurrencyItem): string =>
  currency.networkName || currency.code;

/** Returns the name of a network by its code, or the code when no currency names it. */
export const nameOfNetwork = (currencies: readonly CurrencyItem[], networkCode: string): string =>
  currencies.find((currency) => currency.networkCode === networkCode)?.networkName ?? networkCode;

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
