import { money } from "@exchange/money";
import { captureEntry } from "../domain/ledger/order-entries.ts";
import { decide } from "../domain/orders/machine.ts";
import { finishJob } from "../storage/jobs.ts";
import { recordEntry } from "../storage/ledger.ts";
import { noteReceived } from "../storage/order-details.ts";
import { updatePaymentAttempt } from "../storage/payment-attempts.ts";
import type { Deps } from "./deps.ts";
import { carryOutMove } from "./move-order.ts";
import { currencyOf } from "./order-event-payload.ts";
import type { CardAnswer } from "./record-card-payment.ts";
import { requireOrder } from "./require-order.ts";

/** The money is ours: attempt, ledger entry and the order's move are one database transaction. */
export async function recordCapture(deps: Deps, answer: CardAnswer): Promise<void> {
  const { job, attempt, payment } = answer;
  const amount = money(currencyOf(deps.catalogue(), attempt.assetId), attempt.units);
  await deps.database.transaction(async (tx) => {
    const [, order] = await Promise.all([finishJob(tx, job), requireOrder(tx, attempt.orderId)]);
    updatePaymentAttempt(tx, attempt.id, {
      status: "captured",
      declineReason: null,
      challengeUrl: null,
      threeDSecure: payment.threeDSecure ?? attempt.threeDSecure,
    });
    recordEntry(tx, captureEntry({ attemptId: attempt.id, amount }), {
      merchantId: order.merchantId,
      orderId: order.id,
    });
    const move = decide(order, { kind: "payment_captured" }, order.lockedAt);
    // In review it only waits beside what a person decides; the books know of it.
    if (!move) return void (await noteReceived(tx, order, attempt.units));
    await carryOutMove(tx, deps, { order, move, details: { receivedUnits: attempt.units } });
  });
}
