import type { TransactionCosts } from "../../domain/ledger/house-entries.ts";
import { neverRejected } from "../../domain/orders/held.ts";
import { type OrderEvent, writesOf } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import { withDetail } from "../../domain/orders/transitions.ts";
import type {
  NewPayoutIntent,
  PayoutIntent,
  RejectedWhy,
} from "../../domain/payouts/payout-intent.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder, type BuiltStep } from "../orders/advance.ts";
import { heldOf, readMoney } from "../orders/held-money.ts";
import { stepOf, stepOfNote, stepOfWrites } from "../orders/step-of.ts";
import { newExcessRefunds, outgoingOf } from "./owe.ts";

export interface SettledIntent extends TransactionCosts {
  readonly job: LeasedJob;
  readonly intent: PayoutIntent;
  readonly confirmations: number;
  readonly settledHash: string;
  /** Its block may still be dropped. */
  readonly awaitsFinality?: true;
}

/** Why nothing was paid, and what the transaction cost all the same. */
export interface Rejection extends TransactionCosts {
  readonly why: RejectedWhy;
  /** The rail's own words, which the order's timeline keeps. */
  readonly detail?: string | undefined;
}

export interface RejectedIntent extends Rejection, Pick<SettledIntent, "job" | "intent"> {}

/**
 * Records a paid or final payout, or a final refund: intent, ledger, order and its event are one database
 * transaction.
 */
export async function completePayout(deps: Deps, settled: SettledIntent): Promise<void> {
  const { job, intent, ...ended } = settled;
  const sent = { ...outgoingOf(deps, intent), ...ended };
  await advanceOrder(deps, { orderId: intent.orderId, job }, async (order, now) => {
    if (intent.purpose === "payout") {
      const excess = await excessOf(deps, order);
      return requireStep(deps, order, { kind: "payout_confirmed", payout: sent, excess }, now);
    }
    const { moves, remaining } = await effectOfRefund(deps, order, intent);
    const event = { kind: "refund_confirmed", remaining, refund: sent } as const;
    return moves
      ? requireStep(deps, order, event, now)
      : toldStep(deps, order, { event, note: returnedNote(intent) });
  });
}

/**
 * Records that nothing was paid. The intent becomes void, its reservation is released, and a
 * person decides about the order.
 */
export async function rejectPayout(
  deps: Deps,
  { job, intent, ...rejection }: RejectedIntent,
): Promise<void> {
  const outgoing = outgoingOf(deps, intent);
  const event =
    intent.purpose === "payout"
      ? ({ kind: "payout_rejected", payout: outgoing, ...rejection } as const)
      : ({ kind: "refund_rejected", refund: outgoing, ...rejection } as const);
  await advanceOrder(deps, { orderId: intent.orderId, job }, (order, now) => {
    const note = withDetail(REJECTED_NOTES[intent.purpose], rejection.detail);
    // An excess moves nothing: its order has continued without it. The money is held, and a person may return it.
    const moved = intent.purpose === "excess_refund" ? undefined : stepOf(deps, order, event, now);
    return moved ?? toldStep(deps, order, { event, note });
  });
}

const REJECTED_NOTES = {
  payout: "the payout was rejected",
  refund: "the refund was rejected",
  excess_refund: "money beyond the order could not be returned",
} as const;

const returnedNote = ({ purpose }: PayoutIntent): string =>
  purpose === "excess_refund" ? "money beyond the order was returned" : "a part was refunded";

/** Returns the step of an end that leaves the status as it is. The timeline tells it, with an event. */
const toldStep = (
  deps: Deps,
  order: Order,
  { event, note }: { readonly event: OrderEvent; readonly note: string },
): BuiltStep => ({
  ...stepOfWrites(order, writesOf(event)),
  ...stepOfNote(deps, order, { actor: "system", note }),
});

/**
 * Records that the chain dropped the payout of a completed order, and that it can never be made. The books are
 * as if it had not left, and a person decides about the order.
 */
export async function losePayout(
  deps: Deps,
  { job, intent, ...rejection }: RejectedIntent,
): Promise<void> {
  const event = { kind: "payout_lost", payout: outgoingOf(deps, intent), ...rejection } as const;
  await advanceOrder(deps, { orderId: intent.orderId, job }, (order, now) =>
    requireStep(deps, order, event, now),
  );
}

function requireStep(deps: Deps, order: Order, event: OrderEvent, now: Date): BuiltStep {
  const step = stepOf(deps, order, event, now);
  if (step) return step;
  throw new Error(`order ${order.id} is ${order.status} and cannot take ${event.kind}`);
}

/**
 * Returns the refunds of money beyond the order that came while a person decided about it. Money whose refund the rail
 * rejected is still held, and waits for a person.
 */
async function excessOf(deps: Deps, order: Order): Promise<readonly NewPayoutIntent[]> {
  const received = await readMoney(deps.database, order.id);
  const { intents } = received;
  const held = neverRejected(heldOf(order, received), intents);
  return newExcessRefunds(deps, { order, intents }, held);
}

/** Returns whether a paid refund moves its order, and whether money of the order remains. Only the last refund moves it. */
async function effectOfRefund(
  deps: Deps,
  order: Order,
  intent: PayoutIntent,
): Promise<{ readonly moves: boolean; readonly remaining: boolean }> {
  // Another refund was rejected, so the order is already in review for a person's decision.
  if (intent.purpose === "excess_refund" || order.status === "in_review") {
    return { moves: false, remaining: true };
  }
  const received = await readMoney(deps.database, order.id);
  const isAnotherUnderWay = received.intents.some(
    ({ id, purpose, state }) =>
      id !== intent.id && purpose === "refund" && state !== "confirmed" && state !== "void",
  );
  return { moves: !isAnotherUnderWay, remaining: heldOf(order, received).length > 0 };
}
