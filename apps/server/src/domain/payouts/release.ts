import { APPROVALS_NEEDED, describeCents, type PayoutLimits } from "./limits.ts";
import { causeOf, type PayoutWait, type PayoutWaitCode } from "./wait.ts";

/** Euro cents sent in the last hour and in the last day. */
export interface Outflow {
  readonly hourCents: bigint;
  readonly dayCents: bigint;
}

/** Limits with the amounts that they are compared with. */
export interface Meter {
  /** The currency by its code; null for all currencies together. */
  readonly currency: string | null;
  readonly limits: PayoutLimits;
  readonly out: Outflow;
}

/** A payout that asks for its release. */
export interface ReleaseQuestion {
  readonly cents: bigint;
  /** The reasons of the stops that keep it from being signed. */
  readonly stopped: readonly string[];
  readonly isReleased: boolean;
  /** The number of different people that approved it. */
  readonly approvals: number;
  readonly meters: readonly Meter[];
}

/** A cause, and the same in words. */
interface Obstacle {
  readonly cause: PayoutWait;
  readonly why: string;
}

/** The decision of the controls about one payout. */
export type ReleaseVerdict =
  | { readonly outcome: "go" }
  /** The payout waits until the stop is lifted. Nobody has to decide about the payout itself. */
  | ({ readonly outcome: "wait" } & Obstacle)
  /** The payout is above a limit, so a person decides. */
  | ({ readonly outcome: "hold" } & Obstacle);

/**
 * Decides whether a payout may be signed. A stop comes before everything. A released payout stays
 * released. No approval lifts the limit of one payout; enough approvals lift the limits of the hour
 * and the day.
 */
export function decideRelease(question: ReleaseQuestion): ReleaseVerdict {
  const [stop] = question.stopped;
  if (stop !== undefined) {
    return { outcome: "wait", cause: causeOf("stop"), why: `stopped: ${stop}` };
  }
  if (question.isReleased) return { outcome: "go" };
  for (const find of [overPayout, unapproved, overWindows]) {
    const obstacle = find(question);
    if (obstacle !== undefined) return { outcome: "hold", ...obstacle };
  }
  return { outcome: "go" };
}

const isOver = (cents: bigint, limit: bigint | null): limit is bigint =>
  limit !== null && cents > limit;

const nameOf = ({ currency }: Meter): string => currency ?? "all currencies";

const limitOf = (code: PayoutWaitCode, limitCents: bigint, { currency }: Meter): PayoutWait => ({
  code,
  limitCents,
  limitOf: currency,
});

function overPayout({ cents, meters }: ReleaseQuestion): Obstacle | undefined {
  for (const meter of meters) {
    const { payoutCents } = meter.limits;
    if (!isOver(cents, payoutCents)) continue;
    return {
      cause: limitOf("payout_limit", payoutCents, meter),
      why: `${describeCents(cents)} is above the limit of one payout, ${describeCents(payoutCents)} for ${nameOf(meter)}`,
    };
  }
  return undefined;
}

const isApproved = ({ approvals }: ReleaseQuestion): boolean => approvals >= APPROVALS_NEEDED;

function unapproved(question: ReleaseQuestion): Obstacle | undefined {
  if (isApproved(question)) return undefined;
  for (const meter of question.meters) {
    const { approvalAboveCents } = meter.limits;
    if (!isOver(question.cents, approvalAboveCents)) continue;
    return {
      cause: limitOf("approvals", approvalAboveCents, meter),
      why: `above ${describeCents(approvalAboveCents)} for ${nameOf(meter)} a payout needs ${APPROVALS_NEEDED} approvals; it has ${question.approvals}`,
    };
  }
  return undefined;
}

function overWindows(question: ReleaseQuestion): Obstacle | undefined {
  if (isApproved(question)) return undefined;
  for (const meter of question.meters) {
    const { limits, out } = meter;
    const windows = [
      ["hour", limits.hourCents, out.hourCents],
      ["day", limits.dayCents, out.dayCents],
    ] as const;
    for (const [window, limit, before] of windows) {
      const after = before + question.cents;
      if (!isOver(after, limit)) continue;
      return {
        cause: limitOf(`${window}_limit`, limit, meter),
        why: `it would take what went out in the last ${window} to ${describeCents(after)}, above the limit of ${describeCents(limit)} for ${nameOf(meter)}`,
      };
    }
  }
  return undefined;
}
