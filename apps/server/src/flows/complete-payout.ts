import { money } from "@exchange/money";
import { payoutEntry } from "../domain/ledger/order-entries.ts";
import { decide } from "../domain/orders/machine.ts";
import { finishJob, type LeasedJob } from "../storage/jobs.ts";
import { recordEntry } from "../storage/ledger.ts";
import { advancePayoutIntent, type PayoutIntent } from "../storage/payout-intents.ts";
import type { Deps } from "./deps.ts";
import { carryOutMove } from "./move-order.ts";
import { currencyOf } from "./order-event-payload.ts";
import { requireOrder } from "./require-order.ts";

/** The payout is final: intent, ledger, order and OrderFulfillment are one database transaction. */
export async function completePayout(
  deps: Deps,
  payout: {
    readonly job: LeasedJob;
    readonly intent: PayoutIntent;
    readonly confirmations: number;
  },
): Promise<void> {
  const { job, intent, confirmations } = payout;
  const amount = money(currencyOf(deps.catalogue(), intent.assetId), intent.units);
  await deps.database.transaction(async (tx) => {
    await finishJob(tx, job);
    const order = await requireOrder(tx, intent.orderId);
    const move = decide(order, { kind: "payout_confirmed" }, order.lockedAt);
    if (!move) throw new Error(`order ${order.id} is ${order.status} and cannot be completed`);
    await advancePayoutIntent(tx, intent.id, { state: "confirmed", confirmations });
    await recordEntry(tx, payoutEntry({ intentId: intent.id, amount }), {
      merchantId: order.merchantId,
      orderId: order.id,
    });
    await carryOutMove(tx, deps, { order, move });
  });
}
