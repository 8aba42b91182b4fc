import type { CurrencyItem } from "@exchange/contract";
import {
  AMOUNT_SIGNIFICANT_DIGITS_MAX,
  type Decimal,
  normalize,
  readAmount,
  significantDigits,
} from "@exchange/money";
import type { AmountSide, Choosing } from "./state.ts";

export type AmountFault = "empty" | "invalid" | "precision";

/** The typed amount, exact, or the reason why it cannot be quoted. */
export function typedAmount(stage: Choosing): Decimal | AmountFault {
  const reading = readAmount(stage.amount.text, stage.world.locale);
  if (reading.kind !== "amount") return reading.kind;
  const value = normalize(reading.value);
  if (value.units === 0n) return "empty";
  if (significantDigits(value) > AMOUNT_SIGNIFICANT_DIGITS_MAX) return "invalid";
  return value.scale > currencyOn(stage, stage.amount.side).decimals ? "precision" : value;
}

export const currencyOn = (stage: Choosing, side: AmountSide): CurrencyItem => stage[side];
