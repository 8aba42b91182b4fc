import { APPROVALS_NEEDED, describeCents, type PayoutLimits } from "./limits.ts";

/** Euro cents sent in the last hour and in the last day. */
export interface Outflow {
  readonly hourCents: bigint;
  readonly dayCents: bigint;
}

/** Limits with the amounts that they are compared with. */
export interface Meter {
  /** The name in messages: "BTC", "all currencies". */
  readonly name: string;
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

export type Release =
  | { readonly outcome: "go" }
  /** The payout waits until the stop is lifted. Nobody has to decide about the payout itself. */
  | { readonly outcome: "wait"; readonly why: string }
  /** The payout is above a limit, so a person decides. */
  | { readonly outcome: "hold"; readonly why: string };

/**
 * Decides whether a payout may be signed. A stop comes before everything. A released payout stays
 * released. No approval lifts the limit of one payout; enough approvals lift the limits of the hour
 * and the day.
 */
export function decideRelease(question: ReleaseQuestion): Release {
  const [stop] = question.stopped;
  if (stop !== undefined) return { outcome: "wait", why: `stopped: ${stop}` };
  if (question.isReleased) return { outcome: "go" };
  for (const find of [overPayout, unapproved, overWindows]) {
    const why = find(question);
    if (why !== undefined) return { outcome: "hold", why };
  }
  return { outcome: "go" };
}

const isOver = (cents: bigint, limit: bigint | null): limit is bigint =>
  limit !== null && cents > limit;

function overPayout({ cents, meters }: ReleaseQuestion): string | undefined {
  for (const { name, limits } of meters) {
    if (!isOver(cents, limits.payoutCents)) continue;
    return `${describeCents(cents)} is above the limit of one payout, ${describeCents(limits.payoutCents)} for ${name}`;
  }
  return undefined;
}

const isApproved = ({ approvals }: ReleaseQuestion): boolean => approvals >= APPROVALS_NEEDED;

function unapproved(question: ReleaseQuestion): string | undefined {
  if (isApproved(question)) return undefined;
  for (const { name, limits } of question.meters) {
    if (!isOver(question.cents, limits.approvalAboveCents)) continue;
    return `above ${describeCents(limits.approvalAboveCents)} for ${name} a payout needs ${APPROVALS_NEEDED} approvals; it has ${question.approvals}`;
  }
  return undefined;
}

function overWindows(question: ReleaseQuestion): string | undefined {
  if (isApproved(question)) return undefined;
  for (const { name, limits, out } of question.meters) {
    const windows = [
      ["hour", limits.hourCents, out.hourCents],
      ["day", limits.dayCents, out.dayCents],
    ] as const;
    for (const [window, limit, before] of windows) {
      const after = before + question.cents;
      if (!isOver(after, limit)) continue;
      return `it would take what went out in the last ${window} to ${describeCents(after)}, above the limit of ${describeCents(limit)} for ${name}`;
    }
  }
  return undefined;
}
