import type { Operator } from "../../domain/operators/operator.ts";
import type { Order } from "../../domain/orders/order.ts";
import { isCovered } from "../../domain/orders/received.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { isUnderWay } from "../../domain/payments/deposit.ts";
import { failpoint } from "../../failpoints.ts";
import { readMoneyRows } from "../../storage/orders/money.ts";
import { findOpenAttempt } from "../../storage/payments/attempts.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import { findPaymentInstruction } from "../../storage/payments/instructions.ts";
import { listPayoutIntents } from "../../storage/payouts/intents.ts";
import type { Deps } from "../deps.ts";
import { newPayout } from "../payouts/owe.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { requireReasonSeen, withLog, withReason } from "./operator-action.ts";
import { readOrder } from "./read.ts";
import { stepOf } from "./step-of.ts";

export interface ReleaseOrder {
  readonly merchantId: string;
  readonly orderId: bigint;
  /** The person who decides, for the log. */
  readonly operator?: Operator | undefined;
  /** Why it is right, for the log. */
  readonly reason?: string | undefined;
  /** The reason of the review that is decided; without it whichever the order has. */
  readonly statusReason?: string | null | undefined;
}

/**
 * Releases an order from review for an operator. A whole payment is accepted as it is, a part waits for the rest, a rejected
 * payout is sent again, and an unpaid order may be paid again. A part that a card paid can only be refunded. Refuses NOT_FOUND and
 * INVALID_ORDER_STATE.
 */
export async function releaseOrder(deps: Deps, command: ReleaseOrder): Promise<OrderView> {
  await readOrder(deps, command);
  const { operator, reason, statusReason } = command;
  const action = { operator, action: "release_order", ...withReason(reason) } as const;
  failpoint("order.before_release");
  await advanceOrder(deps, command, async (order, now) => {
    requireReasonSeen(order, { by: "operator", statusReason });
    const covered = isCovered(order);
    const underWay = await isPaymentUnderWay(deps, order);
    const instructed = (await findPaymentInstruction(deps.database, order.id)) !== undefined;
    const captured = (await readMoneyRows(deps.database, order.id)).captured !== undefined;
    const payout = await payoutToSend(deps, order);
    const facts = { covered, captured, underWay, instructed, ...payout };
    const event = { kind: "released", ...facts } as const;
    const step = stepOf(deps, order, event, now);
    if (step) return withLog(deps, action, order, step);
    throw new Refusal("INVALID_ORDER_STATE", {
      message:
        order.status === "in_review"
          ? "The money of this order can only be refunded."
          : `An order that is ${order.status} is not in review.`,
    });
  });
  failpoint("order.after_release");
  return readOrder(deps, command);
}

async function isPaymentUnderWay(deps: Deps, order: Order): Promise<boolean> {
  if (await findOpenAttempt(deps.database, order.id)) return true;
  return (await listDeposits(deps.database, order.id)).some(isUnderWay);
}

/** The payout that waits, or a new one if the last was rejected. */
async function payoutToSend(deps: Deps, order: Order) {
  const intents = await listPayoutIntents(deps.database, order.id);
  const waiting = intents.find(({ purpose, state }) => purpose === "payout" && state !== "void");
  if (waiting) return { payoutId: waiting.id, newPayout: [] };
  const payout = newPayout(deps, { order, intents });
  return { payoutId: payout.id, newPayout: [payout] };
}
