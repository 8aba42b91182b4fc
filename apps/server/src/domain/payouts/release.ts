import { APPROVALS_NEEDED, describeCents, type PayoutLimits } from "./limits.ts";

/** Euro cents that went out in the hour and the day before now. */
export interface Outflow {
  readonly hourCents: bigint;
  readonly dayCents: bigint;
}

/** Limits with what they are compared with. */
export interface Meter {
  /** How sentences name it: "BTC", "all currencies". */
  readonly name: string;
  readonly limits: PayoutLimits;
  readonly out: Outflow;
}

/** A payout that asks to be sent. */
export interface ReleaseQuestion {
  readonly cents: bigint;
  /** Why stops keep it from being signed. */
  readonly stopped: readonly string[];
  readonly isReleased: boolean;
  /** How many different people approved it. */
  readonly approvals: number;
  readonly meters: readonly Meter[];
}

export type Release =
  | { readonly outcome: "go" }
  /** Until a stop is lifted; nobody has to decide about the payout itself. */
  | { readonly outcome: "wait"; readonly why: string }
  /** A limit: a person decides. */
  | { readonly outcome: "hold"; readonly why: string };

/**
 * Whether a payout may be signed. A stop comes before everything. What was released stays released.
 * No approval lifts the limit of one payout; enough of them lift the limits of hour and day.
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
