import { money } from "@exchange/money";
import { sentEntry } from "../domain/ledger/order-entries.ts";
import { decide, type OrderEvent } from "../domain/orders/machine.ts";
import type { Tx } from "../storage/database.ts";
import { finishJob, type LeasedJob } from "../storage/jobs.ts";
import { recordEntry } from "../storage/ledger.ts";
import type { Order } from "../storage/orders.ts";
import { advanceInTransaction, type PayoutIntent } from "../storage/payout-intents.ts";
import type { Deps } from "./deps.ts";
import { readHeldMoney } from "./held-money.ts";
import { carryOutMove } from "./move-order.ts";
import { currencyOf } from "./order-event-payload.ts";
import { requireOrder } from "./require-order.ts";

export interface SettledPayout {
  readonly job: LeasedJob;
  readonly intent: PayoutIntent;
  readonly confirmations: number;
  readonly settledHash: string;
}

/** What was sent is final: intent, ledger, order and its event are one database transaction. */
export async function completePayout(deps: Deps, payout: SettledPayout): Promise<void> {
  const { job, intent, confirmations, settledHash } = payout;
  const { id: intentId, purpose, rail } = intent;
  const amount = money(currencyOf(deps.catalogue(), intent.assetId), intent.units);
  await deps.database.transaction(async (tx) => {
    const [, order] = await Promise.all([finishJob(tx, job), requireOrder(tx, intent.orderId)]);
    advanceInTransaction(tx, intentId, { state: "confirmed", confirmations, settledHash });
    recordEntry(tx, sentEntry({ intentId, purpose, rail, amount }), {
      merchantId: order.merchantId,
      orderId: order.id,
    });
    const event = await eventOf(tx, order, intent);
    if (!event) return;
    const move = decide(order, event, order.lockedAt);
    if (!move)
      throw new Error(`order ${order.id} is ${order.status} and cannot take ${event.kind}`);
    await carryOutMove(tx, deps, { order, move });
  });
}

/** An order is refunded with the last of its refunds; what is returned beside it moves nothing. */
async function eventOf(
  tx: Tx,
  order: Order,
  intent: PayoutIntent,
): Promise<OrderEvent | undefined> {
  if (intent.purpose === "payout") return { kind: "payout_confirmed" };
  if (intent.purpose === "excess_refund") return undefined;
  // Another refund was rejected: a person has the order already, and decides about the rest.
  if (order.status === "in_review") return undefined;
  const { held, intents } = await readHeldMoney(tx, order);
  const isUnderWay = intents.some(
    ({ purpose, state }) => purpose === "refund" && state !== "confirmed" && state !== "void",
  );
  return isUnderWay ? undefined : { kind: "refund_confirmed", remaining: held.length > 0 };
}
