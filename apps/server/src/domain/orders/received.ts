import type { Coverage } from "./events.ts";

/** An order's final money in one asset. */
export interface ReceivedAmount {
  readonly assetId: number;
  readonly units: bigint;
}

/** The amount to pay for an order. */
export interface OrderedAmount {
  readonly spendAssetId: number;
  readonly spendUnits: bigint;
}

/** The units received in the asset that the order spends. */
export const receivedUnits = (wanted: OrderedAmount, received: readonly ReceivedAmount[]): bigint =>
  received
    .filter(({ assetId }) => assetId === wanted.spendAssetId)
    .reduce((total, { units }) => total + units, 0n);

/**
 * Compares the money received with the amount of the order, exact to the unit. Another asset counts
 * only if nothing arrived in the right one.
 */
export function coverageOf(wanted: OrderedAmount, received: readonly ReceivedAmount[]): Coverage {
  const units = receivedUnits(wanted, received);
  if (units === wanted.spendUnits) return "exact";
  if (units > wanted.spendUnits) return "overpaid";
  return units === 0n ? "wrong_asset" : "underpaid";
}

/** Whether at least the order's amount was received. */
export const isCovered = ({
  receivedUnits: received,
  spendUnits,
}: {
  readonly receivedUnits: bigint | null;
  readonly spendUnits: bigint;
}): boolean => (received ?? 0n) >= spendUnits;
