import { COIN_GAS, type GasMarket, raisedPrice } from "../ports/chain-sweeper.ts";

/** When coins of deposit addresses are collected. */
export interface SweepRules {
  /** Coins of this value are collected at once, if the fee is at most a hundredth of it. */
  readonly aboveCents: bigint;
  /** Older coins are collected as soon as they are worth more than the fee. */
  readonly ageMaxMs: number;
  /** Units of the network's own coin that a sweep of it leaves, for networks with a further fee. */
  readonly leftUnits: bigint;
  /** The most that one transaction may cost. */
  readonly feeMax: bigint;
}

/** The coins of an asset at a deposit address, at the final block. */
export interface Sweepable {
  readonly units: bigint;
  readonly cents: bigint;
  readonly ageMs: number;
  /** Whether the asset is the network's own coin, which pays the fee itself. */
  readonly isCoin: boolean;
  /** Units of the network's own coin at the address. */
  readonly coins: bigint;
}

export interface SweepPrices {
  readonly market: GasMarket;
  /** The gas that a transfer of the asset may take, by our own list. */
  readonly gasLimit: bigint;
  /** The price of the transaction that is to be replaced. */
  readonly before?: bigint | undefined;
  /** Returns the value of units of the network's own coin, rounded up. */
  readonly centsOf: (coins: bigint) => bigint;
}

/** `gasPrice` is both prices of the transaction, so that it costs exactly that and nothing is left behind. */
export type SweepPlan =
  | { readonly kind: "wait" }
  | { readonly kind: "top_up"; readonly units: bigint; readonly gasPrice: bigint }
  | { readonly kind: "sweep"; readonly units: bigint; readonly gasPrice: bigint };

const WAIT: SweepPlan = { kind: "wait" };

/**
 * Decides about the coins of a deposit address. A token needs coins for its fee first, which are brought to the unit.
 * The price has a quarter more than the next block needs. All of it is spent, because whatever stays at the address
 * is lost. A replacement is planned in the same way: its fee comes out of the same coins.
 */
export function planSweep(found: Sweepable, prices: SweepPrices, rules: SweepRules): SweepPlan {
  const { market, gasLimit, before, centsOf } = prices;
  const { units, cents, isCoin, coins } = found;
  const raised = before === undefined ? 0n : raisedPrice(before);
  const least = highest(market.base + market.tip, raised);
  const offered = highest((market.base * 5n) / 4n + market.tip + 1n, raised);
  const fee = gasLimit * offered;
  const isFunded = isCoin || coins >= gasLimit * least;
  const cost = fee + (isFunded ? 0n : COIN_GAS * offered);
  if (units === 0n || fee > rules.feeMax || !isWorth(found, centsOf(cost), rules)) return WAIT;
  if (isCoin) {
    const swept = units - fee - rules.leftUnits;
    return swept > 0n && cents > 0n ? { kind: "sweep", units: swept, gasPrice: offered } : WAIT;
  }
  if (!isFunded) return { kind: "top_up", units: fee - coins, gasPrice: offered };
  const affordable = coins / gasLimit;
  return { kind: "sweep", units, gasPrice: affordable < offered ? affordable : offered };
}

const highest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

const isWorth = (
  { cents, ageMs }: Sweepable,
  feeCents: bigint,
  { aboveCents, ageMaxMs }: SweepRules,
): boolean =>
  (cents >= aboveCents && feeCents * 100n <= cents) || (ageMs >= ageMaxMs && feeCents < cents);
