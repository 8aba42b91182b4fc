import type { Decimal } from "@exchange/money";

/**
 * The origin of a price. `unit`: the dollar itself. `market`: venues agreed. `reference`: a rate that is published
 * once a day. `peg`: a rate that a central bank promises. `sandbox`: a made-up price.
 */
export type PriceKind = "unit" | "market" | "reference" | "peg" | "sandbox";

/** The facts that show where a price came from. They are stored with every quote. */
export interface PriceEvidence {
  /** The oldest time among the prices that it is made of. */
  readonly at: Date;
  /** The sources that agreed, such as kraken. */
  readonly sources: readonly string[];
  /** The largest distance of an agreeing source from the price, in basis points, rounded up. */
  readonly apartBasisPoints: number;
  readonly kind: PriceKind;
}

/** The side of the market that we take: we buy the currency that a customer receives. */
export type MarketSide = "buy" | "sell";

/**
 * The prices of one moment, all in US dollars, so that any two make a rate. A table never changes. Newer
 * prices are another table; until then the source returns the same one.
 */
export interface PriceTable {
  /** The time of the prices. */
  readonly at: Date;
  /** Returns the dollars for one unit; undefined if the source has no price for the currency's code. */
  price(currencyCode: string): Decimal | undefined;
  /** Returns the origin of the price; undefined where there is no price. */
  evidence(currencyCode: string): PriceEvidence | undefined;
  /**
   * Returns the basis points beyond the price that this amount of dollars costs now. Undefined if the market
   * shows less than the amount.
   */
  costBasisPoints(currencyCode: string, side: MarketSide, dollars: Decimal): number | undefined;
}

/** The state of one source behind the prices. */
export interface SourceHealth {
  readonly source: string;
  /** `stale`: it has no fresh answer. `resting`: it failed so often that it is not asked for a while. */
  readonly state: "sound" | "stale" | "resting";
  /** Says why it is not sound; null when it is. */
  readonly why: string | null;
}

/**
 * The source of mid prices. It answers at once, from memory. An adapter reads the network in the background,
 * never while a quote waits.
 */
export interface RateSource {
  readonly name: string;
  /** Returns the newest prices at `now`; undefined if none are fresh. */
  prices(now: Date): PriceTable | undefined;
  health(): readonly SourceHealth[];
  /** Returns why a currency has no price, or a warning about its price; undefined without either. */
  reason(currencyCode: string): string | undefined;
  /** Ends the work in the background. */
  stop(): Promise<void>;
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
