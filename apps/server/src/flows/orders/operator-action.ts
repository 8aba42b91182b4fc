import type { ControlAction } from "@exchange/contract/admin";
import type { Operator } from "../../domain/operators/operator.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import type { BuiltStep } from "./advance.ts";
import { publicReason } from "./event-payload.ts";

/** An operator's command about an order. */
export interface OperatorAction {
  /** Undefined when no person of the operator or of the console gave the command. */
  readonly operator: Operator | undefined;
  readonly action: ControlAction;
  readonly details?: Readonly<Record<string, string | null>>;
}

/** The reason of the order that the person saw, in the person's words. Undefined means that none was named. */
export interface ReasonSeen {
  readonly by: "customer" | "merchant" | "operator";
  readonly statusReason?: string | null | undefined;
}

/** Refuses a decision on an order that has another reason by now. */
export function requireReasonSeen(order: Order, { by, statusReason: seen }: ReasonSeen): void {
  const reason =
    order.statusReason && by !== "operator" ? publicReason(order.statusReason) : order.statusReason;
  if (seen === undefined || seen === reason) return;
  const why = reason === null ? "" : ` for ${reason}`;
  throw new Refusal("INVALID_ORDER_STATE", {
    message: `The order is ${order.status}${why} now. Read it again before you decide.`,
  });
}

/** Returns the details of a command whose reason may be absent. */
export const withReason = (
  reason: string | undefined,
): { readonly details?: Readonly<Record<string, string>> } =>
  reason === undefined ? {} : { details: { reason } };

/**
 * Returns the first and the last characters of a customer's address or memo. The log is permanent, so it names
 * an address well enough to recognise it in its order, and no better.
 */
export const maskAddress = (text: string): string =>
  text.length < 16 ? `…${text.slice(-2)}` : `${text.slice(0, 6)}…${text.slice(-4)}`;

const maskedOrNull = (text: string | null): string | null =>
  text === null ? null : maskAddress(text);

/**
 * Returns the step with a row for the log of operators' actions, which is written in the step's own
 * database transaction. Without an operator the step is returned as it is.
 */
export function withLog(
  deps: Pick<Deps, "environment">,
  { operator, action, details = {} }: OperatorAction,
  order: Order,
  step: BuiltStep,
): BuiltStep {
  if (!operator) return step;
  const { status, statusReason, refundAddress } = order;
  const control = {
    operator: requireOperator(deps, operator),
    action,
    subject: String(order.id),
    details,
    before: { status, statusReason, refundAddress: maskedOrNull(refundAddress) },
    after: {
      status: step.change?.status ?? status,
      statusReason: step.change ? step.change.statusReason : statusReason,
      refundAddress: maskedOrNull(addressAfter(step) ?? refundAddress),
    },
  };
  return { ...step, control };
}

/** An address that the customer asks for is not the order's address yet. */
const addressAfter = ({ refund }: BuiltStep): string | undefined =>
  refund && "refundAddress" in refund ? refund.refundAddress : undefined;
