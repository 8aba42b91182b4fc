import type { Logger } from "pino";
import type { ChainSend, SignedTransaction } from "../domain/ports/chain-gateway.ts";
import { mayHaveSigned, OTHER_BYTES, type SigningRefused } from "../domain/ports/chain-sender.ts";
import { reportRefusal } from "../flows/payouts/report-break.ts";
import { giveUpCoins } from "../storage/chains/take-coins.ts";
import type { SignerQuestion } from "../storage/payouts/questions.ts";
import { forgetRefusedTerms, voidReleases } from "../storage/payouts/releases.ts";
import type { Database } from "../storage/postgres/database.ts";

export interface Signing {
  readonly send: ChainSend;
  /** The number of the transaction within its send. */
  readonly number: number;
  readonly question: SignerQuestion;
  /** The transaction that it replaces. */
  readonly stuck?: SignedTransaction;
}

/** The signer's log and the database do not agree, or somebody forged a release: a person decides. */
export const ALARMING_REASONS = new Set<string>([
  "place_taken",
  "paid_elsewhere",
  "changed_payment",
  "release_signature",
  "release_text",
  "release_installation",
  OTHER_BYTES,
]);
/**
 * The refusal is an answer: nothing was signed, so the place of an unsigned payout may be given up. It withdraws nothing
 * once another worker has asked.
 */
export async function noteRefusal(
  options: { readonly database: Database; readonly log: Logger },
  { send, number, question }: Signing,
  refusal: SigningRefused,
): Promise<void> {
  const { database } = options;
  const { reason, message } = refusal;
  const isUnsigned = !mayHaveSigned(refusal);
  // The request for a raise has only one form, so a signer without room for it has not signed it before.
  const isRefusedRaise = send.purpose === "raise" && (reason === "replacement" || isUnsigned);
  if (isRefusedRaise || (send.purpose === "rebalance" && number === 1 && isUnsigned)) {
    return database.transaction((tx) => giveUpCoins(tx, question));
  }
  if (number === 1 && isUnsigned) await voidReleases(database, question);
  await forgetRefusedTerms(database, refusal, { ...question, number });
  if (!ALARMING_REASONS.has(reason)) return;
  const { id, purpose } = send;
  const name = purpose === "payout" ? `payout ${firstOf(send).intentId}` : `${purpose} ${id}`;
  await reportRefusal(options, { name, networkCode: send.networkCode }, message);
}

export function firstOf({ id, outputs }: ChainSend) {
  const [output] = outputs;
  if (!output) throw new Error(`send ${id} pays nobody`);
  return output;
}
