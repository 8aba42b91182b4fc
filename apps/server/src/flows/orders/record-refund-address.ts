import { isOf, type Receipt } from "../../domain/orders/held.ts";
import type { Order, TimelineNote } from "../../domain/orders/order.ts";
import { isRefunding, isSettled } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { writesOfExcess, writesOfVoid } from "../../domain/orders/writes.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { StepParts } from "../../storage/orders/order-step.ts";
import { countNotes } from "../../storage/orders/timeline.ts";
import type { Deps } from "../deps.ts";
import { newExcessRefunds, newRefund, outgoingOf } from "../payouts/owe.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import {
  checkRefundAddress,
  isRefundAddressOf,
  type RefundAddress,
  refuseOwnRefundAddress,
} from "./check-destination.ts";
import { heldOf, readMoney } from "./held-money.ts";
import { type OrderKey, readOrder } from "./read.ts";
import { stepOfNote, stepOfWrites } from "./step-of.ts";

export interface RecordRefundAddress extends OrderKey {
  readonly to: RefundAddress;
}

/**
 * Records the refund address that the customer gives for coins. The first one counts at once, and money that waited for
 * it is returned. Another one is a request, which two of the operator's people approve. The current address again
 * withdraws the request. Each of these is in the timeline, with an event.
 *
 * Refuses NOT_FOUND, INVALID_INPUT, the address errors, and INVALID_ORDER_STATE while coins are on
 * their way, and after ten requests of a day.
 */
export async function recordRefundAddress(
  deps: Deps,
  command: RecordRefundAddress,
): Promise<OrderView> {
  const { order: before } = await readOrder(deps, command);
  const address = await requireRefundAddress(deps, before, command.to);
  await advanceOrder(deps, command, (order) => {
    requireNoRefundUnderWay(order);
    return stepOfCustomer(deps, order, address);
  });
  return readOrder(deps, command);
}

/** Refuses an order whose coins are on their way back, or have arrived. */
export function requireNoRefundUnderWay({ status }: Order): void {
  if (!isRefunding(status)) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message: "The coins are already on their way, so their address cannot change.",
  });
}

export type CheckedAddress = NonNullable<ReturnType<typeof checkRefundAddress>>;

/** Returns the address of the order's coins. Refuses an order that is not paid with coins, and a wrong address. */
export async function requireRefundAddress(
  deps: Pick<Deps, "catalogue" | "database">,
  order: Order,
  to: RefundAddress,
): Promise<CheckedAddress> {
  const currency = deps.catalogue().requireCurrency(order.spendAssetId);
  const address = currency.kind === "crypto" && checkRefundAddress(deps.catalogue(), currency, to);
  if (address) {
    await refuseOwnRefundAddress(deps, currency, address);
    return address;
  }
  throw new Refusal("INVALID_INPUT", {
    message:
      "This order is not paid with coins. The money is returned to the card or account that paid.",
    details: [{ field: "refundAddress", issue: "is not used for this order" }],
  });
}

function stepOfCustomer(
  deps: Deps,
  order: Order,
  address: CheckedAddress,
): StepParts | undefined | Promise<StepParts> {
  const { requestedRefundAddress, requestedRefundMemo } = order;
  if (order.refundAddress === null) return setAddress(deps, order, { address, note: GIVEN });
  if (isRefundAddressOf(order, address)) {
    const isAnotherRequested = requestedRefundAddress !== null;
    return isAnotherRequested
      ? { ...stepOfNote(deps, order, WITHDRAWN), refund: address }
      : undefined;
  }
  const requested = { refundAddress: requestedRefundAddress, refundMemo: requestedRefundMemo };
  if (isRefundAddressOf(requested, address)) return undefined;
  return requestAddress(deps, order, address);
}

/** Each request is in the timeline, which is a part of every answer with the order. A day has at most this many. */
const REQUESTS_MAX = 10;

async function requestAddress(
  deps: Deps,
  order: Order,
  address: CheckedAddress,
): Promise<StepParts> {
  if ((await countNotes(deps.database, order.id, REQUESTED)) >= REQUESTS_MAX) {
    throw new Refusal("INVALID_ORDER_STATE", {
      message: `Another refund address was requested ${REQUESTS_MAX} times for this order within a day. Try again tomorrow.`,
    });
  }
  return {
    ...stepOfNote(deps, order, REQUESTED),
    refund: {
      requestedRefundAddress: address.refundAddress,
      requestedRefundMemo: address.refundMemo,
    },
  };
}

const GIVEN: TimelineNote = { actor: "customer", note: "the customer gave a refund address" };
const REQUESTED: TimelineNote = {
  actor: "customer",
  note: "the customer asked for another refund address; the operator decides",
};
const WITHDRAWN: TimelineNote = {
  actor: "customer",
  note: "the customer keeps the refund address",
};

/**
 * The address counts from now on. Refunds that were not released are withdrawn, and a settled order returns their money to
 * the new address, with the money that waited for one. In review a person decides about it. Refuses INVALID_ORDER_STATE
 * while a released refund to the earlier address is under way.
 */
export async function setAddress(
  deps: Deps,
  order: Order,
  { address, note }: { readonly address: CheckedAddress; readonly note: TimelineNote },
): Promise<StepParts> {
  const received = await readMoney(deps.database, order.id);
  const waiting = received.intents.filter(isWaitingRefund);
  requireUnreleased(waiting);
  const step = {
    ...stepOfNote(deps, order, note),
    refund: address,
    ...(waiting.length > 0 && { before: waiting.map((refund) => withdrawal(deps, order, refund)) }),
  };
  if (!isSettled(order.status)) return step;
  const intents = received.intents.filter((intent) => !waiting.includes(intent));
  const held = heldOf(order, { ...received, intents });
  const debtor = { order: { ...order, ...address }, intents: received.intents };
  const wasReturned = (receipt: Receipt) => waiting.some((refund) => isOf(receipt, refund));
  const excess = [
    // Their refund was decided, whatever the money is worth.
    ...held.filter(wasReturned).map((one) => newRefund(deps, debtor, one, "excess_refund")),
    ...newExcessRefunds(
      deps,
      debtor,
      held.filter((one) => !wasReturned(one)),
    ),
  ];
  return { ...stepOfWrites(order, writesOfExcess(excess)), ...step };
}

const isWaitingRefund = ({ purpose, rail, state }: PayoutIntent): boolean =>
  purpose !== "payout" && rail === "chain" && state !== "confirmed" && state !== "void";

/** A released refund may have been signed, so it cannot be called back. */
function requireUnreleased(refunds: readonly PayoutIntent[]): void {
  if (refunds.every(({ state, releasedAt }) => state === "created" && releasedAt === null)) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message:
      "A refund to the current address is already on its way. Approve the address again once it has arrived.",
  });
}

const withdrawal = (deps: Deps, order: Order, refund: PayoutIntent): StepParts =>
  stepOfWrites(order, writesOfVoid(outgoingOf(deps, refund), { why: "withdrawn" }));
