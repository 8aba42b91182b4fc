import type { Decimal } from "@exchange/money";

/**
 * Prices that hold at one moment, all in US dollars, so that any two make a rate. A table never
 * changes: newer prices are another table, and while none are newer the source gives the same one.
 */
export interface PriceTable {
  /** The time the prices hold. */
  readonly at: Date;
  /** Dollars for one coin; undefined when the source does not know the currency's code. */
  price(currencyCode: string): Decimal | undefined;
}

/**
 * Where mid prices come from. Answers at once, from memory: an adapter that asks the network does
 * so beforehand, never while a quote waits.
 */
export interface RateSource {
  readonly name: string;
  /** The newest prices it has at `now`; undefined when it has none that are fresh. */
  prices(now: Date): PriceTable | undefined;
}
