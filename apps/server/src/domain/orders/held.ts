/** A receipt of an order: a captured card payment or a final deposit. */
export interface Receipt {
  readonly rail: "card" | "bank" | "chain";
  readonly attemptId: string | null;
  readonly depositId: string | null;
  readonly assetId: number;
  readonly units: bigint;
}

/** A refund of a receipt, sent or to be sent. Void refunds do not count. */
export interface ReceiptRefund {
  readonly attemptId: string | null;
  readonly depositId: string | null;
  readonly units: bigint;
}

/** The part of its receipts that an order has exchanged. */
export interface ExchangedAmount {
  readonly assetId: number;
  readonly units: bigint;
}

const isOf = (receipt: Receipt, returned: ReceiptRefund): boolean =>
  receipt.attemptId === returned.attemptId && receipt.depositId === returned.depositId;

/**
 * Returns the units still held of each receipt, oldest first: received, less the refunds, less the
 * exchange. The exchange consumes the oldest receipts of its asset first.
 */
export function heldReceipts(
  receipts: readonly Receipt[],
  returned: readonly ReceiptRefund[],
  consumed: ExchangedAmount,
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

/** A payout or refund of an order, and the time at which it was owed. */
interface OwedAt {
  readonly purpose: string;
  readonly state: string;
  readonly at: string;
}

/**
 * Returns whether the order holds money beyond its amount whose refund was rejected. Excess refunds of one time return all
 * that is held, so only the last of them count.
 */
export function hasRejectedExcess(intents: readonly OwedAt[]): boolean {
  const excess = intents.filter(({ purpose }) => purpose === "excess_refund");
  const lastAt = excess.at(-1)?.at;
  return excess.some(({ state, at }) => at === lastAt && state === "void");
}
