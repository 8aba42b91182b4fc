/**
 * The order ids of an environment lie in a range of their own, below 2^53 (completion, section 6).
 */
export const ORDER_ID_RANGES = {
  dev: 1_000_000_000_000n,
  staging: 3_000_000_000_000n,
  prod: 5_000_000_000_000n,
} as const;

export const ORDER_ID_RANGE_SIZE = 2_000_000_000_000n;

/** The start of the range for ids from before ids began with the hour. */
const EARLIER_IDS = 1n << 40n;
const HALF_BITS = 11n;
const HALF_MASK = (1n << HALF_BITS) - 1n;
const ROUNDS = 4n;

/** The number of ids in an hour: four million. */
export const ORDERS_OF_AN_HOUR = 1n << (2n * HALF_BITS);

/** The hours repeat after 24 years. */
const HOURS = (ORDER_ID_RANGE_SIZE - EARLIER_IDS) / ORDERS_OF_AN_HOUR;

/** Mixes one half of the number with a round's key. A Feistel network allows any function here. */
export type RoundFunction = (round: bigint, half: bigint) => bigint;

/**
 * Returns the id of the nth order. It begins with the hour, so that ids of one time are adjacent in
 * every index. A keyed permutation (a Feistel network) of the number follows, so an id does not
 * reveal how many orders there are. Ids are unique while an hour has fewer than
 * `ORDERS_OF_AN_HOUR`; the database refuses duplicates.
 */
export function orderIdOf(
  number: bigint,
  place: {
    readonly environment: keyof typeof ORDER_ID_RANGES;
    /** Hours since 1970. */
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
