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

/** Whether a refund returns this receipt, or a part of it. */
export const isOf = (receipt: Receipt, returned: Omit<ReceiptRefund, "units">): boolean =>
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

/**
 * The least value of an excess that calls for work, in euro cents. The network's fee for less may be more, and the house
 * pays it.
 */
export const LEAST_EXCESS_CENTS = 100n;

/** A payout or refund of an order, and the receipt that it returns. */
interface Returned extends Omit<ReceiptRefund, "units"> {
  readonly purpose: string;
  readonly state: string;
  readonly voidReason: string | null;
}

/**
 * Returns the receipts without those whose rail rejected a refund of the excess. A person decides about these. A refund
 * that was withdrawn, because its address was replaced, was not rejected.
 */
export const neverRejected = (
  held: readonly Receipt[],
  intents: readonly Returned[],
): readonly Receipt[] => {
  const rejected = intents.filter(
    ({ purpose, state, voidReason }) =>
      purpose === "excess_refund" && state === "void" && voidReason !== "withdrawn",
  );
  return held.filter((receipt) => !rejected.some((intent) => isOf(receipt, intent)));
};
