import { money } from "@exchange/money";
import { sentEntry } from "../../domain/ledger/order-entries.ts";
import { decide, type Move, type OrderEvent } from "../../domain/orders/machine.ts";
import { finishJob, type LeasedJob } from "../../storage/jobs/jobs.ts";
import { applyStepIn } from "../../storage/orders/apply-step.ts";
import type { Order } from "../../storage/orders/orders.ts";
import type { PayoutIntent } from "../../storage/payouts/intents.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { currencyOf } from "../orders/event-payload.ts";
import { goOn } from "../orders/go-on.ts";
import { readHeldMoney } from "../orders/held-money.ts";
import { stepOf } from "../orders/move.ts";
import { requireOrder } from "../orders/require-order.ts";

export interface SettledPayout {
  readonly job: LeasedJob;
  readonly intent: PayoutIntent;
  readonly confirmations: number;
  readonly settledHash: string;
}

/** What was sent is final: intent, ledger, order and its event are one database transaction. */
export async function completePayout(deps: Deps, payout: SettledPayout): Promise<void> {
  const { job, intent } = payout;
  const settled = settledParts(deps, payout);
  if (intent.purpose === "payout") {
    await goOn(deps, job, (order) => {
      const move = requireMove(order, { kind: "payout_confirmed" }, deps.clock.now());
      return { ...stepOf(deps, { order, move }), ...settled };
    });
    return;
  }
  await deps.database.transaction(async (tx) => {
    const [, order] = await Promise.all([finishJob(tx, job), requireOrder(tx, intent.orderId)]);
    const event = await eventOfRefund(tx, order, intent);
    const move = event && requireMove(order, event, order.lockedAt);
    await applyStepIn(tx, { ...(move ? stepOf(deps, { order, move }) : { order }), ...settled });
  });
}

function settledParts(deps: Deps, { intent, confirmations, settledHash }: SettledPayout) {
  const { id, purpose, rail } = intent;
  const amount = money(currencyOf(deps.catalogue(), intent.assetId), intent.units);
  return {
    payout: { id, state: "confirmed", confirmations, settledHash },
    entries: [sentEntry({ intentId: id, purpose, rail, amount })],
  } as const;
}

function requireMove(order: Order, event: OrderEvent, now: Date): Move {
  const move = decide(order, event, now);
  if (move) return move;
  throw new Error(`order ${order.id} is ${order.status} and cannot take ${event.kind}`);
}

/** An order is refunded with the last of its refunds; what is returned beside it moves nothing. */
async function eventOfRefund(
  tx: Tx,
  order: Order,
  intent: PayoutIntent,
): Promise<OrderEvent | undefined> {
  if (intent.purpose === "excess_refund") return undefined;
  // Another refund was rejected: a person has the order already, and decides about the rest.
  if (order.status === "in_review") return undefined;
  const { held, intents } = await readHeldMoney(tx, order);
  const isUnderWay = intents.some(
    ({ id, purpose, state }) =>
      id !== intent.id && purpose === "refund" && state !== "confirmed" && state !== "void",
  );
  return isUnderWay ? undefined : { kind: "refund_confirmed", remaining: held.length > 0 };
}
