import type { Money } from "@exchange/money";
import { credit, debit, type Entry, makeEntry } from "./entry.ts";

/** The card processor took the customer's money for an order. */
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

/**
 * An exchange is two linked entries through the liquidity accounts. In the currency received, the
 * spread and each fee are legs of their own, so every price can be audited.
 */
export function exchangeEntries(exchange: {
  readonly orderId: bigint;
  readonly spend: Money;
  readonly receive: Money;
  readonly transactionFee: Money;
  readonly deliveryFee: Money;
  readonly spread: Money;
}): readonly [Entry, Entry] {
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

/** What the order's customer is owed is reserved for the payout. */
export const reserveEntry = (payout: {
  readonly intentId: string;
  readonly amount: Money;
}): Entry =>
  makeEntry({
    key: `payout_reserved:${payout.intentId}`,
    kind: "payout_reserved",
    asset: payout.amount.asset,
    link: null,
    postings: [
      debit("customer_payable", payout.amount.units),
      credit("payouts_in_flight", payout.amount.units),
    ],
  });

/** The payout is final: the coins left our wallet. */
export const payoutEntry = (payout: { readonly intentId: string; readonly amount: Money }): Entry =>
  makeEntry({
    key: `payout:${payout.intentId}`,
    kind: "payout",
    asset: payout.amount.asset,
    link: null,
    postings: [
      debit("payouts_in_flight", payout.amount.units),
      credit("chain_wallet", payout.amount.units),
    ],
  });
