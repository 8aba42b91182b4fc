import { hex } from "@scure/base";
import { type CoinOutput, readSigned, type UnsignedCoins } from "./coin-transaction.ts";
import type { History, SpentPlaces } from "./history.ts";
import type { Policy } from "./policy.ts";
import { isApproved, type ReleasedPayment } from "./release-rules.ts";
import type { LoggedSignature } from "./sign-log.ts";
import { SignRefusal } from "./signer-error.ts";

/**
 * Returns the earlier versions of a transaction that spends coins. A coin in a transaction with other payments
 * is refused, unless every payment of this one is approved.
 */
export function requireOwnCoins(
  spender: SpentPlaces,
  payments: readonly ReleasedPayment[],
  { history, policy }: { readonly history: History; readonly policy: Policy },
): readonly LoggedSignature[] {
  const spending = [...new Set(spender.places.flatMap((coin) => history.atPlace(coin)))];
  const digests = digestsOf(payments);
  const isSame = (signature: LoggedSignature): boolean => digestsOf(signature.payments) === digests;
  const other = spending.find((one) => !isSame(one) && !isPaidElsewhere(one, history));
  if (other === undefined || payments.every((payment) => isApproved(payment, policy))) {
    return spending.filter((one) => isSame(one) && !isLostTo(spender, one, history));
  }
  throw new SignRefusal(
    "place_taken",
    `A coin of the plan is spent by ${other.hash}, which makes other payments. If the database was restored, ` +
      "do not go on: compare it with the sign log first.",
  );
}

const digestsOf = (payments: readonly { readonly digest: string }[]): string =>
  payments
    .map(({ digest }) => digest)
    .sort()
    .join();

/**
 * Returns whether all payments of a signature were planned again with other coins, in transactions that exclude it.
 * Its coins are then free for other payments.
 */
const isPaidElsewhere = (signature: LoggedSignature, history: History): boolean =>
  signature.payments.length > 0 &&
  signature.payments.every(({ intent }) =>
    history
      .ofIntent(intent)
      .some(
        (later) =>
          !later.places.some((coin) => signature.places.includes(coin)) &&
          history.areExclusive(later, signature),
      ),
  );

/** Returns whether a transaction excludes an earlier one by a coin that is not in both: by one of its ancestors. */
const isLostTo = (spender: SpentPlaces, earlier: LoggedSignature, history: History): boolean =>
  spender.places
    .filter((coin) => !earlier.places.includes(coin))
    .some((coin) => history.areExclusive({ places: [coin], hash: spender.hash }, earlier));

/**
 * Throws unless the transaction differs from each of its earlier versions in one thing: less change at the same
 * place (docs/decisions/0067-raise-fees-of-coins.md).
 */
export function requireLessChange(
  { coins, outputs, changeAt }: UnsignedCoins,
  versions: readonly LoggedSignature[],
): void {
  for (const version of versions) {
    const before = readSigned(version.bytes).outputs;
    const isLess =
      version.places.join() === coins.join() &&
      before.length === outputs.length &&
      changeAt !== null &&
      outputs.every((output, at) => {
        const earlier = before[at];
        if (earlier === undefined || !isOneScript(output, earlier)) return false;
        return at === changeAt ? output.amount < earlier.amount : output.amount === earlier.amount;
      });
    if (isLess) continue;
    throw new SignRefusal(
      "replacement",
      `A replacement of ${version.hash} must spend its coins, make its payments and have less of its change.`,
    );
  }
}

const isOneScript = (one: CoinOutput, other: CoinOutput): boolean =>
  hex.encode(one.script) === hex.encode(other.script);
