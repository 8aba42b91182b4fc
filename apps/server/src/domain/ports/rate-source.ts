import type { Decimal } from "@exchange/money";

/**
 * The prices of one moment, all in US dollars, so that any two make a rate. A table never changes. Newer
 * prices are another table; until then the source returns the same one.
 */
export interface PriceTable {
  /** The time of the prices. */
  readonly at: Date;
  /** Returns the dollars for one unit; undefined if the source does not know the currency's code. */
  price(currencyCode: string): Decimal | undefined;
}

/**
 * The source of mid prices. It answers at once, from memory. An adapter reads the network in the background,
 * never while a quote waits.
 */
export interface RateSource {
  readonly name: string;
  /** Returns the newest prices at `now`; undefined if none are fresh. */
  prices(now: Date): PriceTable | undefined;
  /**
   * Returns the market that an order meets once it is paid. Only a sandbox has it, to rehearse a price that
   * moved. Without it every order meets the same market.
   */
  readonly forOrder?: (order: PaidOrder) => RateSource;
}

/** A paid order, as a market of the sandbox tells orders apart. */
export interface PaidOrder {
  readonly customer: { readonly lastName?: string };
  readonly spendCode: string;
}
