/** Order ids of an environment lie in a range of its own, below 2^53 (completion, section 6). */
export const ORDER_ID_RANGES = {
  dev: 1_000_000_000_000n,
  staging: 3_000_000_000_000n,
  prod: 5_000_000_000_000n,
} as const;

export const ORDER_ID_RANGE_SIZE = 2_000_000_000_000n;

/** Of a range: ids that were given when they did not begin with the hour. */
const EARLIER_IDS = 1n << 40n;
const HALF_BITS = 11n;
const HALF_MASK = (1n << HALF_BITS) - 1n;
const ROUNDS = 4n;

/** The number of ids in an hour: four million. */
export const ORDERS_OF_AN_HOUR = 1n << (2n * HALF_BITS);

/** Then the hours begin again: 24 years. */
const HOURS = (ORDER_ID_RANGE_SIZE - EARLIER_IDS) / ORDERS_OF_AN_HOUR;

/** Mixes one half of the number with a round's key: any function will do. */
export type RoundFunction = (round: bigint, half: bigint) => bigint;

/**
 * The id of the nth order: the hour, so that orders of one time stand together in every index, then a
 * keyed permutation (a Feistel network) of the number, so ids tell nothing of how many orders there
 * are. No two are the same while an hour has fewer than `ORDERS_OF_AN_HOUR`; the database refuses others.
 */
export function orderIdOf(
  number: bigint,
  place: {
    readonly environment: keyof typeof ORDER_ID_RANGES;
    /** Since 1970. */
    readonly hour: bigint;
    readonly mix: RoundFunction;
  },
): bigint {
  const { environment, hour, mix } = place;
  let left = (number >> HALF_BITS) & HALF_MASK;
  let right = number & HALF_MASK;
  for (let round = 0n; round < ROUNDS; round++) {
    [left, right] = [right, left ^ (mix(round, right) & HALF_MASK)];
  }
  const first = ORDER_ID_RANGES[environment] + EARLIER_IDS;
  return first + (hour % HOURS) * ORDERS_OF_AN_HOUR + ((left << HALF_BITS) | right);
}
