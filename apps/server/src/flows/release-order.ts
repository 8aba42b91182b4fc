import { decide } from "../domain/orders/machine.ts";
import { failpoint } from "../failpoints.ts";
import type { Tx } from "../storage/database.ts";
import { listDeposits } from "../storage/deposits.ts";
import type { OrderView } from "../storage/order-views.ts";
import { lockOrder, type Order } from "../storage/orders.ts";
import { findOpenAttempt } from "../storage/payment-attempts.ts";
import { listPayoutIntents } from "../storage/payout-intents.ts";
import type { Deps } from "./deps.ts";
import { carryOutMove } from "./move-order.ts";
import { owePayout } from "./owe-payout.ts";
import { readOrder } from "./read-order.ts";
import { Refusal } from "./refusal.ts";

/**
 * An operator lets an order in review go on: what was paid is taken as it is, a rejected payout is
 * sent anew, an unpaid order may be paid again. Refuses NOT_FOUND and INVALID_ORDER_STATE.
 */
export async function releaseOrder(
  deps: Deps,
  command: { readonly merchantId: string; readonly orderId: bigint },
): Promise<OrderView> {
  await readOrder(deps, command);
  failpoint("order.before_release");
  await deps.database.transaction((tx) => releaseLocked(tx, deps, command.orderId));
  failpoint("order.after_release");
  deps.wakeJobs();
  deps.wakeWebhooks();
  return readOrder(deps, command);
}

async function releaseLocked(tx: Tx, deps: Deps, orderId: bigint): Promise<void> {
  const order = await lockOrder(tx, orderId);
  if (!order) throw new Refusal("NOT_FOUND");
  const covered = (order.receivedUnits ?? 0n) >= order.spendUnits;
  const underWay = await isPaymentUnderWay(tx, order);
  const move = decide(order, { kind: "released", covered, underWay }, order.lockedAt);
  if (!move) {
    throw new Refusal("INVALID_ORDER_STATE", {
      message:
        order.status === "in_review"
          ? "What is held of this order can only be refunded."
          : `An order that is ${order.status} is not in review.`,
    });
  }
  const sends = move.effects.includes("send_payout");
  const details = sends ? { intentId: await payoutToSend(tx, deps, order) } : {};
  await carryOutMove(tx, deps, { order, move, details });
}

async function isPaymentUnderWay(tx: Tx, order: Order): Promise<boolean> {
  if (await findOpenAttempt(tx, order.id)) return true;
  return (await listDeposits(tx, order.id)).some(({ state }) => state === "seen");
}

/** The payout that waits, or a new one where the last was rejected. */
async function payoutToSend(tx: Tx, deps: Deps, order: Order): Promise<string> {
  const intents = await listPayoutIntents(tx, order.id);
  const alive = intents.find(({ purpose, state }) => purpose === "payout" && state !== "void");
  return alive ? alive.id : owePayout(tx, deps, order);
}
