import type { Receipt } from "../../domain/orders/held.ts";
import { enqueueJob } from "../../storage/jobs/jobs.ts";
import type { Order } from "../../storage/orders/orders.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { currencyOf } from "../orders/event-payload.ts";
import { owe } from "./owe.ts";

/** Whether a receipt can go back: coins need an address that the customer told. */
export const isReturnable = (order: Order, receipt: Receipt): boolean =>
  receipt.rail !== "chain" || order.refundAddress !== null;

/** Owes a receipt, or what is given of it, back to where it came from, and lets a job send it. */
export function oweRefund(
  tx: Tx,
  deps: Deps,
  what: {
    readonly order: Order;
    readonly receipt: Receipt;
    readonly purpose: "refund" | "excess_refund";
  },
): void {
  const { order, receipt, purpose } = what;
  const isCoins = receipt.rail === "chain";
  const { networkCode } = currencyOf(deps.catalogue(), receipt.assetId);
  const intentId = owe(tx, deps, {
    order,
    owed: {
      ...receipt,
      purpose,
      networkCode: isCoins ? networkCode : null,
      address: isCoins ? order.refundAddress : null,
      memo: isCoins ? order.refundMemo : null,
    },
  });
  enqueueJob(tx, {
    kind: "send_payout",
    subject: intentId,
    orderId: order.id,
    merchantId: order.merchantId,
  });
}
