import type { CheckoutQuoteRequest, CurrencyItem } from "@exchange/contract";
import { type Decimal, formatDecimal, normalize, significantDigits } from "@exchange/money";
import { readAmount } from "../amounts/parse.ts";
import type { AmountSide, Choosing } from "./state.ts";

const SIGNIFICANT_DIGITS_MAX = 15;

export type AmountFault = "empty" | "invalid" | "precision";

/** The typed amount, exact, or why it cannot be quoted. */
export function typedAmount(stage: Choosing): Decimal | AmountFault {
  const reading = readAmount(stage.amount.text, stage.world.locale);
  if (reading.kind !== "amount") return reading.kind;
  const value = normalize(reading.value);
  if (value.units === 0n) return "empty";
  if (significantDigits(value) > SIGNIFICANT_DIGITS_MAX) return "invalid";
  return value.scale > currencyOn(stage, stage.amount.side).decimals ? "precision" : value;
}

export const currencyOn = (stage: Choosing, side: AmountSide): CurrencyItem => stage[side];

/** The quote the customer's choices ask for, or undefined while there is no usable amount. */
export function wantedQuote(stage: Choosing): CheckoutQuoteRequest | undefined {
  const value = typedAmount(stage);
  if (typeof value === "string") return undefined;
  // At most 15 significant digits: the wire number is exactly what was typed.
  const amount = Number(formatDecimal(value));
  return {
    operationType: stage.world.operation,
    baseCurrencyId: stage.spend.id,
    targetCurrencyId: stage.receive.id,
    paymentMethodId: stage.method.id,
    ...(stage.delivery ? { deliveryMethodId: stage.delivery.id } : {}),
    ...(stage.amount.side === "spend" ? { baseAmount: amount } : { targetAmount: amount }),
  };
}
