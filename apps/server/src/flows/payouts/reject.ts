import { writesOf } from "../../domain/orders/machine.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder } from "../orders/advance.ts";
import { stepOf, stepOfWrites } from "../orders/step-of.ts";
import { outgoingOf } from "./owe.ts";

/**
 * Records that the rail rejected the payout, so nothing was paid. The intent becomes void, its
 * reservation is released, and a person decides about the order.
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
    // A rejected refund of an excess moves nothing. Its order has continued without it.
    const step = intent.purpose === "excess_refund" ? undefined : stepOf(deps, order, event, now);
    return step ?? stepOfWrites(order, writesOf(event));
  });
}
