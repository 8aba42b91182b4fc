import { createHash } from "node:crypto";
import type { BankPayout } from "../../domain/ports/bank-gateway.ts";
import { behaviourOfName } from "./magic-names.ts";

/** The bank's answer to a payout and its time, in business time. */
export interface PayoutPlan {
  readonly outcome: "settled" | "rejected";
  readonly reason: string | null;
  readonly decidedAfterSeconds: number;
  readonly loses: "answer" | "request" | null;
}

const DAY_SECONDS = 24 * 60 * 60;
/** The sandbox's bank answers within a moment, so that an order ends in a second or two. */
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

/** The beneficiary decides the outcome of the payout. */
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

/** Letters and digits that cannot be confused when read aloud. */
const CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Returns the bank's reference of a payout, the same for the same intent. For cash it is the pickup code.
 */
export function payoutReferenceOf({ intentId, method }: BankPayout): string {
  const digest = createHash("sha256").update(`payout reference:${intentId}`).digest();
  if (method !== "cash_pickup") return `SBX${digest.subarray(0, 12).toString("hex").toUpperCase()}`;
  const code = Array.from(digest.subarray(0, 12), (byte) =>
    CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length),
  ).join("");
  return [code.slice(0, 4), code.slice(4, 8), code.slice(8)].join("-");
}

/** Returns a digest of the beneficiary's fields, independent of their order. */
export function beneficiaryDigestOf({ fields, returns }: BankPayout): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const text = returns === null ? lines.sort().join("\n") : `returns=${returns}`;
  return createHash("sha256").update(text).digest("hex");
}
