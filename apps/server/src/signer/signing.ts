import { createHash } from "node:crypto";
import type { History } from "./history.ts";
import { requireFeesWithinLimit } from "./limits.ts";
import { feeAbove } from "./place-rules.ts";
import type { Policy } from "./policy.ts";
import type { SignedAnswer } from "./protocol.ts";
import { type ReleasedPayment, requireDestination, requireFresh } from "./release-rules.ts";
import type { LoggedPayment, LoggedSignature, SignLog } from "./sign-log.ts";
import type { Wallets } from "./wallets.ts";

export interface SignerParts {
  readonly policy: Policy;
  readonly wallets: Wallets;
  readonly history: History;
  readonly log: SignLog;
  readonly now: () => number;
}

/** A transaction that passed the rules of its kind, with the facts that its log line needs. */
interface Draft
  extends Omit<LoggedSignature, "at" | "prices" | "fee" | "feeAdded" | "rent" | "hash" | "bytes"> {
  readonly prices: readonly bigint[];
  readonly fee: bigint;
  /** The part of the fee that is rent of a token account. */
  readonly rent?: bigint;
  readonly versions: readonly LoggedSignature[];
  readonly sign: () => SignedAnswer;
}

/** Signs, writes the log line, and only then returns the signature. */
function finish(parts: SignerParts, draft: Draft): SignedAnswer {
  const { policy, history, log } = parts;
  const { versions, sign, fee, rent = 0n, prices, ...facts } = draft;
  const now = parts.now();
  const feeAdded = feeAbove(fee, versions);
  requireFeesWithinLimit({ network: facts.network, feeAdded, rent }, { policy, history, now });
  const signature: LoggedSignature = {
    at: now,
    ...facts,
    prices: prices.map(String),
    fee: String(fee),
    feeAdded: String(feeAdded),
    ...(rent > 0n && { rent: String(rent) }),
    ...sign(),
  };
  log.append(signature);
  history.add(signature);
  return { hash: signature.hash, bytes: signature.bytes };
}

/** A transaction that was drafted: its kind, the digest of its unsigned bytes, and the releases that it pays. */
interface Drafted {
  readonly kind: LoggedSignature["kind"];
  readonly digest: string;
  readonly payments: readonly ReleasedPayment[];
}

/** A repeated question has its earlier answer. `decide` checks the rules for a new one. */
function answerOnce(
  parts: SignerParts,
  drafted: Drafted,
  decide: (question: string) => Omit<Draft, "kind" | "question">,
): SignedAnswer {
  const question = questionOf(drafted);
  const before = parts.history.byQuestion(question);
  if (before) return { hash: before.hash, bytes: before.bytes };
  return finish(parts, { kind: drafted.kind, ...decide(question), question });
}

/**
 * Answers a question about released payments. A repeated one has its earlier answer. Otherwise the releases must be
 * fresh, and `decide` checks the rules of the network.
 */
export function answerPayment(
  parts: SignerParts,
  { digest, payments }: Omit<Drafted, "kind">,
  decide: (question: string) => Omit<Draft, "kind" | "question" | "sweep">,
): SignedAnswer {
  const { policy, now } = parts;
  return answerOnce(parts, { kind: "payment", digest, payments }, (question) => {
    for (const payment of payments) requireFresh(payment, policy, now());
    return { ...decide(question), sweep: null };
  });
}

/** A transaction that pays nobody but ourselves, so nobody released it. */
interface OwnTransaction {
  readonly kind: Exclude<LoggedSignature["kind"], "payment">;
  readonly account: { readonly name: string; readonly networkCode: string };
  /** The digest of its unsigned bytes. */
  readonly digest: string;
}

/** Facts that one kind has and another has not may be absent. */
type OwnDraft = Pick<Draft, "places" | "prices" | "fee" | "sign"> &
  Partial<Pick<Draft, "expiresAt" | "sweep" | "versions">>;

/**
 * Answers a question about a transaction of our own. A repeated one has its earlier answer. Otherwise `decide` checks
 * the rules of its kind and network.
 */
export const answerOwn = (
  parts: SignerParts,
  { kind, account, digest }: OwnTransaction,
  decide: () => OwnDraft,
): SignedAnswer =>
  answerOnce(parts, { kind, digest, payments: [] }, () => ({
    network: account.networkCode,
    account: account.name,
    payments: [],
    approvedBy: [],
    sweep: null,
    versions: [],
    ...decide(),
  }));

/** Throws unless the policy lets the payment go to its address, or to another form of it. */
export const requirePayee = (
  { release }: ReleasedPayment,
  parts: SignerParts,
  address = release.address,
): void => requireDestination(address, parts.policy, ownAddresses(parts));

/** Returns the line of the log for a payment. `isFirst`: the payment counts against the limits. */
export const loggedPayment = (
  payment: ReleasedPayment,
  { isFirst }: Pick<LoggedPayment, "isFirst">,
): LoggedPayment => ({
  intent: payment.release.intent,
  digest: payment.digest,
  asset: payment.release.asset,
  cents: String(payment.cents),
  isFirst,
});

/** Returns the addresses of wallets of one address, and the cold addresses. */
function ownAddresses({ policy, wallets }: SignerParts): string[] {
  const hot = Object.keys(policy.wallets).map((name) => wallets.publicPart(name).address);
  const cold = Object.values(policy.networks).map((network) =>
    network.kind === "evm" ? network.cold : undefined,
  );
  return [...hot, ...cold].filter((address) => typeof address === "string");
}

/**
 * Names a request by its kind, its transaction and its payments. Two intents may want the same bytes, such as the
 * same amount for the same customer. They are different questions, and the second is refused.
 */
const questionOf = ({ kind, digest: unsigned, payments }: Drafted): string =>
  createHash("sha256")
    .update([kind, unsigned, ...payments.map(({ digest }) => digest)].join(" "))
    .digest("hex");
