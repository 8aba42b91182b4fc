import { type Asset, formatDecimal, parseDecimal } from "@exchange/money";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { StoryAmount } from "../../storage/orders/story.ts";

/** Returns an amount in words, such as "100 EUR". */
export type AmountWords = (amount: StoryAmount) => string;

export const amountWordsOf =
  (assets: ReadonlyMap<number, Asset>): AmountWords =>
  ({ assetId, units }) => {
    const asset = assets.get(assetId);
    return asset === undefined
      ? `${units} units of asset ${assetId}`
      : `${unitsText(asset, BigInt(units))} ${asset.code}`;
  };

/** Returns a stored number without trailing zeros. */
export function plainNumber(text: string): string {
  const value = parseDecimal(text);
  return value === undefined ? text : formatDecimal(value);
}
