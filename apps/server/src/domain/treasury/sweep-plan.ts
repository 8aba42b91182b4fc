import type { SweepCosts } from "../ports/chain-sweeper.ts";

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
  /** Whether the asset is the network's own coin, which needs no other one for the fee. */
  readonly isCoin: boolean;
  /** Units of the network's own coin at the address. */
  readonly coins: bigint;
}

export interface SweepPrices {
  readonly costs: SweepCosts;
  /** Returns the value of units of the network's own coin, rounded up. */
  readonly centsOf: (coins: bigint) => bigint;
}

/** `fee` is what the sweep may cost. */
export type SweepPlan =
  | { readonly kind: "wait" }
  | { readonly kind: "top_up"; readonly units: bigint; readonly fee: bigint }
  | { readonly kind: "sweep"; readonly units: bigint; readonly fee: bigint };

const WAIT: SweepPlan = { kind: "wait" };

/**
 * Decides about the coins of a deposit address. A token needs coins for its fee first, which are brought to the unit.
 * A replacement is planned in the same way: its fee comes out of the same coins.
 */
export function planSweep(found: Sweepable, prices: SweepPrices, rules: SweepRules): SweepPlan {
  const { costs, centsOf } = prices;
  const { units, cents, isCoin, coins } = found;
  const fee = costs.offered;
  const isFunded = isCoin || coins >= costs.least;
  const cost = fee + (isFunded ? 0n : costs.topUp);
  if (units === 0n || fee > rules.feeMax || !isWorth(found, centsOf(cost), rules)) return WAIT;
  if (isCoin) {
    const swept = costs.isPaidByHot ? units : units - fee - rules.leftUnits;
    return swept > 0n && cents > 0n ? { kind: "sweep", units: swept, fee } : WAIT;
  }
  if (!isFunded) return { kind: "top_up", units: fee - coins, fee };
  return { kind: "sweep", units, fee: coins < fee ? coins : fee };
}

const isWorth = (
  { cents, ageMs }: Sweepable,
  feeCents: bigint,
  { aboveCents, ageMaxMs }: SweepRules,
): boolean =>
  (cents >= aboveCents && feeCents * 100n <= cents) || (ageMs >= ageMaxMs && feeCents < cents);
