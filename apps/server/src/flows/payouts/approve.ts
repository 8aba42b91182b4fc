import {
  APPROVALS_NEEDED,
  currencyKey,
  describeCents,
  limitsOf,
} from "../../domain/payouts/limits.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { findOrder } from "../../storage/orders/operator-orders.ts";
import { insertPayoutApproval, listPayoutApprovals } from "../../storage/payouts/approvals.ts";
import { hurryWaitingPayouts, listPayoutLimits } from "../../storage/payouts/controls.ts";
import { lockPayoutIntents } from "../../storage/payouts/intents.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requirePerson } from "../merchants/require-person.ts";
import { releaseOrder } from "../orders/release.ts";
import { Refusal } from "../refusal.ts";
import { isPayoutId } from "./require-payout.ts";

export interface ApprovePayout {
  readonly intentId: string;
  readonly person: string;
}

export interface PayoutApprovalState {
  /** The people that approved so far. */
  readonly approvedBy: readonly string[];
  readonly approvalsMissing: number;
  /** Whether this approval released the held order. */
  readonly released: boolean;
}

/**
 * Records a person's approval of a payout that is not released. With enough different people its
 * held order continues by itself. Refuses NOT_FOUND, and INVALID_INPUT when the same person
 * approved before. Refuses INVALID_ORDER_STATE when the payout was released or cancelled, or is
 * above the limit of one payout.
 */
export async function approvePayout(
  deps: Deps,
  command: ApprovePayout,
): Promise<PayoutApprovalState> {
  const person = requirePerson(command.person);
  const { intent, approvedBy } = await deps.database.transaction((tx) =>
    approve(tx, deps, { intentId: command.intentId, person }),
  );
  const approvalsMissing = Math.max(0, APPROVALS_NEEDED - approvedBy.length);
  const released = approvalsMissing === 0 && (await letGo(deps, intent));
  return { approvedBy, approvalsMissing, released };
}

async function approve(tx: Tx, deps: Deps, { intentId, person }: ApprovePayout) {
  const intent = isPayoutId(intentId)
    ? (await lockPayoutIntents(tx, [intentId])).get(intentId)
    : undefined;
  if (!intent) throw new Refusal("NOT_FOUND", { message: `There is no payout ${intentId}.` });
  if (intent.state !== "created" || intent.releasedAt !== null) {
    const state = intent.state === "created" ? "released" : intent.state;
    throw new Refusal("INVALID_ORDER_STATE", {
      message: `Payout ${intentId} is ${state}; there is nothing to approve.`,
    });
  }
  await requireApprovable(tx, deps, intent);
  if (!(await insertPayoutApproval(tx, intentId, person))) {
    throw new Refusal("INVALID_INPUT", {
      message: `${person} has already approved payout ${intentId}. Another person must approve it.`,
    });
  }
  await logControl(tx, { person, action: "approve_payout", subject: intentId, details: {} });
  const approvals = await listPayoutApprovals(tx, intentId);
  return { intent, approvedBy: approvals.map((approval) => approval.person) };
}

/** Refuses a payout above a limit that no approval lifts, because it would be held again. */
async function requireApprovable(tx: Tx, deps: Deps, intent: PayoutIntent): Promise<void> {
  const { reference } = deps.catalogue().requireCurrency(intent.assetId);
  const book = { environment: deps.environment, rows: await listPayoutLimits(tx) };
  const { payoutCents } = limitsOf(book, currencyKey(reference));
  if (payoutCents === null || intent.euroCents <= payoutCents) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message: `Payout ${intent.id} counts as ${describeCents(intent.euroCents)}, above the limit of one payout of ${describeCents(payoutCents)}: set a higher limit or refund the order.`,
  });
}

/** Releases an order that the limits held. A refund that waits is decided on again at once. */
async function letGo(deps: Deps, { orderId, merchantId, purpose }: PayoutIntent): Promise<boolean> {
  await hurryWaitingPayouts(deps.database);
  const order = await findOrder(deps.database, orderId);
  const isHeld = order?.status === "in_review" && order.statusReason === "limit_exceeded";
  if (purpose !== "payout" || !isHeld) return false;
  await releaseOrder(deps, { merchantId, orderId });
  return true;
}
