/** The float that the operator wants to have of an asset. Null where none is set. */
export interface TreasuryLimits {
  /** Below it nobody is quoted the asset. */
  readonly floorUnits: bigint | null;
  /** Below it the operator is warned. */
  readonly lowUnits: bigint | null;
  /** The amount to refill to, and to come down to. */
  readonly targetUnits: bigint | null;
  /** Above it coins belong into cold storage. */
  readonly ceilingUnits: bigint | null;
}

export const NO_TREASURY_LIMITS: TreasuryLimits = {
  floorUnits: null,
  lowUnits: null,
  targetUnits: null,
  ceilingUnits: null,
};

/** The limits from the lowest to the highest. */
const RISING = ["floorUnits", "lowUnits", "targetUnits", "ceilingUnits"] as const;

/** Returns the first limit that is below a lower one. */
export function misplacedLimit(limits: TreasuryLimits): keyof TreasuryLimits | undefined {
  let least = 0n;
  for (const name of RISING) {
    const units = limits[name];
    if (units === null) continue;
    if (units < least) return name;
    least = units;
  }
  return undefined;
}

/** The stock of a coin, in its smallest units. */
export interface StockPosition {
  readonly onHand: bigint;
  readonly promised: bigint;
  /** Payouts minus deposits, on an average day of the last week. Below zero when more came in. */
  readonly outPerDay: bigint;
}

/** The place of the free coins between the floor, the low mark and the ceiling of an asset. */
export type FloatLevel = "below_floor" | "low" | "enough" | "above_ceiling";

/** Returns where the coins that nothing was promised of are between the limits. */
export function floatOf(
  { onHand, promised }: Pick<StockPosition, "onHand" | "promised">,
  { floorUnits, lowUnits, ceilingUnits }: TreasuryLimits,
): FloatLevel {
  const free = onHand - promised;
  if (free < (floorUnits ?? 0n)) return "below_floor";
  if (lowUnits !== null && free < lowUnits) return "low";
  if (ceilingUnits !== null && free > ceilingUnits) return "above_ceiling";
  return "enough";
}

/** The suggestion for the operator about an asset. */
export type Advice =
  | { readonly kind: "refill" | "take_to_cold"; readonly units: bigint }
  | { readonly kind: "nothing" };

/** A float that is emptied sooner is refilled, whatever its limits. */
const COVERED_DAYS_MIN = 2n;
/** Without a target a refill covers a week above the lowest limit. */
const REFILL_DAYS = 7n;

/** Suggests how much to bring or to take away. Amounts are to the target, or to what a week needs. */
export function adviceOf(position: StockPosition, limits: TreasuryLimits): Advice {
  const { outPerDay } = position;
  const free = position.onHand - position.promised;
  const outflow = outPerDay > 0n ? outPerDay : 0n;
  const least = limits.lowUnits ?? limits.floorUnits ?? 0n;
  const target = limits.targetUnits ?? least + outflow * REFILL_DAYS;
  const float = floatOf(position, limits);
  const runsOut = outflow > 0n && free < outflow * COVERED_DAYS_MIN;
  const isScarce = float === "below_floor" || float === "low" || runsOut;
  if (isScarce && target > free) return { kind: "refill", units: target - free };
  // Coins that were promised stay, even where the chain still has them.
  if (float === "above_ceiling" && free > target) {
    return { kind: "take_to_cold", units: free - target };
  }
  return { kind: "nothing" };
}
