import { decide } from "../../domain/orders/machine.ts";
import { failpoint } from "../../failpoints.ts";
import { lockOrder, type Order } from "../../storage/orders/orders.ts";
import type { OrderView } from "../../storage/orders/views.ts";
import { findOpenAttempt, type PaymentAttempt } from "../../storage/payments/attempts.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { carryOutMove } from "./move.ts";
import { readOrder } from "./read.ts";

export interface CancelOrder {
  readonly merchantId: string;
  readonly sessionId?: string;
  readonly orderId: bigint;
  readonly actor: "customer" | "merchant" | "operator";
}

/**
 * Ends an order before its money is final. A card that is being asked is let go; one that may be
 * charged already cannot be called back. Refuses NOT_FOUND and INVALID_ORDER_STATE.
 */
export async function cancelOrder(deps: Deps, command: CancelOrder): Promise<OrderView> {
  await readOrder(deps, command);
  failpoint("order.before_cancel");
  await deps.database.transaction(async (tx) => {
    const order = await lockOrder(tx, command.orderId);
    if (!order) throw new Refusal("NOT_FOUND");
    const attempt = await findOpenAttempt(tx, order.id);
    const moneyUnderWay = await isMoneyUnderWay(tx, order, attempt);
    const event = { kind: "cancelled", by: command.actor, moneyUnderWay } as const;
    const move = decide(order, event, order.lockedAt);
    if (!move) throw refusal(order, moneyUnderWay);
    const details = attempt ? { attemptId: attempt.id } : {};
    await carryOutMove(tx, deps, { order, move, details });
  });
  failpoint("order.after_cancel");
  deps.wakeJobs();
  deps.wakeWebhooks();
  return readOrder(deps, command);
}

async function isMoneyUnderWay(
  tx: Tx,
  order: Order,
  attempt: PaymentAttempt | undefined,
): Promise<boolean> {
  if (attempt?.status === "authorized" || (order.receivedUnits ?? 0n) > 0n) return true;
  const deposits = await listDeposits(tx, order.id);
  return deposits.some(({ state }) => state !== "lost");
}

const refusal = (order: Order, moneyUnderWay: boolean): Refusal =>
  new Refusal("INVALID_ORDER_STATE", {
    message: moneyUnderWay
      ? "Money for this order is under way; it can be refunded once it arrived."
      : `An order that is ${order.status} cannot be cancelled.`,
  });
