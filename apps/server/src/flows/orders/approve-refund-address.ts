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
import { describePerson, requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { isRefundAddressOf, type RefundAddress } from "./check-destination.ts";
import { maskAddress } from "./operator-action.ts";
import { type OrderKey, readOrder } from "./read.ts";
import {
  type CheckedAddress,
  requireAtRest,
  requireRefundAddress,
  setAddress,
} from "./record-refund-address.ts";

export interface ApproveRefundAddress extends OrderKey {
  /** The address that the customer confirmed. It must be the one that the order's own token asked for. */
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
 * Records a person's approval of another refund address, which the customer asked for. The second person's makes it the
 * order's address, and a settled order returns the money that waited. The database refuses it with one approval
 * (docs/decisions/0128-let-two-people-resume-and-change-a-payee.md). Repeat it after a crash: approvals are recorded first.
 *
 * Refuses NOT_FOUND, INVALID_INPUT also when the same person or account approved before, the address errors, and
 * INVALID_ORDER_STATE while coins are on their way or when the customer asked for another address.
 */
export async function approveRefundAddress(
  deps: Deps,
  command: ApproveRefundAddress,
): Promise<RefundAddressApproval> {
  const by = requireOperator(deps, command.operator);
  const { order } = await readOrder(deps, command);
  const address = requireRefundAddress(deps, order, command.to);
  requireAtRest(order);
  requireRequested(order, address);
  const approvedBy = await recordApproval(deps, { ...command, operator: by }, address);
  const approvalsMissing = Math.max(0, APPROVALS_NEEDED - approvedBy.length);
  if (approvalsMissing === 0) {
    await advanceOrder(deps, command, (now) => {
      requireAtRest(now);
      requireRequested(now, address);
      return setAddress(deps, now, { address, note: APPROVED });
    });
    deps.wakeJobs();
    deps.wakeWebhooks();
  }
  return { view: await readOrder(deps, command), approvalsMissing };
}

const APPROVED = {
  actor: "operator",
  note: "two people of the operator approved the refund address that the customer asked for",
} as const;

const recordApproval = (
  { database }: Pick<Deps, "database">,
  { orderId, operator, reason }: ApproveRefundAddress,
  address: CheckedAddress,
): Promise<readonly string[]> =>
  database.transaction(async (tx) => {
    const requested = { orderId, ...address };
    const before = await listAddressApprovers(tx, requested);
    if (!(await insertAddressApproval(tx, requested, operator))) {
      // A process that ended after the last approval has not set the address.
      if (before.length >= APPROVALS_NEEDED) return before;
      throw new Refusal("INVALID_INPUT", {
        message: `${describePerson(operator)} has already approved this refund address. Another person must approve it, under another account of the system.`,
      });
    }
    const approvedBy = await listAddressApprovers(tx, requested);
    const { refundAddress, refundMemo } = address;
    await logControl(tx, {
      operator,
      action: "approve_refund_address",
      subject: String(orderId),
      details: {
        address: maskAddress(refundAddress),
        memo: refundMemo === null ? null : maskAddress(refundMemo),
        ...(reason === undefined ? {} : { reason }),
      },
      before: { approvedBy: before },
      after: { approvedBy },
    });
    return approvedBy;
  });

/** Refuses an address that the customer did not ask for. */
function requireRequested(order: Order, address: CheckedAddress): void {
  const { requestedRefundAddress: refundAddress, requestedRefundMemo: refundMemo } = order;
  if (isRefundAddressOf({ refundAddress, refundMemo }, address)) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message:
      refundAddress === null
        ? "The customer of this order has not asked for another refund address. The customer asks for it with the order's own token."
        : `The customer asked for ${refundAddress}${refundMemo === null ? "" : ` with the memo ${refundMemo}`}. Approve that address, or leave the order as it is.`,
  });
}
