import type { BoundPayout } from "../domain/payouts/payout-intent.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { isBatchStopped } from "../storage/payouts/batches.ts";
import { addSigned, listSigned } from "../storage/payouts/sends.ts";
import type { Sending } from "./payout-ends.ts";
import type { PayoutOutcome, SignedPayout } from "./payout-rail.ts";
import { railOf } from "./rail-of.ts";
import { raiseOrResend } from "./raise-or-resend.ts";

type Pending = Extract<PayoutOutcome, { state: "pending" | "paid" }>;

/** Reads every signature of a payout, the newest last. */
export async function signedOf(deps: Deps, intent: BoundPayout): Promise<readonly SignedPayout[]> {
  const { send, transactionHash, signedBytes } = intent;
  if (send !== null) return listSigned(deps.database, send.id);
  return transactionHash === null || signedBytes === null
    ? []
    : [{ transactionHash, bytes: signedBytes }];
}

/** Returns a signed payout with its rail and all of its bytes. */
export async function sendingOf(
  deps: Deps,
  { job, intent }: Pick<Sending, "job" | "intent">,
): Promise<Sending> {
  return { job, intent, rail: railOf(deps, intent), signed: await signedOf(deps, intent) };
}

/** Replaces a stuck transaction, or broadcasts again one that the rail has not seen. Only a send's first payout does so. */
export async function raiseOrResendPayout(
  deps: Deps,
  sending: Sending,
  outcome: Pending,
): Promise<void> {
  // A block has the transaction already.
  if (outcome.state === "paid" || sending.intent.send?.isFirst === false) return;
  const newest = sending.signed.at(-1);
  // An adopted payout has no bytes of ours.
  if (newest === undefined || newest.bytes.length === 0) return;
  await raiseOrResend(outcome, {
    raise: () => replaceStuck(deps, sending, newest),
    resend: () => sendStored(sending, newest),
  });
}

/** Sends stored bytes. The sending is not recorded yet. */
export async function sendStored({ rail }: Sending, stored: SignedPayout): Promise<void> {
  await rail.send(stored);
  failpoint("payout.after_broadcast");
}

/** Stores the replacement before it is sent. Returns false where none is signed now. */
async function replaceStuck(
  { database }: Deps,
  { intent, rail, signed }: Sending,
  newest: SignedPayout,
): Promise<boolean> {
  const { send } = intent;
  if (!rail.replace || send === null) return false;
  // A replacement is signed too, so there is none while one of its payouts is stopped.
  if (await isBatchStopped(database, send.id)) return false;
  failpoint("payout.before_replace");
  const replacement = await rail.replace(newest);
  failpoint("payout.after_replace");
  if (!replacement) return false;
  const { transactionHash, bytes } = replacement;
  const number = signed.length + 1;
  const stored = await addSigned(database, send.id, { number, transactionHash, bytes });
  failpoint("payout.after_replace_recorded");
  await rail.send(stored);
  return true;
}
