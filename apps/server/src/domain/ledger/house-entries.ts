import type { Money } from "@exchange/money";
import { credit, debit, type Entry, makeEntry } from "./entry.ts";

/** The cost of a final transaction of ours, in its network's own coin. One that moved nothing costs too. */
export interface PaidNetworkFee {
  readonly networkCode: string;
  readonly hash: string;
  readonly amount: Money;
}

/** The entry for a network fee. It leaves our wallet, and no merchant pays it. */
const networkFeeEntry = ({ networkCode, hash, amount }: PaidNetworkFee): Entry =>
  makeEntry({
    key: `fee:${networkCode}:${hash}`,
    kind: "network_fee",
    asset: amount.asset,
    link: null,
    owner: "house",
    postings: [debit("network_fees", amount.units), credit("chain_wallet", amount.units)],
  });

/** Coins that the operator moved into our wallet, or out of it. */
export interface FloatMovement {
  readonly networkCode: string;
  /** The transaction and the number of its output. */
  readonly name: string;
  readonly amount: Money;
  readonly direction: "in" | "out";
}

/** The entry for coins of the operator's own: capital of the house. */
export function floatEntry({ networkCode, name, amount, direction }: FloatMovement): Entry {
  const units = direction === "in" ? amount.units : -amount.units;
  return makeEntry({
    key: `float:${networkCode}:${name}`,
    kind: "float",
    asset: amount.asset,
    link: null,
    owner: "house",
    postings: [debit("chain_wallet", units), credit("house_capital", units)],
  });
}

/** The coins that left our wallet beyond what a payout's own entry says. Negative where less left. */
export interface PayoutDifference {
  readonly networkCode: string;
  readonly hash: string;
  readonly amount: Money;
}

/** The entry for a payout that moved something else than was owed. The house bears the difference. */
const payoutDifferenceEntry = ({ networkCode, hash, amount }: PayoutDifference): Entry =>
  makeEntry({
    key: `mismatch:${networkCode}:${hash}`,
    kind: "mismatch",
    asset: amount.asset,
    link: null,
    owner: "house",
    postings: [debit("house_capital", amount.units), credit("chain_wallet", amount.units)],
  });

/** The coins that a payout's transaction moved beside the payout itself. Banks and card processors report none. */
export interface TransactionCosts {
  readonly networkFee?: PaidNetworkFee | undefined;
  /** Only where people decided about a transaction that moved something else. */
  readonly difference?: PayoutDifference | undefined;
}

/** The entries of the house that a payout's transaction needs. */
export const costEntries = ({ networkFee, difference }: TransactionCosts): readonly Entry[] => [
  // A send that cost nothing is noted as free, so the audit expects no entry.
  ...(networkFee && networkFee.amount.units !== 0n ? [networkFeeEntry(networkFee)] : []),
  ...(difference && difference.amount.units !== 0n ? [payoutDifferenceEntry(difference)] : []),
];
