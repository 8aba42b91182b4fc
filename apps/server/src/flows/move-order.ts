import type { WebhookEventType } from "@exchange/contract";
import type { Move, OrderEffect } from "../domain/orders/machine.ts";
import type { OrderStatus } from "../domain/orders/status.ts";
import type { Tx } from "../storage/database.ts";
import { enqueueJob } from "../storage/jobs.ts";
import { type LockedOrder, moveOrder, type Order } from "../storage/orders.ts";
import { recordEvent } from "../storage/outbox.ts";
import type { Deps } from "./deps.ts";
import { orderEventPayload } from "./order-event-payload.ts";

/** What changes with a move besides the status. */
export interface MoveDetails {
  readonly cardAttempts?: number;
  readonly receivedUnits?: bigint;
  /** The attempt that `authorize_payment` is about; other effects are about the order. */
  readonly attemptId?: string;
}

/**
 * Carries out a decided move in the caller's database transaction: the order, its timeline, the jobs
 * the decision asks for, and the event that webhooks tell.
 */
export async function carryOutMove(
  tx: Tx,
  deps: Deps,
  change: { readonly order: LockedOrder; readonly move: Move; readonly details?: MoveDetails },
): Promise<Order> {
  const { order, move, details = {} } = change;
  const moved = await moveOrder(tx, order, {
    status: move.next,
    statusReason: move.reason,
    cardAttempts: details.cardAttempts ?? order.cardAttempts,
    receivedUnits: details.receivedUnits ?? order.receivedUnits,
    actor: move.actor,
    note: move.note,
  });
  for (const effect of move.effects) {
    await enqueueJob(tx, {
      kind: effect,
      subject: subjectOf(effect, moved, details),
      orderId: moved.id,
      merchantId: moved.merchantId,
    });
  }
  await tellOf(tx, deps, moved);
  return moved;
}

/** The event of each status; the rest are told to those who subscribed to every update. */
const EVENT_OF: Partial<Record<OrderStatus, WebhookEventType>> = {
  completed: "OrderFulfillment",
  refunded: "OrderRefunded",
};

async function tellOf(tx: Tx, deps: Deps, order: Order): Promise<void> {
  const eventType = EVENT_OF[order.status] ?? "OrderUpdated";
  await recordEvent(tx, {
    merchantId: order.merchantId,
    orderId: order.id,
    eventType,
    payload: orderEventPayload(eventType, order, deps.catalogue()),
  });
}

function subjectOf(effect: OrderEffect, order: Order, details: MoveDetails): string {
  if (effect !== "authorize_payment") return String(order.id);
  if (!details.attemptId) throw new Error("authorize_payment needs the attempt it is about");
  return details.attemptId;
}
