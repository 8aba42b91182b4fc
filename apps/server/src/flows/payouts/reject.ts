import { writesOf } from "../../domain/orders/machine.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder } from "../orders/advance.ts";
import { stepOf, stepOfWrites } from "../orders/step-of.ts";
import { outgoingOf } from "./owe.ts";

/**
 * The rail rejected the payout, so nothing was paid: the intent is void, what it reserved is free again,
 * and a person decides what becomes of the order.
 */
export async function rejectPayout(
  deps: Deps,
  { job, intent }: { readonly job: LeasedJob; readonly intent: PayoutIntent },
): Promise<void> {
  const outgoing = outgoingOf(deps, intent);
  const event =
    intent.purpose === "payout"
      ? ({ kind: "payout_rejected", payout: outgoing } as const)
      : ({ kind: "refund_rejected", refund: outgoing } as const);
  await advanceOrder(deps, { orderId: intent.orderId, job }, (order, now) => {
    // A rejected refund of an excess moves nothing: its order has gone on without it.
    const step = intent.purpose === "excess_refund" ? undefined : stepOf(deps, order, event, now);
    return step ?? stepOfWrites(order, writesOf(event));
  });
}
