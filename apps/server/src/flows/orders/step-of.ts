import {
  decide,
  type OrderEvent,
  type OrderJob,
  type Transition,
  type Writes,
} from "../../domain/orders/machine.ts";
import type { Order, OrderChange, TimelineNote } from "../../domain/orders/order.ts";
import { windowSecondsAfter } from "../../domain/payments/payment-window.ts";
import type { NewJob } from "../../storage/jobs/jobs.ts";
import type { StepEvent, StepParts } from "../../storage/orders/order-step.ts";
import type { Deps } from "../deps.ts";
import { orderEventPayload } from "./event-payload.ts";

/** Returns the step of an event; undefined where the order's status does not allow the event. */
export function stepOf(
  deps: Pick<Deps, "catalogue">,
  order: Order,
  event: OrderEvent,
  now: Date,
): StepParts | undefined {
  const transition = decide(order, event, now);
  return transition && stepOfTransition(deps, order, transition);
}

/**
 * The order's change with its timeline note and webhook, and the writes of the transition's row.
 */
function stepOfTransition(
  deps: Pick<Deps, "catalogue">,
  order: Order,
  transition: Transition,
): StepParts {
  const change: OrderChange = {
    status: transition.next,
    statusReason: transition.reason,
    cardAttempts: transition.cardAttempts,
    receivedUnits: transition.receivedUnits ?? order.receivedUnits,
    paymentWindowSeconds: windowSecondsAfter(transition, order, deps.catalogue()),
    actor: transition.actor,
    note: transition.note,
    screeningHits: transition.screeningHits,
  };
  return {
    ...stepOfWrites(order, transition),
    change,
    event: eventOf(deps, order, transition, change),
  };
}

/** The writes of an event that does not change the order's status. */
export const stepOfWrites = (order: Order, writes: Writes): StepParts => ({
  receivedUnits: writes.receivedUnits,
  entries: writes.entries ?? [],
  reversals: writes.reversals ?? [],
  intents: writes.owes ?? [],
  payout: writes.payout,
  jobs: (writes.jobs ?? []).map((job) => jobOf(order, job)),
});

/** An item of the timeline, and its event. The order's status stays. */
export function stepOfNote(
  deps: Pick<Deps, "catalogue">,
  order: Order,
  note: TimelineNote,
): StepParts {
  const eventType = "OrderUpdated";
  return {
    note,
    event: { eventType, payload: orderEventPayload(eventType, order, deps.catalogue()) },
  };
}

const jobOf = (order: Order, job: OrderJob): NewJob => ({
  subject: String(order.id),
  ...job,
  orderId: order.id,
  merchantId: order.merchantId,
});

function eventOf(
  deps: Pick<Deps, "catalogue">,
  order: Order,
  { webhook }: Transition,
  change: OrderChange,
): StepEvent {
  const payload = orderEventPayload(webhook, { ...order, ...change }, deps.catalogue());
  return { eventType: webhook, payload };
}
