import { formatDecimal, readAmount } from "@exchange/money";
import { CallError } from "../api.ts";
import { localeNow } from "../say.ts";

/** Returns the exact amount that a person typed as their language writes it. An empty field stays empty. */
export function exactOf(text: string): string {
  const reading = readAmount(text, localeNow());
  if (reading.kind === "invalid") throw new CallError("NOT_AMOUNT", "");
  return reading.kind === "amount" ? formatDecimal(reading.value) : "";
}

/** An exact amount as a field begins with it, in the form in which the person types one. */
export const typedAmount = (amount: string): string =>
  amount.replace(".", (0.5).toLocaleString(localeNow(), { numberingSystem: "latn" }).charAt(1));
