/** Order ids of an environment lie in a range of its own, below 2^53 (completion, section 6). */
export const ORDER_ID_RANGES = {
  dev: 1_000_000_000_000n,
  staging: 3_000_000_000_000n,
  prod: 5_000_000_000_000n,
} as const;

const HALF_BITS = 20n;
const HALF_MASK = (1n << HALF_BITS) - 1n;
const ROUNDS = 4n;

/** How many ids a range holds: 2^40. */
export const ORDER_ID_RANGE_SIZE = 1n << (2n * HALF_BITS);

/** Mixes one half of the number with a round's key: any function will do. */
export type RoundFunction = (round: bigint, half: bigint) => bigint;

/**
 * The id of the nth order: a keyed permutation (a Feistel network) of the number, so ids never
 * collide and tell nothing of how many orders there are. Throws RangeError beyond the range.
 */
export function orderIdOf(
  number: bigint,
  range: { readonly environment: keyof typeof ORDER_ID_RANGES; readonly mix: RoundFunction },
): bigint {
  if (number < 0n || number >= ORDER_ID_RANGE_SIZE) throw new RangeError("out of order numbers");
  let left = number >> HALF_BITS;
  let right = number & HALF_MASK;
  for (let round = 0n; round < ROUNDS; round++) {
    [left, right] = [right, left ^ (range.mix(round, right) & HALF_MASK)];
  }
  return ORDER_ID_RANGES[range.environment] + ((left << HALF_BITS) | right);
}
