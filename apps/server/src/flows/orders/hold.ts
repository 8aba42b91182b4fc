import type { Operator } from "../../domain/operators/operator.ts";
import { mayHaveLeft } from "../../domain/orders/machine.ts";
import type { HoldReason } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { listPayoutIntents } from "../../storage/payouts/intents.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { withLog } from "./operator-action.ts";
import { readOrder } from "./read.ts";
import { stepOf } from "./step-of.ts";

export interface HoldOrder {
  readonly merchantId: string;
  readonly orderId: bigint;
  /** The reason of its status, which the order shows. */
  readonly holdReason: HoldReason;
  /** The person who decides, for the log. */
  readonly operator?: Operator | undefined;
  /** Why it is right, for the log. */
  readonly reason?: string | undefined;
}

/**
 * Holds an order for an operator. An order whose payout may have left cannot be held. Refuses
 * NOT_FOUND and INVALID_ORDER_STATE.
 */
export async function holdOrder(deps: Deps, command: HoldOrder): Promise<OrderView> {
  await readOrder(deps, command);
  const { operator, holdReason, reason } = command;
  const details = reason === undefined ? { reason: holdReason } : { hold: holdReason, reason };
  const action = { operator, action: "hold_order", details } as const;
  await advanceOrder(deps, command, async (order, now) => {
    const intents = await listPayoutIntents(deps.database, order.id);
    const isLate = mayHaveLeft(intents);
    const event = { kind: "held", reason: holdReason, by: "operator" } as const;
    const step = isLate ? undefined : stepOf(deps, order, event, now);
    if (step) return withLog(deps, action, order, step);
    throw new Refusal("INVALID_ORDER_STATE", {
      message: isLate
        ? "The payout of this order may already have been sent."
        : `An order that is ${order.status} cannot be held.`,
    });
  });
  return readOrder(deps, command);
}
