import type { AdminPayout, PayoutWait } from "@exchange/contract/admin";
import { say, sayEuro, sayWord } from "../say.ts";

export type WaitCode = PayoutWait["code"];

/** The causes that two approvals lift, and those that something else ends. */
const LIFTED_BY_APPROVALS: Readonly<Record<WaitCode, boolean>> = {
  approvals: true,
  screening_hit: true,
  hour_limit: true,
  day_limit: true,
  payout_limit: false,
  signer: false,
  stop: false,
  decision: false,
  rail: false,
  final_block: false,
};

/** The causes in the order in which people work: those that they can end come first. */
export const WAIT_CODES = Object.keys(LIFTED_BY_APPROVALS) as readonly WaitCode[];

/** Returns whether approvals are what the payout waits for. */
export const lacksApprovals = ({ wait }: AdminPayout): boolean =>
  wait !== null && LIFTED_BY_APPROVALS[wait.code] === true;

/** The causes about which a rail, the signer or an audit says more. */
const SAID_IN_WORDS: ReadonlySet<WaitCode> = new Set(["signer", "rail", "decision"]);

/** Returns the limit that the payout is above, or the words in which a rail, the signer or an audit says why. */
export function waitDetail({ code, limitEuroCents, limitOf }: PayoutWait, why: string): string {
  if (limitEuroCents === null) return SAID_IN_WORDS.has(code) ? why : "";
  const limit = sayEuro(limitEuroCents);
  return limitOf === null
    ? say("waits.above_all", { limit })
    : say("waits.above", { limit, currency: limitOf });
}

/** Returns why a payout waits, in the person's language: "two people must approve: above €500.00 for BTC". */
export function sayWait(wait: PayoutWait | null, why: string): string {
  if (wait === null) return why;
  const cause = sayWord("wait", wait.code);
  const detail = waitDetail(wait, why);
  return detail === "" ? cause : say("waits.because", { cause, detail });
}
