import { statement, type Tx } from "../postgres/database.ts";
import { type LockedOrder, type OrderRow, toOrder } from "./orders.ts";

const KEEP_REFUND_ADDRESS = statement(
  "orders_keep_refund_address",
  `update orders set refund_address = $2, refund_memo = $3, version = version + 1,
     updated_at = business_now()
   where id = $1 returning *`,
);

/** Where coins go back to: it changes no status, so the timeline does not tell of it. */
export async function keepRefundAddress(
  tx: Tx,
  order: LockedOrder,
  to: { readonly refundAddress: string; readonly refundMemo: string | null },
): Promise<LockedOrder> {
  const [row] = await tx.query<OrderRow>(KEEP_REFUND_ADDRESS, [
    order.id,
    to.refundAddress,
    to.refundMemo,
  ]);
  return { ...toOrder(row as OrderRow), lockedAt: order.lockedAt };
}

const NOTE_RECEIVED = statement(
  "orders_note_received",
  `update orders set received_units = $2, version = version + 1, updated_at = business_now()
   where id = $1 returning *`,
);

/** Money became final that moves nothing: an order in review, or one that has ended. */
export async function noteReceived(
  tx: Tx,
  order: LockedOrder,
  receivedUnits: bigint,
): Promise<LockedOrder> {
  const [row] = await tx.query<OrderRow>(NOTE_RECEIVED, [order.id, receivedUnits]);
  return { ...toOrder(row as OrderRow), lockedAt: order.lockedAt };
}
