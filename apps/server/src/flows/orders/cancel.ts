import type { Operator } from "../../domain/operators/operator.ts";
import { isMoneyUnderWay } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import { canMove } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { failpoint } from "../../failpoints.ts";
import { findOpenAttempt } from "../../storage/payments/attempts.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { withLog, withReason } from "./operator-action.ts";
import { readOrder } from "./read.ts";
import { stepOf } from "./step-of.ts";

export interface CancelOrder {
  readonly merchantId: string;
  readonly sessionId?: string;
  readonly orderId: bigint;
  readonly by: "customer" | "merchant" | "operator";
  /** The person who decides, for the log. */
  readonly operator?: Operator | undefined;
  /** Why it is right, for the log. */
  readonly reason?: string | undefined;
}

/**
 * Ends an order before its money is final. A card payment that is being authorized is voided. One
 * that may have been charged cannot be voided. Refuses NOT_FOUND and INVALID_ORDER_STATE.
 */
export async function cancelOrder(deps: Deps, command: CancelOrder): Promise<OrderView> {
  await readOrder(deps, command);
  const { operator, reason } = command;
  const action = { operator, action: "cancel_order", ...withReason(reason) } as const;
  failpoint("order.before_cancel");
  await advanceOrder(deps, command, async (order, now) => {
    const attempt = await findOpenAttempt(deps.database, order.id);
    const deposits = await listDeposits(deps.database, order.id);
    const moneyUnderWay = isMoneyUnderWay(order.receivedUnits, attempt ? [attempt] : [], deposits);
    const attemptId = attempt?.id;
    const event = { kind: "cancelled", by: command.by, moneyUnderWay, attemptId } as const;
    const step = stepOf(deps, order, event, now);
    if (!step) throw refusal(order, { moneyUnderWay });
    return withLog(deps, action, order, step);
  });
  failpoint("order.after_cancel");
  return readOrder(deps, command);
}

const refusal = (order: Order, { moneyUnderWay }: { readonly moneyUnderWay: boolean }): Refusal =>
  new Refusal("INVALID_ORDER_STATE", {
    // A merchant cannot refund an order that has ended, whatever it received.
    message:
      moneyUnderWay && canMove(order.status, "cancelled")
        ? "Money for this order is under way. It can be refunded once it has arrived."
        : `An order that is ${order.status} cannot be cancelled.`,
  });
