import { decide } from "../../domain/orders/machine.ts";
import { failpoint } from "../../failpoints.ts";
import { lockOrder, type Order } from "../../storage/orders/orders.ts";
import type { OrderView } from "../../storage/orders/views.ts";
import { findOpenAttempt } from "../../storage/payments/attempts.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import { listPayoutIntents } from "../../storage/payouts/intents.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { owePayout } from "../payouts/owe-payout.ts";
import { Refusal } from "../refusal.ts";
import { carryOutMove } from "./move.ts";
import { readOrder } from "./read.ts";

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
