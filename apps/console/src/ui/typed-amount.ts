import { formatDecimal, readAmount } from "@exchange/money";

/** Returns the exact amount that a person typed as the locale writes it, or undefined. Forms fetch it once they are sent. */
export function readTyped(text: string, locale: string): string | undefined {
  const reading = readAmount(text, locale);
  return reading.kind === "amount" ? formatDecimal(reading.value) : undefined;
}
