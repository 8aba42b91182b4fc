import type { Coverage } from "./events.ts";

/** An order's final money in one asset. */
export interface Received {
  readonly assetId: number;
  readonly units: bigint;
}

/** The amount that an order is for. */
export interface Wanted {
  readonly spendAssetId: number;
  readonly spendUnits: bigint;
}

/** The units received in the asset that the order spends. */
export const receivedUnits = (wanted: Wanted, received: readonly Received[]): bigint =>
  received
    .filter(({ assetId }) => assetId === wanted.spendAssetId)
    .reduce((total, { units }) => total + units, 0n);

/**
 * How it compares with what the order is for: to the unit, nothing is forgiven. Another asset counts
 * only while nothing of the right one came.
 */
export function coverageOf(wanted: Wanted, received: readonly Received[]): Coverage {
  const units = receivedUnits(wanted, received);
  if (units === wanted.spendUnits) return "exact";
  if (units > wanted.spendUnits) return "overpaid";
  return units === 0n ? "wrong_asset" : "underpaid";
}
