import { type Decimal, formatDecimal } from "@exchange/money";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { type Receipt, takeFrom } from "../../domain/orders/held.ts";
import { accepts, mayHaveLeft, mayRefund } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import { isSettled } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { writesOfExcess } from "../../domain/orders/writes.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { failpoint } from "../../failpoints.ts";
import type { Deps } from "../deps.ts";
import { requireReconciled } from "../history/require-reconciled.ts";
import { isReturnable, newRefund, outgoingOf } from "../payouts/owe.ts";
import { Refusal } from "../refusal.ts";
import { requireUnits } from "../requirements.ts";
import { advanceOrder } from "./advance.ts";
import {
  checkRefundAddress,
  isRefundAddressOf,
  refuseOwnRefundAddress,
} from "./check-destination.ts";
import { heldOf, type OrderMoney, readMoney } from "./held-money.ts";
import {
  maskAddress,
  type OperatorAction,
  type ReasonSeen,
  requireReasonSeen,
  withLog,
  withReason,
} from "./operator-action.ts";
import { readOrder } from "./read.ts";
import { stepOf, stepOfNote, stepOfWrites } from "./step-of.ts";

export interface RefundOrder extends ReasonSeen {
  readonly merchantId: string;
  readonly orderId: bigint;
  /** In whole coins of the currency spent. The whole held amount when absent. */
  readonly amount?: Decimal | undefined;
  readonly refundAddress?: string | undefined;
  readonly refundMemo?: string | undefined;
  readonly refundWithoutMemo?: true | undefined;
  /** The person who decides, for the log. */
  readonly operator?: Operator | undefined;
  /** Why it is right, for the log. */
  readonly reason?: string | undefined;
}

/**
 * Creates the refunds that return the money received to its payer. An exchange is reversed first,
 * and only where nothing can have been sent. The order's move, the intents and the ledger's
 * reservations are one database transaction. A job sends the refunds.
 *
 * A refund goes to the address that the customer gave. The caller may set one only where there is
 * none. The address is screened when the refund is sent.
 *
 * Refuses NOT_FOUND, INVALID_ORDER_STATE, INVALID_INPUT, AMOUNT_PRECISION, the address errors and
 * PROVIDER_UNAVAILABLE.
 */
export async function refundOrder(deps: Deps, command: RefundOrder): Promise<OrderView> {
  const view = await readOrder(deps, command);
  const spent = deps.catalogue().requireCurrency(view.order.spendAssetId);
  const amount = command.amount && requireUnits(spent, command.amount, "amount");
  const address = addressOf(deps, view.order, command);
  await refuseOwnRefundAddress(deps, spent, address);
  if (command.by !== "operator") await requireReconciled(deps, "Refunds");
  failpoint("order.before_refund");
  await advanceOrder(deps, command, async (order, now) => {
    requireReasonSeen(order, command);
    const added = address && newAddress(order, address);
    const refund = { order: { ...order, ...added }, by: command.by, amount };
    const step = await refundStep(deps, refund, now);
    const log = logOf(command);
    if (!added || !step) return withLog(deps, log, order, { ...step });
    const note = `the ${command.by} gave a refund address and asked for a refund`;
    const noted = step.change
      ? { change: { ...step.change, note } }
      : { note: { actor: command.by, note } };
    return withLog(deps, log, order, { ...step, ...noted, refund: added });
  });
  failpoint("order.after_refund");
  return readOrder(deps, command);
}

const logOf = ({ operator, amount, refundAddress, reason }: RefundOrder): OperatorAction => ({
  operator,
  action: "refund_order",
  details: {
    ...withReason(reason).details,
    amount: amount ? formatDecimal(amount) : null,
    address: refundAddress === undefined ? null : maskAddress(refundAddress),
  },
});

function addressOf(deps: Deps, order: Order, command: RefundOrder) {
  const { refundAddress, refundMemo, refundWithoutMemo } = command;
  if (refundAddress === undefined && refundMemo === undefined) return undefined;
  const currency = deps.catalogue().requireCurrency(order.spendAssetId);
  if (currency.kind === "fiat") {
    throw new Refusal("INVALID_INPUT", {
      message:
        "The customer paid no coins. The money is returned to the card or account that paid.",
      details: [{ field: "refundAddress", issue: "is not used for this order" }],
    });
  }
  return checkRefundAddress(deps.catalogue(), currency, {
    ...(refundAddress === undefined ? {} : { refundAddress }),
    ...(refundMemo === undefined ? {} : { refundMemo }),
    ...(refundWithoutMemo === undefined ? {} : { refundWithoutMemo }),
  });
}

type CheckedAddress = NonNullable<ReturnType<typeof checkRefundAddress>>;

/** Returns the address if the order has none yet. Refuses to replace an address. */
function newAddress(order: Order, address: CheckedAddress): CheckedAddress | undefined {
  if (order.refundAddress === null) return address;
  if (isRefundAddressOf(order, address)) return undefined;
  throw new Refusal("INVALID_ORDER_STATE", {
    message:
      "This order has a refund address. Only its customer may ask for another, and two of the operator's people decide. Leave out refundAddress to refund to the address of the order.",
    details: [{ field: "refundAddress", issue: "differs from the refund address of the order" }],
  });
}

interface Refunding {
  readonly order: Order;
  readonly by: "customer" | "merchant" | "operator" | "system";
  /** Undefined means the whole amount. */
  readonly amount: bigint | undefined;
}

/**
 * Returns the receipts of which this party may have money returned now. A settled order keeps its amount, and an operator
 * returns what it holds beyond. Empty where a refund is refused.
 */
export function refundableOf(
  order: Order,
  by: Refunding["by"],
  received: OrderMoney,
): readonly Receipt[] {
  if (isSettled(order.status)) return by === "operator" ? heldOf(order, received) : [];
  const facts = { by, exchanged: received.exchanged, payoutAlive: isPayoutAlive(order, received) };
  const isAllowed = accepts(order.status, "refund_requested") && mayRefund(order, facts);
  // The exchange is reversed, so no part of the money received is consumed.
  return isAllowed ? heldOf(order, { ...received, exchanged: false }) : [];
}

const EXCESS_NOTE = "the operator asked for a refund of money beyond the order";

/**
 * Returns the step of a refund. An order that is settled stays so, and an operator returns the money beyond its amount
 * that it still holds. Refuses as `refundOrder` does.
 */
export async function refundStep(deps: Deps, { order, by, amount }: Refunding, now: Date) {
  const received = await readMoney(deps.database, order.id);
  const { intents, exchanged } = received;
  const held = refundableOf(order, by, received);
  if (isSettled(order.status) && held.length > 0) {
    const refunds = chosen(deps, { order, amount, held }).map((receipt) =>
      newRefund(deps, { order, intents }, receipt, "excess_refund"),
    );
    const noted = stepOfNote(deps, order, { actor: by, note: EXCESS_NOTE });
    return { ...stepOfWrites(order, writesOfExcess(refunds)), ...noted };
  }
  const payout = payoutOf(received);
  const event = {
    kind: "refund_requested",
    by,
    exchanged,
    payoutAlive: isPayoutAlive(order, received),
    orderId: order.id,
    withdrawn: payout && outgoingOf(deps, payout),
  } as const;
  // The status is checked before the amount.
  if (!stepOf(deps, order, { ...event, refunds: [] }, now)) throw refusal(order, event);
  const refunds = chosen(deps, { order, amount, held }).map((receipt) =>
    newRefund(deps, { order, intents }, receipt),
  );
  return stepOf(deps, order, { ...event, refunds }, now);
}

const payoutOf = ({ intents }: OrderMoney): PayoutIntent | undefined =>
  intents.find(({ purpose, state }) => purpose === "payout" && state !== "void");

/** A payout that the controls hold is withdrawn. It was never released, so it cannot have been signed. */
const isPayoutAlive = ({ status }: Order, received: OrderMoney): boolean =>
  payoutOf(received) !== undefined && (status !== "in_review" || mayHaveLeft(received.intents));

function chosen(
  deps: Deps,
  from: {
    readonly order: Order;
    readonly amount: bigint | undefined;
    readonly held: readonly Receipt[];
  },
): readonly Receipt[] {
  const { order, amount, held } = from;
  const assetId = order.spendAssetId;
  const receipts = amount === undefined ? held : takeFrom(held, { assetId, units: amount });
  const total = receipts.reduce((sum, { units }) => sum + units, 0n);
  if (total === 0n)
    throw new Refusal("INVALID_ORDER_STATE", {
      message: "This order holds no money, so there is nothing to refund.",
    });
  if (amount !== undefined && total < amount) throw tooMuch(deps, { order, held: total });
  for (const receipt of receipts) requireReturnable(deps, order, receipt);
  return receipts;
}

function tooMuch(deps: Deps, of: { readonly order: Order; readonly held: bigint }): Refusal {
  const currency = deps.catalogue().requireCurrency(of.order.spendAssetId);
  const held = unitsText(currency, of.held);
  return new Refusal("INVALID_INPUT", {
    message: `No more than ${held} ${currency.code} of this order can be refunded.`,
    details: [{ field: "amount", issue: `must be at most ${held}` }],
  });
}

function requireReturnable(deps: Deps, order: Order, receipt: Receipt): void {
  if (!isReturnable(order, receipt)) {
    throw new Refusal("INVALID_INPUT", {
      message: "A refund of coins needs an address. Set refundAddress.",
      details: [{ field: "refundAddress", issue: "is missing" }],
    });
  }
  if (receipt.rail === "card" && !deps.cardProcessor?.refunds) {
    throw new Refusal("PROVIDER_UNAVAILABLE", { message: "The card processor cannot refund." });
  }
}

const refusal = (
  order: Order,
  why: { readonly exchanged: boolean; readonly payoutAlive: boolean },
): Refusal => {
  const message = !accepts(order.status, "refund_requested")
    ? `An order that is ${order.status} cannot be refunded.`
    : why.payoutAlive
      ? "The payout of this order may already have been sent."
      : order.statusReason === "screening_hit"
        ? "This order is held for compliance; only an operator can refund it."
        : "This order was already exchanged; only an operator can reverse that.";
  return new Refusal("INVALID_ORDER_STATE", { message });
};
