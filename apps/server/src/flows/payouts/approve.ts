import type { Operator } from "../../domain/operators/operator.ts";
import {
  APPROVALS_NEEDED,
  currencyKey,
  describeCents,
  limitsOf,
} from "../../domain/payouts/limits.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { PayoutWaitCode } from "../../domain/payouts/wait.ts";
import { findRefundAsker, logControl } from "../../storage/audit/control-log.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import {
  type ApprovalSignature,
  insertApprovalSignature,
  insertPayoutApproval,
  listPayoutApprovals,
} from "../../storage/payouts/approvals.ts";
import { hurryWaitingPayouts, listPayoutLimits } from "../../storage/payouts/controls.ts";
import { lockPayoutIntents } from "../../storage/payouts/intents.ts";
import { lockWait } from "../../storage/payouts/waits.ts";
import type { Queryable, Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { describeEarlier, requireOperator } from "../operators/require-operator.ts";
import { withReason } from "../orders/operator-action.ts";
import { releaseOrder } from "../orders/release.ts";
import { Refusal } from "../refusal.ts";
import { isPayoutId } from "./require-payout.ts";

export interface ApprovePayout {
  readonly intentId: string;
  readonly by: Operator;
  /** The approval that the operator signed with his own key, which the signer asks for above its limit. */
  readonly signed?: ApprovalSignature | undefined;
  /** Why it is right, for the log. */
  readonly reason?: string | undefined;
  /** The cause of the wait that the person saw, null for none; without it whichever the payout has. */
  readonly waitCode?: PayoutWaitCode | null | undefined;
  /** The same in words, which name a screening hit. */
  readonly waitsFor?: string | undefined;
}

export interface PayoutApprovalState {
  /** The people that approved so far. */
  readonly approvedBy: readonly string[];
  readonly approvalsMissing: number;
  /** Whether this approval released the held order. */
  readonly released: boolean;
}

/**
 * Records a person's approval of a payout that is not released. With enough different people its held order continues
 * by itself. An approver may call again after a crash before that. Refuses NOT_FOUND, and INVALID_INPUT when the same
 * person or account approved before, or asked for the refund. Refuses INVALID_ORDER_STATE when the payout was
 * released or cancelled, is above the limit of one payout, or waits for another cause by now.
 */
export async function approvePayout(
  deps: Deps,
  command: ApprovePayout,
): Promise<PayoutApprovalState> {
  const by = requireOperator(deps, command.by);
  const { intent, approvedBy } = await deps.database.transaction((tx) =>
    approve(tx, deps, { ...command, by }),
  );
  const approvalsMissing = Math.max(0, APPROVALS_NEEDED - approvedBy.length);
  const released = approvalsMissing === 0 && (await releaseHeldOrder(deps, intent));
  return { approvedBy, approvalsMissing, released };
}

async function approve(tx: Tx, deps: Deps, command: ApprovePayout) {
  const { intentId, by, signed, reason } = command;
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
  await requireCauseSeen(tx, command);
  await requireApprovable(tx, deps, intent);
  await refuseOwnRefund(tx, intent, by);
  const before = await listApprovers(tx, intentId);
  const isNew = await insertPayoutApproval(tx, intentId, by);
  const approvedBy = await listApprovers(tx, intentId);
  // A person who approved without a key may add the signature later. Nobody adds one under a second name of an account.
  const adds =
    signed &&
    approvedBy.includes(by.person) &&
    (await insertApprovalSignature(tx, intentId, { ...signed, ...by }));
  if (!isNew && !adds) {
    // The approvals are stored, but the process ended before it released the order.
    const isHeld = approvedBy.length >= APPROVALS_NEEDED && (await holdsOrder(tx, intent));
    if (isHeld) return { intent, approvedBy };
    throw approvedAlready(by, intentId, approvedBy);
  }
  await logControl(tx, {
    operator: by,
    action: "approve_payout",
    subject: intentId,
    ...withReason(reason),
    before: { approvedBy: before },
    after: { approvedBy, ...(signed && { signedAs: signed.name }) },
  });
  return { intent, approvedBy };
}

/** A screening hit may have come since the person looked, or another one. */
async function requireCauseSeen(tx: Tx, command: ApprovePayout): Promise<void> {
  const { intentId, waitCode, waitsFor } = command;
  if (waitCode === undefined && waitsFor === undefined) return;
  const wait = await lockWait(tx, intentId);
  const isOtherCode = waitCode !== undefined && waitCode !== (wait?.code ?? null);
  const isOtherHit = wait?.code === "screening_hit" && (waitsFor ?? wait.why) !== wait.why;
  if (!isOtherCode && !isOtherHit) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message: `Payout ${intentId} no longer waits for what you saw, but for ${wait?.code ?? "nothing"}. Read it again before you decide.`,
  });
}

const listApprovers = async (tx: Tx, intentId: string): Promise<readonly string[]> =>
  (await listPayoutApprovals(tx, intentId)).map(({ person }) => person);

const approvedAlready = (by: Operator, intentId: string, approvedBy: readonly string[]): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `${describeEarlier(by, approvedBy)} has already approved payout ${intentId}. Another person must approve it, from their own account.`,
  });

/** Refuses a refund that the same account or person asked for. */
async function refuseOwnRefund(
  tx: Tx,
  { id, orderId, purpose }: PayoutIntent,
  by: Operator,
): Promise<void> {
  const person = purpose === "payout" ? undefined : await findRefundAsker(tx, orderId, by);
  if (person === undefined) return;
  throw new Refusal("INVALID_INPUT", {
    message: `${describeEarlier(by, [person])} asked for refund ${id}. Another person must approve it.`,
  });
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

const HELD_FOR = "limit_exceeded";

/** Returns whether the limits hold the order of the payout. A refund waits by itself. */
async function holdsOrder(
  queryable: Queryable,
  { orderId, purpose }: PayoutIntent,
): Promise<boolean> {
  const order = purpose === "payout" ? await findOrder(queryable, orderId) : undefined;
  return order?.status === "in_review" && order.statusReason === HELD_FOR;
}

/** Releases an order that the limits held. A refund that waits is decided on again at once. */
export async function releaseHeldOrder(deps: Deps, intent: PayoutIntent): Promise<boolean> {
  await hurryWaitingPayouts(deps.database);
  if (!(await holdsOrder(deps.database, intent))) return false;
  const { merchantId, orderId } = intent;
  try {
    await releaseOrder(deps, { merchantId, orderId, statusReason: HELD_FOR });
    return true;
  } catch (error) {
    // Somebody else released it in this moment.
    if (error instanceof Refusal && error.code === "INVALID_ORDER_STATE") return false;
    throw error;
  }
}
