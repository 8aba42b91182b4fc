import type { Operator } from "../../domain/operators/operator.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { APPROVALS_NEEDED } from "../../domain/payouts/limits.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  insertAddressApproval,
  listAddressApprovers,
} from "../../storage/orders/refund-address-approvals.ts";
import type { Deps } from "../deps.ts";
import { describeEarlier, requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { isRefundAddressOf, type RefundAddress } from "./check-destination.ts";
import { maskAddress, type OperatorAction, withLog } from "./operator-action.ts";
import { type OrderKey, readOrder } from "./read.ts";
import {
  type CheckedAddress,
  requireNoRefundUnderWay,
  requireRefundAddress,
  setAddress,
} from "./record-refund-address.ts";

export interface ApproveRefundAddress extends OrderKey {
  /** The address that the customer confirmed. It must be the one that the order's token or page asked for. */
  readonly to: RefundAddress;
  readonly operator: Operator;
  /** Why it is right, for the log. */
  readonly reason?: string | undefined;
}

export interface RefundAddressApproval {
  readonly view: OrderView;
  /** How many more people must approve the address. */
  readonly approvalsMissing: number;
}

/**
 * Records a person's approval of another refund address, which the customer asked for. The second person's approval
 * makes it the order's address, and refunds that wait go there (`setAddress`). The database refuses it with one
 * approval (docs/decisions/0128-require-two-people-to-resume-and-to-replace-a-refund-address.md). After a crash the
 * call can be repeated, because approvals are stored first.
 *
 * Refuses NOT_FOUND, INVALID_INPUT and the address errors. INVALID_INPUT also refuses a person or an account that
 * approved before. INVALID_ORDER_STATE means that coins are on their way, or that the customer asked for another
 * address.
 */
export async function approveRefundAddress(
  deps: Deps,
  command: ApproveRefundAddress,
): Promise<RefundAddressApproval> {
  const by = requireOperator(deps, command.operator);
  const { order } = await readOrder(deps, command);
  const address = await requireRefundAddress(deps, order, command.to);
  requireNoRefundUnderWay(order);
  requireRequested(order, address);
  const approvedBy = await recordApproval(deps, { ...command, operator: by }, address);
  const approvalsMissing = Math.max(0, APPROVALS_NEEDED - approvedBy.length);
  if (approvalsMissing === 0) {
    await advanceOrder(deps, command, async (now) => {
      requireNoRefundUnderWay(now);
      requireRequested(now, address);
      const step = await setAddress(deps, now, { address, note: APPROVED });
      return withLog(deps, actionOf({ ...command, operator: by }), now, step);
    });
  }
  return { view: await readOrder(deps, command), approvalsMissing };
}

const APPROVED = {
  actor: "operator",
  note: "two of the operator's people approved the refund address that the customer asked for",
} as const;

const recordApproval = (
  { database }: Pick<Deps, "database">,
  command: ApproveRefundAddress,
  address: CheckedAddress,
): Promise<readonly string[]> =>
  database.transaction(async (tx) => {
    const { orderId, operator } = command;
    const requested = { orderId, ...address };
    const isNew = await insertAddressApproval(tx, requested, operator);
    const approvedBy = await listAddressApprovers(tx, requested);
    if (!isNew) {
      // Both approvals are stored, but the process ended before it set the address.
      if (approvedBy.length >= APPROVALS_NEEDED) return approvedBy;
      throw new Refusal("INVALID_INPUT", {
        message: `${describeEarlier(operator, approvedBy)} has already approved this refund address. Another person must approve it, from their own account.`,
      });
    }
    await logControl(tx, {
      ...actionOf(command),
      operator,
      subject: String(orderId),
      before: { approvedBy: approvedBy.filter((person) => person !== operator.person) },
      after: { approvedBy },
    });
    return approvedBy;
  });

/** The log has a row for each approval, and one for the address that it leads to. */
const actionOf = ({ operator, to, reason }: ApproveRefundAddress): OperatorAction => ({
  operator,
  action: "approve_refund_address",
  details: {
    address: maskAddress(to.refundAddress),
    memo: to.refundMemo === undefined ? null : maskAddress(to.refundMemo),
    ...(reason === undefined ? {} : { reason }),
  },
});

/** Refuses an address that the customer did not ask for. */
function requireRequested(order: Order, address: CheckedAddress): void {
  const { requestedRefundAddress: refundAddress, requestedRefundMemo: refundMemo } = order;
  if (isRefundAddressOf({ refundAddress, refundMemo }, address)) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message:
      refundAddress === null
        ? "The customer of this order has not asked for another refund address. The customer asks for it in the checkout, or on the order's page."
        : `The customer asked for ${refundAddress}${refundMemo === null ? "" : ` with the memo ${refundMemo}`}. Approve that address, or leave the order as it is.`,
  });
}
