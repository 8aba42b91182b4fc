/** A receipt of an order: a captured card payment or a final deposit. */
export interface Receipt {
  readonly rail: "card" | "bank" | "chain";
  readonly attemptId: string | null;
  readonly depositId: string | null;
  readonly assetId: number;
  readonly units: bigint;
}

/** A refund of a receipt, sent or to be sent. Void refunds do not count. */
export interface Returned {
  readonly attemptId: string | null;
  readonly depositId: string | null;
  readonly units: bigint;
}

/** The part of its receipts that an order has exchanged. */
export interface Consumed {
  readonly assetId: number;
  readonly units: bigint;
}

const isOf = (receipt: Receipt, returned: Returned): boolean =>
  receipt.attemptId === returned.attemptId && receipt.depositId === returned.depositId;

/**
 * Returns the units still held of each receipt, oldest first: received, less the refunds, less the
 * exchange. The exchange consumes the oldest receipts of its asset first.
 */
export function heldReceipts(
  receipts: readonly Receipt[],
  returned: readonly Returned[],
  consumed: Consumed,
): Receipt[] {
  let toConsume = consumed.units;
  return receipts.flatMap((receipt) => {
    const back = returned
      .filter((item) => isOf(receipt, item))
      .reduce((total, { units }) => total + units, 0n);
    const left = receipt.units - back;
    const used = receipt.assetId === consumed.assetId ? min(left, toConsume) : 0n;
    toConsume -= used;
    return left - used > 0n ? [{ ...receipt, units: left - used }] : [];
  });
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Returns the first `units` that are held in an asset, receipt by receipt. */
export function takeFrom(
  held: readonly Receipt[],
  wanted: { readonly assetId: number; readonly units: bigint },
): Receipt[] {
  let left = wanted.units;
  return held.flatMap((receipt) => {
    const taken = receipt.assetId === wanted.assetId ? min(receipt.units, left) : 0n;
    left -= taken;
    return taken > 0n ? [{ ...receipt, units: taken }] : [];
  });
}
