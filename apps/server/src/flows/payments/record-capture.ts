import { money } from "@exchange/money";
import { captureEntry } from "../../domain/ledger/order-entries.ts";
import { decide } from "../../domain/orders/machine.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Order } from "../../storage/orders/orders.ts";
import type { Deps } from "../deps.ts";
import { currencyOf } from "../orders/event-payload.ts";
import { goOn } from "../orders/go-on.ts";
import { stepOf } from "../orders/move.ts";
import type { CardAnswer } from "./record-card-payment.ts";

/**
 * The money is ours: attempt, ledger entry and the order's move are one database transaction. Gives the
 * job that exchanges it, where it is ours to go on with.
 */
export async function recordCapture(
  deps: Deps,
  { job, attempt, payment }: CardAnswer,
): Promise<LeasedJob | undefined> {
  const amount = money(currencyOf(deps.catalogue(), attempt.assetId), attempt.units);
  const captured = {
    attempt: {
      id: attempt.id,
      status: "captured",
      declineReason: null,
      challengeUrl: null,
      threeDSecure: payment.threeDSecure ?? attempt.threeDSecure,
    },
    entries: [captureEntry({ attemptId: attempt.id, amount })],
  } as const;
  const { next } = await goOn(deps, job, (order: Order) => {
    const move = decide(order, { kind: "payment_captured" }, deps.clock.now());
    // In review it only waits beside what a person decides; the books know of it.
    if (!move) return { order, ...captured, receivedUnits: attempt.units };
    const details = { receivedUnits: attempt.units };
    return { ...stepOf(deps, { order, move, details }), ...captured };
  });
  return next;
}
