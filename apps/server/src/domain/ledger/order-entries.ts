import type { Money } from "@exchange/money";
import {
  type AccountPurpose,
  credit,
  debit,
  type Entry,
  type EntryKind,
  makeEntry,
} from "./entry.ts";

/** A rail for money in or out. */
export type Rail = "chain" | "bank" | "card";

/** The account that holds the money a rail received, and from which it pays. */
const ACCOUNT_OF: Record<Rail, AccountPurpose> = {
  chain: "chain_wallet",
  bank: "bank_account",
  card: "card_processor",
};

/** The entry for a customer's money that the card processor captured. */
export const captureEntry = (capture: {
  readonly attemptId: string;
  readonly amount: Money;
}): Entry =>
  makeEntry({
    key: `capture:${capture.attemptId}`,
    kind: "capture",
    asset: capture.amount.asset,
    link: null,
    postings: [
      debit("card_processor", capture.amount.units),
      credit("customer_funds", capture.amount.units),
    ],
  });

/** The amounts of an order's exchange, from its quote. */
export interface Exchange {
  readonly orderId: bigint;
  readonly spend: Money;
  readonly receive: Money;
  readonly transactionFee: Money;
  readonly deliveryFee: Money;
  readonly spread: Money;
}

/**
 * The entries of an exchange: two linked entries through the liquidity accounts. In the currency
 * received, the spread and each fee are separate postings, so every price can be audited.
 */
export function exchangeEntries(exchange: Exchange): readonly [Entry, Entry] {
  const { orderId, spend, receive, transactionFee, deliveryFee, spread } = exchange;
  const link = `exchange:${orderId}`;
  const given = receive.units + transactionFee.units + deliveryFee.units + spread.units;
  return [
    makeEntry({
      key: `${link}:spend`,
      kind: "exchange",
      asset: spend.asset,
      link,
      postings: [debit("customer_funds", spend.units), credit("liquidity", spend.units)],
    }),
    makeEntry({
      key: `${link}:receive`,
      kind: "exchange",
      asset: receive.asset,
      link,
      postings: [
        debit("liquidity", given),
        credit("customer_payable", receive.units),
        credit("fee_revenue", transactionFee.units),
        credit("delivery_fee_revenue", deliveryFee.units),
        credit("spread_revenue", spread.units),
      ],
    }),
  ];
}

/** The entry for a bank transfer or coins that became final. */
export const depositEntry = (deposit: {
  readonly depositId: string;
  readonly rail: Rail;
  readonly amount: Money;
}): Entry =>
  makeEntry({
    key: `deposit:${deposit.depositId}`,
    kind: "deposit",
    asset: deposit.amount.asset,
    link: null,
    postings: [
      debit(ACCOUNT_OF[deposit.rail], deposit.amount.units),
      credit("customer_funds", deposit.amount.units),
    ],
  });

/** A payout or refund that will be sent. */
export interface Outgoing {
  readonly intentId: string;
  readonly purpose: "payout" | "refund" | "excess_refund";
  readonly rail: Rail;
  readonly amount: Money;
}

const isRefund = ({ purpose }: Outgoing): boolean => purpose !== "payout";

/** The keys of an intent's entries: reserved, then sent or released. A chain may drop what was sent. */
export const outgoingKeys = (outgoing: Pick<Outgoing, "intentId" | "purpose">) => {
  const word = outgoing.purpose === "payout" ? "payout" : "refund";
  return {
    reserved: `${word}_reserved:${outgoing.intentId}`,
    sent: `${word}:${outgoing.intentId}`,
    voided: `${word}_voided:${outgoing.intentId}`,
    lost: `${word}_lost:${outgoing.intentId}`,
  };
};

/**
 * The first phase of a payout or a refund: reserves the amount owed, so that nothing else can use
 * it. A refund takes from the money received, a payout from the money exchanged.
 */
export const reserveEntry = (outgoing: Outgoing): Entry =>
  makeEntry({
    key: outgoingKeys(outgoing).reserved,
    kind: isRefund(outgoing) ? "refund_reserved" : "payout_reserved",
    asset: outgoing.amount.asset,
    link: null,
    postings: [
      debit(isRefund(outgoing) ? "customer_funds" : "customer_payable", outgoing.amount.units),
      credit(inFlight(outgoing), outgoing.amount.units),
    ],
  });

/** The second phase: the money has left our account. It is final, or as deep in the chain as payouts need. */
export const sentEntry = (outgoing: Outgoing): Entry =>
  makeEntry({
    key: outgoingKeys(outgoing).sent,
    kind: isRefund(outgoing) ? "refund" : "payout",
    asset: outgoing.amount.asset,
    link: null,
    postings: [
      debit(inFlight(outgoing), outgoing.amount.units),
      credit(ACCOUNT_OF[outgoing.rail], outgoing.amount.units),
    ],
  });

const inFlight = (outgoing: Outgoing): AccountPurpose =>
  isRefund(outgoing) ? "refunds_in_flight" : "payouts_in_flight";

/**
 * The entry for a rail's movement that belongs to an order which a restore lost. Finance decides what becomes of
 * the money in `suspense`.
 */
export function suspenseEntry(movement: {
  readonly kind: "capture" | "payout" | "deposit";
  readonly name: string;
  readonly rail: Rail;
  readonly amount: Money;
}): Entry {
  const { kind, name, rail, amount } = movement;
  const [from, to] =
    kind === "payout"
      ? [ACCOUNT_OF[rail], "suspense" as const]
      : ["suspense" as const, ACCOUNT_OF[rail]];
  return makeEntry({
    key: `restored_${kind}:${name}`,
    kind: `restored_${kind}`,
    asset: amount.asset,
    link: null,
    postings: [debit(to, amount.units), credit(from, amount.units)],
  });
}

/** Reverses an entry by an entry with opposite postings. Entries are never edited. */
export interface Reversal {
  readonly of: string;
  readonly key: string;
  readonly kind: EntryKind;
}

/** Releases the reservation of a payout or refund that will not be sent. */
export function voidReversal(outgoing: Pick<Outgoing, "intentId" | "purpose">): Reversal {
  const { reserved, voided } = outgoingKeys(outgoing);
  const kind = outgoing.purpose === "payout" ? "payout_voided" : "refund_voided";
  return { of: reserved, key: voided, kind };
}

/** Undoes the second phase of a payout that the chain dropped. */
export function lostReversal(outgoing: Pick<Outgoing, "intentId" | "purpose">): Reversal {
  const { sent, lost } = outgoingKeys(outgoing);
  return { of: sent, key: lost, kind: "payout_lost" };
}

/** Reverses both entries of an exchange. */
export const exchangeReversals = (orderId: bigint): readonly Reversal[] =>
  ["spend", "receive"].map((side) => {
    const of = `exchange:${orderId}:${side}`;
    return { of, key: `${of}:reversed`, kind: "reversal" };
  });
