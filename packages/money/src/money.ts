import { type Decimal, rescale } from "./decimal.ts";
import { divide, type Rounding } from "./divide.ts";
import { powerOfTen } from "./power-of-ten.ts";

/**
 * A currency on a network, as far as arithmetic needs it. `decimals` is the scale of the ledger's
 * smallest unit; `publishedDecimals` (at most 8) is the scale of amounts in the API.
 */
export interface Asset {
  readonly id: number;
  readonly code: string;
  readonly decimals: number;
  readonly publishedDecimals: number;
}

/** An exact amount: an integer of the asset's smallest units. */
export interface Money {
  readonly asset: Asset;
  readonly units: bigint;
}

/**
 * An amount is published with at most this many significant digits (completion, section 1). A JSON number holds so many
 * exactly.
 */
export const AMOUNT_SIGNIFICANT_DIGITS_MAX = 15;

export const money = (asset: Asset, units: bigint): Money => ({ asset, units });

export const zero = (asset: Asset): Money => ({ asset, units: 0n });

/** Returns the sum. Throws when the assets differ. */
export function add(a: Money, b: Money): Money {
  assertSameAsset(a, b);
  return { asset: a.asset, units: a.units + b.units };
}

/** Returns the difference. Throws when the assets differ. */
export function subtract(a: Money, b: Money): Money {
  assertSameAsset(a, b);
  return { asset: a.asset, units: a.units - b.units };
}

/** `bps` ten-thousandths of the amount. */
export function basisPointsOf(amount: Money, bps: bigint, rounding: Rounding): Money {
  return { asset: amount.asset, units: divide(amount.units * bps, 10_000n, rounding) };
}

/** The amount as a decimal number of whole coins. */
export const toDecimal = (amount: Money): Decimal => ({
  units: amount.units,
  scale: amount.asset.decimals,
});

/**
 * Converts a decimal number of whole coins to money. Digits below the smallest unit are rounded as
 * named.
 */
export function fromDecimal(asset: Asset, value: Decimal, rounding: Rounding): Money {
  return { asset, units: rescale(value, asset.decimals, rounding).units };
}

/** Returns the amount rounded to its published scale, still in smallest units. */
export function roundToPublished(amount: Money, rounding: Rounding): Money {
  const step = powerOfTen(amount.asset.decimals - amount.asset.publishedDecimals);
  return { asset: amount.asset, units: divide(amount.units, step, rounding) * step };
}

/** Whether the published scale shows every digit of the amount. */
export const isPublishable = (amount: Money): boolean =>
  roundToPublished(amount, "down").units === amount.units;

function assertSameAsset(a: Money, b: Money): void {
  if (a.asset.id !== b.asset.id) {
    throw new TypeError(`amounts of ${a.asset.code} and ${b.asset.code} cannot be combined`);
  }
}
