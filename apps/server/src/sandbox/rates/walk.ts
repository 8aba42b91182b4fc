/**
 * A random walk without state. The deviation of an asset from its reference price is a sum of waves. Each
 * wave has a random height at every multiple of its period, hashed from seed, asset and position, with a
 * straight line between. So the price of any moment follows from that moment alone. All arithmetic is on
 * integers, so every machine computes the same price.
 */
interface Wave {
  readonly periodMs: number;
  /** Billionths of the reference price, up or down. */
  readonly heightMax: number;
}

const DAY_MS = 86_400_000;

/**
 * The waves of days, hours, minutes and seconds. Together they move a price by 3.9 % at most. Within the half hour of
 * a card payment a price stays in the band of its order, as on a usual day. Within the days of a transfer it may
 * leave the band.
 */
const WAVES: readonly Wave[] = [
  { periodMs: 3 * DAY_MS, heightMax: 25_000_000 },
  { periodMs: DAY_MS / 4, heightMax: 12_000_000 },
  { periodMs: 900_000, heightMax: 800_000 },
  { periodMs: 20_000, heightMax: 200_000 },
];

/** A price is valid for a second. */
export const STEP_MS = 1000;

/** Billionths by which a price differs from its reference; within ±38,000,000. */
export function deviationBillionths(key: string, now: Date): number {
  const timeMs = Math.floor(now.getTime() / STEP_MS) * STEP_MS;
  const seed = hashText(key);
  return WAVES.reduce((sum, wave, index) => sum + heightOf(wave, mix(seed + index), timeMs), 0);
}

function heightOf({ periodMs, heightMax }: Wave, seed: number, timeMs: number): number {
  const position = Math.floor(timeMs / periodMs);
  const elapsedMs = timeMs - position * periodMs;
  const from = pointHeight(seed, position, heightMax);
  const to = pointHeight(seed, position + 1, heightMax);
  // At most 5 × 10^7 × 2.6 × 10^8: well within 2^53, so the division alone rounds, by floor.
  return from + Math.floor(((to - from) * elapsedMs) / periodMs);
}

/** -heightMax … heightMax, evenly. */
const pointHeight = (seed: number, position: number, heightMax: number): number =>
  (mix(mix(position % 0x1_0000_0000) ^ seed) % (2 * heightMax + 1)) - heightMax;

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** The finalizer of MurmurHash3: spreads 32 bits. */
function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
