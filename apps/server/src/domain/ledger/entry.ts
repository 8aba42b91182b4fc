import { type Asset, type Money, money } from "@exchange/money";

/**
 * Ledger accounts by purpose. A merchant has one of each for each asset.
 *
 * - `card_processor`: money that the processor owes us.
 * - `bank_account`: money in our bank accounts and with the providers that pay out for us.
 * - `customer_funds`: money received for orders that are not exchanged yet.
 * - `liquidity`: our side of an exchange. Its balance is our exposure.
 * - `customer_payable`: money that we owe customers: exchanged and not yet sent.
 * - `payouts_in_flight`: reserved for a payout that is under way.
 * - `refunds_in_flight`: reserved for a refund that is under way.
 * - `chain_wallet`: coins in our wallets.
 * - `network_fees`: what our transactions cost. `house_capital`: what the operator put into our wallets. Both, and
 *   their side of `chain_wallet`, belong to the house and not to a merchant.
 * - `suspense`: money that moved for orders which a restore lost.
 * - `spread_revenue`, `fee_revenue`, `delivery_fee_revenue`: our earnings.
 */
export type AccountPurpose =
  | "card_processor"
  | "bank_account"
  | "customer_funds"
  | "liquidity"
  | "customer_payable"
  | "payouts_in_flight"
  | "refunds_in_flight"
  | "chain_wallet"
  | "network_fees"
  | "house_capital"
  | "suspense"
  | "spread_revenue"
  | "fee_revenue"
  | "delivery_fee_revenue";

/** The facts that entries book. */
export type EntryKind =
  | "capture"
  | "deposit"
  | "exchange"
  | "payout_reserved"
  | "payout"
  | "payout_voided"
  | "payout_lost"
  | "refund_reserved"
  | "refund"
  | "refund_voided"
  | "reversal"
  | "network_fee"
  | "float"
  | "mismatch"
  | `restored_${"capture" | "payout" | "deposit"}`;

/** A posting of an entry. A debit is positive and a credit is negative. */
export interface Posting {
  readonly purpose: AccountPurpose;
  readonly units: bigint;
}

/**
 * An atomic, balanced set of postings in one asset. `key` names the event, so it is booked once.
 */
export interface Entry {
  readonly key: string;
  readonly kind: EntryKind;
  readonly asset: Asset;
  /** Entries of one exchange carry the same link. */
  readonly link: string | null;
  readonly postings: readonly Posting[];
  /** Whose books it is in: the order's merchant's, or the house's. Its merchant where absent. */
  readonly owner?: "merchant" | "house";
}

/**
 * The owner of accounts that belong to no merchant. A disabled row of `merchants` without keys has this id, and no
 * command finds it.
 */
export const HOUSE = "house";

/** Builds an entry without its zero postings. Throws when it does not balance. */
export function makeEntry(entry: Entry): Entry {
  const postings = entry.postings.filter((posting) => posting.units !== 0n);
  assert(postings.length >= 2, `entry ${entry.key} has at least two postings`);
  const sum = postings.reduce((total, posting) => total + posting.units, 0n);
  assert(sum === 0n, `entry ${entry.key} balances`);
  return { ...entry, postings };
}

export const debit = (purpose: AccountPurpose, units: bigint): Posting => ({ purpose, units });

export const credit = (purpose: AccountPurpose, units: bigint): Posting => ({
  purpose,
  units: -units,
});

/** The amount that the entry adds to the debit side of an account. */
export const unitsOf = (entry: Entry, purpose: AccountPurpose): Money =>
  money(
    entry.asset,
    entry.postings
      .filter((posting) => posting.purpose === purpose)
      .reduce((total, posting) => total + posting.units, 0n),
  );

/** Throws for a broken invariant, which is a defect of ours and never of a caller's input. */
function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`broken invariant: ${message}`);
}
