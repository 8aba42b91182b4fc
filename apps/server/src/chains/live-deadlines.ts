import type { ChainSend, SendOutcome, SignedTransaction } from "../domain/ports/chain-gateway.ts";
import type { DeadlineSender } from "../domain/ports/chain-sender.ts";
import { failpoint } from "../failpoints.ts";
import { requireUnread } from "../flows/payouts/require-unread.ts";
import { findCursor } from "../storage/chains/cursors.ts";
import { findDeadTransaction, wasSigned } from "../storage/payouts/lost-sends.ts";
import { findStoredTerms, storeTerms } from "../storage/payouts/releases.ts";
import { type LiveSends, type LiveSendsOptions, makeLiveSends } from "./live-sends.ts";
import { preflightBeside } from "./require-coins.ts";

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
      follow: (send, signed) => follow(options, send, signed),
    },
  });
  return {
    ...sends,
    replace: async () => undefined,
    preflight: async (payment) => {
      // Nodes may have refused the transaction that died, so the network is asked again.
      const hasDied = await wasSigned(options.database, payment.intentId);
      if (hasDied) return preflightBeside(options, payment);
      return sends.preflight(payment);
    },
  };
}

type Asking = Pick<LiveDeadlinesOptions, "database" | "sender">;

/** Returns the send with its deadline, and with the transaction that was proved dead before. */
async function takePlace({ database, sender }: Asking, send: ChainSend): Promise<ChainSend> {
  const key = { sendId: send.id, number: 1 };
  const stored = await findStoredTerms(database, key);
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
