import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import { exactAmount } from "../domain/catalogue/exact-amount.ts";
import { MOST_COINS } from "../storage/chains/take-coins.ts";
import type { CoinSizes } from "../storage/treasury/coin-sizes.ts";
import { amountWords } from "./order-words.ts";
import { table } from "./table.ts";

/** Returns the coins of a hot wallet by size, with exact amounts. */
export function showCoins(catalogue: Catalogue, { assetId, sizes, ...coins }: CoinSizes) {
  const amount = (units: bigint): string => exactAmount(catalogue, assetId, units).amount;
  return {
    count: coins.count,
    amount: amount(coins.units),
    consolidating: coins.consolidating,
    sizes: sizes.map(({ from, count, units }) => ({
      from: amount(from),
      count,
      amount: amount(units),
    })),
  };
}

/** Returns the coins of a hot wallet in words, with a line for each size. */
export function describeCoins(catalogue: Catalogue, coins: CoinSizes): string {
  const { networkCode, assetId, consolidating } = coins;
  const { count, sizes } = showCoins(catalogue, coins);
  const total = amountWords(exactAmount(catalogue, assetId, coins.units));
  const moving = consolidating > 0 ? ` ${consolidating} of them are becoming one.` : "";
  const crowded = isCrowded(coins) ? ` ${CROWDED}` : "";
  const rows = sizes.map((size) => [`from ${size.from}`, String(size.count), size.amount]);
  return [
    `\nCoins of ${networkCode}: ${count}, together ${total}.${moving}${crowded}`,
    table([["SIZE", "COINS", "TOGETHER"], ...rows]),
  ].join("\n");
}

const CROWDED = `A transaction spends ${MOST_COINS} at most, so consolidate them.`;

/** Returns whether one transaction cannot spend all coins of the wallet. */
export const isCrowded = ({ count }: CoinSizes): boolean => count > MOST_COINS;
