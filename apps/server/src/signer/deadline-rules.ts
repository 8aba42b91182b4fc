import type { Deadline } from "../domain/payouts/release-text.ts";
import { requireFeeWithinCap, requireWithinLimits } from "./limits.ts";
import { requireSamePayment } from "./place-rules.ts";
import type { SolanaNetwork, TronNetwork } from "./policy.ts";
import type { SignedAnswer, SolanaTerms, TronTerms } from "./protocol.ts";
import type { ReleasedPayment } from "./release-rules.ts";
import { SignRefusal } from "./signer-error.ts";
import { answerPayment, loggedPayment, type SignerParts } from "./signing.ts";

/** The rules of networks where a transaction has a deadline and excludes no other. */

/** A transaction of a released payment that was built and is not signed. */
export interface ExpiringPayment {
  readonly payment: ReleasedPayment;
  readonly terms: Terms;
  readonly account: { readonly name: string; readonly network: ExpiringNetwork };
  /** The digest of what is signed. */
  readonly digest: string;
  /** Returns the id by which the network knows the transaction. */
  readonly hash: () => string;
  readonly price: bigint;
  /** The most that the transaction may cost, in the network's smallest unit. */
  readonly fee: bigint;
  /** The most that the wallet pays on top of the fee. The terms cannot change it, so only the daily cap counts it. */
  readonly rent?: bigint;
  readonly sign: () => SignedAnswer;
}

/** Signs the payment if the rules of deadlines allow it. The same request always has the same answer. */
export function answerUntil(
  parts: SignerParts,
  { payment, terms, account, digest, hash, price, fee, rent = 0n, sign }: ExpiringPayment,
): SignedAnswer {
  const { policy, history, now } = parts;
  const place = deadlineOf(payment, terms);
  return answerPayment(parts, { digest, payments: [payment] }, () => {
    requireUsableTerms(terms, account.network, now());
    requireNoOther(hash(), parts);
    requireDeadBefore(payment, place, parts);
    requireWithinLimits([payment], { policy, history, now: now() });
    requireFeeWithinCap(fee, account.network);
    return {
      network: payment.release.network,
      account: account.name,
      places: [],
      expiresAt: terms.expiration,
      // The signer cannot see that an earlier transaction is dead, so each one counts against the limits.
      payments: [loggedPayment(payment, { isFirst: true })],
      approvedBy: payment.paymentApprovedBy,
      prices: [price],
      fee: fee + rent,
      rent,
      sign,
      versions: [],
    };
  });
}

type ExpiringNetwork = TronNetwork | SolanaNetwork;
type Terms = Pick<TronTerms | SolanaTerms, "expiration" | "reference">;

/** Returns the deadline that the payment is released at. Throws unless the terms have the same one. */
function deadlineOf({ release }: ReleasedPayment, terms: Terms): Deadline {
  const { place } = release;
  if (place.kind !== "until") {
    throw new SignRefusal("place", `A payment on ${release.network} has a deadline as its place.`);
  }
  if (place.expiration === terms.expiration && place.reference === terms.reference) return place;
  throw new SignRefusal("place", "The terms have another deadline or block than the release.");
}

const SECOND_MS = 1_000;

/** Throws unless the deadline is in the future, and within the policy's longest time. */
export function requireUsableTerms(
  { expiration }: Terms,
  { expirationSecondsMax }: ExpiringNetwork,
  now: number,
): void {
  if (expiration <= now) {
    throw new SignRefusal(
      "terms",
      "The deadline of the transaction has passed. Ask with a new one.",
    );
  }
  if (expiration <= now + expirationSecondsMax * SECOND_MS) return;
  throw new SignRefusal(
    "terms",
    `The deadline is more than the policy's ${expirationSecondsMax} seconds away. Compare the clocks, or ask with an earlier one.`,
  );
}

/** Two transactions of one amount to one address may have the same bytes, and then the network executes only one of them. */
export function requireNoOther(hash: string, { history }: SignerParts): void {
  if (history.byHash(hash) === undefined) return;
  throw new SignRefusal(
    "terms",
    `Transaction ${hash} is signed for something else already. Ask with another deadline.`,
  );
}

/** Throws unless the release names the payment's newest transaction, and every one of them has expired. */
function requireDeadBefore(
  payment: ReleasedPayment,
  { after }: Deadline,
  { history, policy, now }: SignerParts,
): void {
  const { intent } = payment.release;
  const earlier = requireSamePayment(payment, history);
  const newest = earlier.at(-1)?.hash ?? null;
  if (newest !== after) {
    throw new SignRefusal(
      "paid_elsewhere",
      `Intent ${intent} is signed in ${newest ?? "no transaction"}, and the release says that ${after ?? "none"} is dead. ` +
        "If the database was restored, do not go on: compare it with the sign log first.",
    );
  }
  if (earlier.length > policy.replacementsMax) {
    throw new SignRefusal(
      "paid_elsewhere",
      `Intent ${intent} was signed ${earlier.length} times, and the policy's replacementsMax is ${policy.replacementsMax}. Find out why no block takes it.`,
    );
  }
  if (earlier.every(({ expiresAt = Infinity }) => expiresAt < now())) return;
  throw new SignRefusal(
    "terms",
    `Transaction ${newest} of intent ${intent} has not expired by the signer's clock. Ask again later.`,
  );
}
