import { means, shows } from "../schema.ts";
import { TIME } from "./glossary-money.ts";

/** Payouts: why they wait, their approvals, stops and limits. */
export const PAYOUTS = {
  releasedAt: shows(TIME),
  waitsFor: means("why it waits; null if it does not", "needs 2 approvals"),
  wait: means("why it waits, in a form that can be translated; null if it does not"),
  limitEuroCents: means(
    "the limit that it is above, in euro cents; null for another cause",
    1_000_000,
  ),
  limitOf: means(
    "the code of the currency that the limit is for; null for all currencies together, and for another cause",
    "BTC",
  ),
  stoppedBy: means("the stops in force that cover it, while it is not sent"),
  "PayoutTotal.amount": means("the exact sum"),
  "PayoutTotal.count": means("the number of payouts", 12),
  stops: means("the stops in force"),
  "payouts.stops": means("the stops that the payout waits for"),
  approvedBy: means("the people who approved it"),
  orderStatus: means("the status of the payout's order", "sending"),
  orderReason: means(
    "why the order has this status; null where the status needs no reason",
    "underpaid",
  ),
  countsAsEuroCents: shows(10_000),
  approvalsNeeded: means("the number of people whose approval is needed", 2),
  kind: means("the kind of the subject that the stop or the limits are for"),
  "AdminStop.kind": means("the kind of the subject; `all` stops everything"),
  "AdminPayoutLimits.kind": means(
    "limits of all together, of each currency without its own, or of one",
  ),
  subject: shows("bitcoin"),
  stopReason: shows("the node is behind"),
  "AdminStop.reason": means("why it was stopped", "the node is behind"),
  setBy: means("the person or the audit that set the stop", "ada@example.com"),
  since: shows(TIME),
  peopleToResume: means("the number of people who must agree to resume", 2),
  payoutCents: shows(1_000_000),
  hourCents: shows(5_000_000),
  dayCents: shows(20_000_000),
  approvalAboveCents: shows(500_000),
  releasedHourCents: shows(120_000),
  releasedDayCents: shows(950_000),
} as const;
