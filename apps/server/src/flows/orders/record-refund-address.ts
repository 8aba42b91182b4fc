import type { Operator } from "../../domain/operators/operator.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { writesOfExcess } from "../../domain/orders/writes.ts";
import type { StepParts } from "../../storage/orders/order-step.ts";
import type { Deps } from "../deps.ts";
import { isSettled, newExcessRefunds } from "../payouts/owe.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { checkRefundAddress, isRefundAddressOf, type RefundAddress } from "./check-destination.ts";
import { orderEventPayload } from "./event-payload.ts";
import { heldOf, readMoney } from "./held-money.ts";
import { maskAddress, type OperatorAction, withLog } from "./operator-action.ts";
import { type OrderKey, readOrder } from "./read.ts";
import { stepOfWrites } from "./step-of.ts";

export type RecordRefundAddress = OrderKey & {
  /** The customer gives an address or asks for another. An operator approves the one asked for. */
  readonly by: "customer" | "operator";
  readonly to: RefundAddress;
  /** The person at the command line, for the log. */
  readonly operator?: Operator | undefined;
};

/**
 * Records the refund address of the customer's coins. The first one counts at once, and money that
 * waited for it is returned. Another one counts after an operator has approved the very address
 * that the customer asked for. The current address again withdraws the customer's request. Each of
 * these is in the timeline, with an event.
 *
 * Refuses NOT_FOUND, INVALID_INPUT, the address errors, and INVALID_ORDER_STATE while coins are on
 * their way.
 */
export async function recordRefundAddress(
  deps: Deps,
  command: RecordRefundAddress,
): Promise<OrderView> {
  const { order: before } = await readOrder(deps, command);
  const address = checkedAddress(deps, before, command.to);
  await advanceOrder(deps, command, async (order) => {
    if (order.status === "refund_pending" || order.status === "refunded") {
      throw new Refusal("INVALID_ORDER_STATE", {
        message: "The coins are already on their way, so their address cannot change.",
      });
    }
    const step =
      command.by === "customer"
        ? await stepOfCustomer(deps, order, address)
        : await approve(deps, order, address);
    return step && withLog(deps, logOf(command), order, step);
  });
  deps.wakeJobs();
  deps.wakeWebhooks();
  return readOrder(deps, command);
}

const logOf = ({ operator, to }: RecordRefundAddress): OperatorAction => ({
  operator,
  action: "approve_refund_address",
  details: {
    address: maskAddress(to.refundAddress),
    memo: to.refundMemo === undefined ? null : maskAddress(to.refundMemo),
  },
});

type Address = NonNullable<ReturnType<typeof checkRefundAddress>>;

function checkedAddress(deps: Deps, order: Order, to: RefundAddress): Address {
  const currency = deps.catalogue().requireCurrency(order.spendAssetId);
  const address = currency.kind === "crypto" && checkRefundAddress(deps.catalogue(), currency, to);
  if (address) return address;
  throw new Refusal("INVALID_INPUT", {
    message:
      "This order is not paid with coins. The money is returned to the card or account that paid.",
    details: [{ field: "refundAddress", issue: "is not used for this order" }],
  });
}

function stepOfCustomer(
  deps: Deps,
  order: Order,
  address: Address,
): StepParts | undefined | Promise<StepParts> {
  const { requestedRefundAddress, requestedRefundMemo } = order;
  if (order.refundAddress === null) return setAddress(deps, order, { address, note: GIVEN });
  if (isRefundAddressOf(order, address)) {
    const isAnotherRequested = requestedRefundAddress !== null;
    return isAnotherRequested ? { ...toldAs(deps, order, WITHDRAWN), refund: address } : undefined;
  }
  const requested = { refundAddress: requestedRefundAddress, refundMemo: requestedRefundMemo };
  if (isRefundAddressOf(requested, address)) return undefined;
  return {
    ...toldAs(deps, order, REQUESTED),
    refund: {
      requestedRefundAddress: address.refundAddress,
      requestedRefundMemo: address.refundMemo,
    },
  };
}

function approve(deps: Deps, order: Order, address: Address): Promise<StepParts> {
  const requested = {
    refundAddress: order.requestedRefundAddress,
    refundMemo: order.requestedRefundMemo,
  };
  if (isRefundAddressOf(requested, address)) {
    return setAddress(deps, order, { address, note: APPROVED });
  }
  throw new Refusal("INVALID_ORDER_STATE", {
    message:
      requested.refundAddress === null
        ? "The customer of this order has not asked for another refund address. The customer asks for it with the order's own token."
        : `The customer asked for ${requested.refundAddress}${requested.refundMemo === null ? "" : ` with the memo ${requested.refundMemo}`}. Approve that address, or leave the order as it is.`,
  });
}

interface Note {
  readonly actor: "customer" | "operator";
  readonly note: string;
}

const GIVEN: Note = { actor: "customer", note: "the customer gave a refund address" };
const REQUESTED: Note = {
  actor: "customer",
  note: "the customer asked for another refund address; an operator decides",
};
const WITHDRAWN: Note = {
  actor: "customer",
  note: "the customer keeps the refund address",
};
const APPROVED: Note = {
  actor: "operator",
  note: "the operator approved the refund address that the customer asked for",
};

/** The address counts from now on. A settled order returns the money that waited for it. */
async function setAddress(
  deps: Deps,
  order: Order,
  { address, note }: { readonly address: Address; readonly note: Note },
): Promise<StepParts> {
  const step = { ...toldAs(deps, order, note), refund: address };
  if (!isSettled(order)) return step;
  const received = await readMoney(deps.database, order.id);
  const debtor = { order: { ...order, ...address }, intents: received.intents };
  const excess = newExcessRefunds(deps, debtor, heldOf(order, received));
  return { ...stepOfWrites(order, writesOfExcess(excess)), ...step };
}

/** The item of the timeline, and its event. The order's status stays. */
function toldAs(deps: Deps, order: Order, note: Note): StepParts {
  const eventType = "OrderUpdated";
  return {
    note,
    event: { eventType, payload: orderEventPayload(eventType, order, deps.catalogue()) },
  };
}
