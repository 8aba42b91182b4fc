import type { History, SpentPlaces } from "./history.ts";
import type { Policy } from "./policy.ts";
import { isApproved, type ReleasedPayment } from "./release-rules.ts";
import type { LoggedSignature } from "./sign-log.ts";
import { SignRefusal } from "./signer-error.ts";

/**
 * Throws if the payment was signed before in other words, or at a place where both signatures could be mined.
 * Returns whether it counts against the limits: its first signature does, a replacement does not.
 */
export function requireOnePayment(
  payment: ReleasedPayment,
  spender: SpentPlaces,
  { history, policy }: { readonly history: History; readonly policy: Policy },
): boolean {
  const { release } = payment;
  const earlier = requireSamePayment(payment, history);
  const elsewhere = earlier.filter((signature) => !history.areExclusive(signature, spender));
  if (elsewhere.length > 0 && !isApproved(payment, policy)) {
    throw new SignRefusal(
      "paid_elsewhere",
      `Intent ${release.intent} is signed in ${elsewhere.at(-1)?.hash}, and both could be mined. ` +
        "If that one is dead, two operators must approve this release.",
    );
  }
  return earlier.length === 0 || elsewhere.length > 0;
}

/** Returns the earlier signatures of the payment's intent. Throws if one of them pays something else. */
export function requireSamePayment(
  { release, digest }: ReleasedPayment,
  history: History,
): readonly LoggedSignature[] {
  const earlier = history.ofIntent(release.intent);
  const changed = earlier.some(({ payments }) =>
    payments.some((paid) => paid.intent === release.intent && paid.digest !== digest),
  );
  if (changed) {
    throw new SignRefusal(
      "changed_payment",
      `Intent ${release.intent} was signed before with other words.`,
    );
  }
  return earlier;
}

/** Throws unless every signature at the nonce is an earlier version of the same transaction. */
export function requireOwnPlace(
  place: string,
  isSame: (signature: LoggedSignature) => boolean,
  history: History,
): readonly LoggedSignature[] {
  const versions = history.atPlace(place);
  const other = versions.find((signature) => !isSame(signature));
  if (other === undefined) return versions;
  throw new SignRefusal(
    "place_taken",
    `Place ${place} has another ${other.kind}, ${other.hash}. If the database was restored, do not go on: ` +
      "compare it with the sign log first.",
  );
}

/** Nodes replace a transaction only if both of its fees rise by a tenth, or an eighth on some networks. */
const RAISE_TENTHS = 11n;

/** Throws unless every price of a replacement is at least a tenth above the highest earlier one. */
export function requireRaisedPrices(
  prices: readonly bigint[],
  versions: readonly LoggedSignature[],
  policy: Policy,
): void {
  requireFewReplacements(versions, policy);
  const isRaised = versions.every((version) =>
    prices.every(
      (price, index) => price * 10n >= BigInt(version.prices[index] ?? 0) * RAISE_TENTHS,
    ),
  );
  if (!isRaised) {
    throw new SignRefusal("replacement", "A replacement must raise every fee by at least a tenth.");
  }
}

/** Throws unless the fee of a replacement is above every earlier one. */
export function requireRaisedFee(
  fee: bigint,
  versions: readonly LoggedSignature[],
  policy: Policy,
): void {
  requireFewReplacements(versions, policy);
  if (versions.some((version) => fee <= BigInt(version.fee))) {
    throw new SignRefusal(
      "replacement",
      "A replacement must have a higher fee than the one before.",
    );
  }
}

function requireFewReplacements(versions: readonly LoggedSignature[], policy: Policy): void {
  if (versions.length <= policy.replacementsMax) return;
  throw new SignRefusal(
    "replacement",
    `The transaction was replaced ${policy.replacementsMax} times already.`,
  );
}

/** Returns the part of a fee that no earlier version could cost already. */
export const feeAbove = (fee: bigint, versions: readonly LoggedSignature[]): bigint =>
  versions.reduce((least, version) => {
    const added = fee - BigInt(version.fee);
    return added < least ? (added > 0n ? added : 0n) : least;
  }, fee);
