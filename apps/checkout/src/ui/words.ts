import type { OperationType, QuoteData } from "@exchange/contract";
import { formatCount } from "@exchange/ui/messages";
import {
  type CurrencyKind,
  formatAmount,
  formatBrief,
  formatPrice,
  formatRate,
} from "../amounts/format.ts";
import type { AmountSide } from "../machine/state.ts";

/** Returns the kind of currency on one side of an operation. */
export function kindOn(operation: OperationType, side: AmountSide): CurrencyKind {
  if (operation === "CC") return "crypto";
  if (operation === "FF") return "fiat";
  return (operation === "B") === (side === "spend") ? "fiat" : "crypto";
}

/** Returns the kind of currency that a receipt is in: the spent one, or for a sale the received one. */
export const receiptKind = (operation: OperationType): CurrencyKind =>
  operation === "CC" ? "crypto" : "fiat";

/** Formats both amounts of a quote: the spent one in full, because it is sent exactly, the received one in brief. */
export function amountsOf(
  quote: Pick<QuoteData, "spend" | "receive">,
  operation: OperationType,
  locale: string,
): { readonly spend: string; readonly receive: string } {
  return {
    spend: formatAmount(quote.spend, kindOn(operation, "spend"), locale),
    receive: formatBrief(quote.receive, kindOn(operation, "receive"), locale),
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
