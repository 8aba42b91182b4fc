import type { OrderStory } from "../../storage/audit/story.ts";
import { type AmountWords, plainNumber, timeWords } from "./amounts.ts";

/** How the price came about: the mid rate, what the spread and each fee took, what is left. */
export function priceWords({ order, quote }: OrderStory, amount: AmountWords): string[] {
  const received = (units: string): string => amount({ assetId: order.receive.assetId, units });
  const parts = [quote.transactionFee, quote.deliveryFee, quote.spread, order.receive.units];
  const atMid = parts.reduce((total, units) => total + BigInt(units), 0n);
  const taken: readonly (readonly [string, string])[] = [
    ["the spread", quote.spread],
    ["the transaction fee", quote.transactionFee],
    ["the delivery fee", quote.deliveryFee],
  ];
  return [
    `Quote ${quote.id} of ${timeWords(quote.createdAt)}, good until ${timeWords(quote.expiresAt)}` +
      (quote.consumedAt === null ? "." : `, accepted ${timeWords(quote.consumedAt)}.`),
    `Mid rate ${plainNumber(quote.midRate)} (${quote.rateSource}): ${amount(order.spend)} would be ${received(String(atMid))}.`,
    ...taken
      .filter(([, units]) => BigInt(units) !== 0n)
      .map(([what, units]) => `Less ${received(units)} for ${what}.`),
    `So the customer gets ${amount(order.receive)}: a rate of ${plainNumber(quote.rate)} before fees.`,
  ];
}
