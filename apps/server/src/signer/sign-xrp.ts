import type { XrpTransaction } from "../domain/wallets/xrp-transaction.ts";
import { requireFeeWithinCap, requireWithinLimits } from "./limits.ts";
import { requireOnePayment, requireOwnPlace } from "./place-rules.ts";
import type { CancelXrpRequest, PayXrpRequest, SignedAnswer, XrpTerms } from "./protocol.ts";
import { readRelease } from "./release-rules.ts";
import type { LoggedSignature } from "./sign-log.ts";
import { SignRefusal } from "./signer-error.ts";
import {
  answerOwn,
  answerPayment,
  loggedPayment,
  requirePayee,
  type SignerParts,
} from "./signing.ts";
import type { XrpSigningAccount } from "./wallets.ts";
import { buildXrp, xrpPaymentOf } from "./xrp-transaction.ts";

/**
 * Signs a released payment on the XRP Ledger. The same request always has the same answer. Its place is a sequence of the
 * account, so another transaction there, which may wait for a later ledger, excludes it.
 */
export function payXrp(
  parts: SignerParts,
  { release: signed, terms }: PayXrpRequest,
): SignedAnswer {
  const { policy, wallets, history, now } = parts;
  const payment = readRelease(signed, policy);
  const { release } = payment;
  if (release.place.kind !== "nonce") {
    throw new SignRefusal("place", `A payment on ${release.network} has a sequence as its place.`);
  }
  const account = wallets.xrp(release.wallet);
  const paid = xrpPaymentOf(release);
  requirePayee(payment, parts);
  requirePayee(payment, parts, paid.to);
  const sequence = sequenceOf(release.place.nonce);
  const unsigned = buildXrp(account, { sequence, payment: paid }, terms);
  return answerPayment(parts, { digest: unsigned.digest, payments: [payment] }, (question) => {
    const place = placeOf(account, sequence);
    const isSame = (version: LoggedSignature) =>
      version.payments.some(({ intent }) => intent === release.intent);
    const versions = requireOwnPlace(place, isSame, history);
    requireUsableTerms(terms, versions, account);
    const isFirst = requireOnePayment(payment, { places: [place], hash: question }, parts);
    if (isFirst) requireWithinLimits([payment], { policy, history, now: now() });
    return {
      network: release.network,
      account: account.name,
      places: [place],
      payments: [loggedPayment(payment, { isFirst })],
      approvedBy: payment.paymentApprovedBy,
      prices: [BigInt(terms.lastLedger)],
      fee: BigInt(terms.fee),
      sign: unsigned.sign,
      versions,
    };
  });
}

/** Fills a hole in an account's sequences with a transaction that changes nothing. No payment is signed there later. */
export function cancelXrp(
  parts: SignerParts,
  { from, sequence, terms }: CancelXrpRequest,
): SignedAnswer {
  const account = parts.wallets.xrp(from);
  const nothing: Pick<XrpTransaction, "sequence" | "payment"> = { sequence, payment: null };
  const unsigned = buildXrp(account, nothing, terms);
  return answerOwn(parts, { kind: "cancel", account, digest: unsigned.digest }, () => {
    const place = placeOf(account, sequence);
    const versions = requireOwnPlace(place, ({ kind }) => kind === "cancel", parts.history);
    requireUsableTerms(terms, versions, account);
    return {
      places: [place],
      prices: [BigInt(terms.lastLedger)],
      fee: BigInt(terms.fee),
      sign: unsigned.sign,
      versions,
    };
  });
}

const SEQUENCE_MAX = 2n ** 32n - 1n;

/** 0 stands for a ticket, which our account does not have. */
function sequenceOf(nonce: bigint): number {
  if (nonce > 0n && nonce <= SEQUENCE_MAX) return Number(nonce);
  throw new SignRefusal("place", `${nonce} is not a sequence. Sequences are 1 to ${SEQUENCE_MAX}.`);
}

const placeOf = (account: XrpSigningAccount, sequence: number): string =>
  `${account.place}#${sequence}`;

/**
 * Throws unless the fee is within the policy, and the last ledger is later than that of every earlier version. The signer
 * sees no ledger. It need not: only one version can ever be validated, so their number is not limited.
 */
function requireUsableTerms(
  { fee, lastLedger }: XrpTerms,
  versions: readonly LoggedSignature[],
  { network }: XrpSigningAccount,
): void {
  requireFeeWithinCap(BigInt(fee), network, `The fee is ${fee} drops`);
  const latest = versions.at(-1)?.prices[0];
  if (versions.every(({ prices }) => BigInt(prices[0] ?? 0) < BigInt(lastLedger))) return;
  throw new SignRefusal(
    "replacement",
    `Ledger ${lastLedger} is not after ${latest}, the last ledger of the transaction before.`,
  );
}
