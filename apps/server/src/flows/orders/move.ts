import type { WebhookEventType } from "@exchange/contract";
import type { Move, OrderEffect } from "../../domain/orders/machine.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import type { JobKind, NewJob } from "../../storage/jobs/jobs.ts";
import { applyStepIn } from "../../storage/orders/apply-step.ts";
import type { OrderStep, StepEvent } from "../../storage/orders/order-step.ts";
import type { LockedOrder, Order } from "../../storage/orders/orders.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { paymentWindowSeconds } from "../payments/rails.ts";
import { orderEventPayload } from "./event-payload.ts";

/** What changes with a move besides the status, and what its effects are about. */
export interface MoveDetails {
  readonly cardAttempts?: number;
  readonly receivedUnits?: bigint;
  /** The attempt that `authorize_payment` and `void_payment` are about. */
  readonly attemptId?: string;
  /** The intent that `send_payout` is about. */
  readonly intentId?: string;
}

/** A decided move, and what goes with it. */
export interface Moving<Moved extends Order = Order> {
  readonly order: Moved;
  readonly move: Move;
  readonly details?: MoveDetails;
}

/**
 * What a decided move writes together: the order, its timeline, the jobs the decision asks for, and the
 * event that webhooks tell.
 */
export function stepOf(deps: Deps, { order, move, details = {} }: Moving): OrderStep {
  const reopens = move.effects.includes("reopen_payment");
  const change = {
    status: move.next,
    statusReason: move.reason,
    cardAttempts: details.cardAttempts ?? order.cardAttempts,
    receivedUnits: details.receivedUnits ?? order.receivedUnits,
    paymentWindowSeconds: reopens ? windowOf(deps, order) : null,
    actor: move.actor,
    note: move.note,
  };
  return {
    order,
    change,
    event: eventOf(deps, { ...order, ...change }),
    jobs: move.effects.flatMap((effect) => jobsOf({ effect, order, details })),
  };
}

/** Carries out a decided move of a locked order in the caller's database transaction. */
export async function carryOutMove(
  tx: Tx,
  deps: Deps,
  moving: Moving<LockedOrder>,
): Promise<Order> {
  const { order } = await applyStepIn(tx, stepOf(deps, moving));
  return order;
}

function windowOf(deps: Deps, order: Order): number {
  const method = deps.catalogue().paymentMethodById(order.paymentMethodId);
  if (!method) throw new Error(`payment method ${order.paymentMethodId} is gone`);
  return paymentWindowSeconds(method);
}

interface Effect {
  readonly effect: OrderEffect;
  readonly order: Order;
  readonly details: MoveDetails;
}

const JOB_OF: Record<OrderEffect, JobKind> = {
  authorize_payment: "authorize_payment",
  void_payment: "void_payment",
  exchange_order: "exchange_order",
  send_payout: "send_payout",
  reopen_payment: "expire_order",
};

function jobsOf({ effect, order, details }: Effect): NewJob[] {
  const subject = subjectOf({ effect, order, details });
  if (subject === undefined) return [];
  const { id: orderId, merchantId } = order;
  const whenDue = effect === "reopen_payment" ? { isAtWindowEnd: true } : {};
  return [{ kind: JOB_OF[effect], subject, orderId, merchantId, ...whenDue }];
}

/** What the effect's job is about; undefined when there is nothing of it, such as no card to void. */
function subjectOf({ effect, order, details }: Effect): string | undefined {
  switch (effect) {
    case "authorize_payment":
      if (!details.attemptId) throw new Error("authorize_payment needs the attempt it is about");
      return details.attemptId;
    case "void_payment":
      return details.attemptId;
    case "send_payout":
      if (!details.intentId) throw new Error("send_payout needs the intent it is about");
      return details.intentId;
    case "exchange_order":
    case "reopen_payment":
      return String(order.id);
  }
}

/** The event of each status; the rest are told to those who subscribed to every update. */
const EVENT_OF: Partial<Record<OrderStatus, WebhookEventType>> = {
  completed: "OrderFulfillment",
  refunded: "OrderRefunded",
};

function eventOf(deps: Deps, order: Order): StepEvent {
  const eventType = EVENT_OF[order.status] ?? "OrderUpdated";
  return { eventType, payload: orderEventPayload(eventType, order, deps.catalogue()) };
}
