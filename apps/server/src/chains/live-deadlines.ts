import {
  type ChainPayment,
  type ChainSend,
  PayoutWaits,
  type Preflight,
  type SendOutcome,
  type SignedTransaction,
} from "../domain/ports/chain-gateway.ts";
import type { DeadlineSender } from "../domain/ports/chain-sender.ts";
import { failpoint } from "../failpoints.ts";
import { requireUnread } from "../flows/payouts/require-unread.ts";
import { findCursor } from "../storage/chains/cursors.ts";
import { findDeadTransaction, wasSigned } from "../storage/payouts/lost-sends.ts";
import { findStoredTerms, storeTerms } from "../storage/payouts/releases.ts";
import { readUnderWay } from "../storage/payouts/under-way.ts";
import { type LiveSends, type LiveSendsOptions, makeLiveSends } from "./live-sends.ts";

export interface LiveDeadlinesOptions extends Omit<LiveSendsOptions, "sender" | "takePlace"> {
  readonly sender: DeadlineSender;
}

/**
 * Sends on one live network where a transaction has a deadline. The terms are the place, because they set the
 * deadline. They are stored before the release is written, so the signer is asked the same question after a crash.
 * The fee is never raised, because both transactions could be mined. A dead one is planned again
 * (docs/decisions/0075-pay-on-tron-by-deadlines.md).
 */
export function makeLiveDeadlines(options: LiveDeadlinesOptions): LiveSends {
  const { sender } = options;
  const sends = makeLiveSends({
    ...options,
    takePlace: (send) => takePlace(options, send),
    sender: {
      ...sender,
      preflight: (payment) => preflight(options, payment),
      follow: (send, signed) => follow(options, send, signed),
    },
  });
  return {
    ...sends,
    replace: async () => undefined,
    preflight: async (payment) => {
      // Nodes may have refused the transaction that died, so the network is asked again.
      if (await wasSigned(options.database, payment.intentId)) return preflight(options, payment);
      return sends.preflight(payment);
    },
  };
}

type Asking = Pick<LiveDeadlinesOptions, "database" | "sender">;

/**
 * A transaction excludes no other one, so the network would accept two payments that the hot wallet cannot both cover.
 * With `beforeSendId` only the sends that were bound before that one count.
 */
async function preflight(
  { database, sender: { networkCode, wallet, countsUnderWay, preflight: ask } }: Asking,
  payment: ChainPayment,
  beforeSendId?: string,
): Promise<Preflight> {
  const { address } = wallet;
  if (!countsUnderWay) return ask(payment);
  return ask(payment, await readUnderWay(database, { networkCode, address, beforeSendId }));
}

/**
 * Payouts checked at the same moment do not see each other. Each is therefore checked again, beside the sends bound before
 * it. It throws `PayoutWaits` if the hot wallet cannot cover them all, and stays bound. The check also runs when none of those
 * sends is under way any more, because a block may have paid one since. No payout waits for a later one, so one of them always
 * proceeds. A payout that became impossible is still signed: it fails in its block, and its order goes to review.
 */
async function requireCover(asking: Asking, { id, outputs }: ChainSend): Promise<void> {
  const { networkCode, countsUnderWay } = asking.sender;
  const [output] = outputs;
  if (!countsUnderWay || output === undefined) return;
  const answer = await preflight(asking, { ...output, networkCode }, id);
  if (answer.state === "wait") throw new PayoutWaits(answer.why, answer.askAgainMs);
}

/** Returns the send with its deadline, and with the transaction that was proved dead before. */
async function takePlace({ database, sender }: Asking, send: ChainSend): Promise<ChainSend> {
  const key = { sendId: send.id, number: 1 };
  const stored = await findStoredTerms(database, key);
  if (stored === undefined) await requireCover({ database, sender }, send);
  const terms = stored ?? (await storeTerms(database, key, await sender.feeTerms(send)));
  failpoint("send.after_deadline");
  const [output] = send.outputs;
  if (!output) throw new Error(`send ${send.id} pays nobody`);
  const after = await findDeadTransaction(database, output.intentId);
  return { ...send, place: { kind: "until", ...sender.deadlineOf(terms), after } };
}

/**
 * A payout ends once the scanner has read its block as a final one. The stock that is stored with that block is
 * without the payout's coins then, and no nonce is needed to say so.
 */
async function follow(
  { database, sender }: LiveDeadlinesOptions,
  send: ChainSend,
  signed: readonly SignedTransaction[],
): Promise<SendOutcome> {
  const cursor = await findCursor(database, sender.networkCode);
  const terms = await findStoredTerms(database, { sendId: send.id, number: 1 });
  const finalHeight = cursor?.finalHeight ?? 0n;
  const outcome = await sender.follow(send, signed, { finalHeight, terms });
  if (outcome.state === "lost") await requireUnread(database, signed);
  return outcome;
}
