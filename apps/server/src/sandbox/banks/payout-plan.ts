import { createHash } from "node:crypto";
import type { BankPayout } from "../../domain/ports/bank-gateway.ts";
import { behaviourOfName } from "./magic-names.ts";

/** What the bank will say of a payout and when, in business time. */
export interface PayoutPlan {
  readonly outcome: "settled" | "rejected";
  readonly reason: string | null;
  readonly decidedAfterSeconds: number;
  readonly loses: "answer" | "request" | null;
}

const DAY_SECONDS = 24 * 60 * 60;
/** A bank answers in a moment here, so that a sandbox order ends in a second or two. */
const MOMENT_SECONDS = 0.15;

const SETTLED: PayoutPlan = {
  outcome: "settled",
  reason: null,
  decidedAfterSeconds: MOMENT_SECONDS,
  loses: null,
};

export const rejectedFor = (reason: string): PayoutPlan => ({
  ...SETTLED,
  outcome: "rejected",
  reason,
});

/** What is done with the money is decided by who gets it. */
export function planOf({ fields }: BankPayout): PayoutPlan {
  switch (behaviourOfName(fields["accountHolder"] ?? "")) {
    case "slow":
      return { ...SETTLED, decidedAfterSeconds: 3 * DAY_SECONDS };
    case "rejected":
      return rejectedFor("account_closed");
    case "returned":
      return {
        ...rejectedFor("returned_by_beneficiary_bank"),
        decidedAfterSeconds: 2 * DAY_SECONDS,
      };
    case "answer_lost":
      return { ...SETTLED, loses: "answer" };
    case "request_lost":
      return { ...SETTLED, loses: "request" };
    case undefined:
      return SETTLED;
  }
}

/** Letters and digits that are not mistaken for each other at a counter. */
const CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * What the bank knows the payout by: the same for the same intent. For cash it is the code that is
 * told at the counter.
 */
export function payoutReferenceOf({ intentId, method }: BankPayout): string {
  const digest = createHash("sha256").update(`payout reference:${intentId}`).digest();
  if (method !== "cash_pickup") return `SBX${digest.subarray(0, 12).toString("hex").toUpperCase()}`;
  const code = Array.from(digest.subarray(0, 12), (byte) =>
    CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length),
  ).join("");
  return [code.slice(0, 4), code.slice(4, 8), code.slice(8)].join("-");
}

/** Who gets it, without saying who: the same for the same fields, whatever their order. */
export function beneficiaryDigestOf({ fields, returns }: BankPayout): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const text = returns === null ? lines.sort().join("\n") : `returns=${returns}`;
  return createHash("sha256").update(text).digest("hex");
}
