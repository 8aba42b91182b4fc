import type { Entry } from "../ledger/entry.ts";
import { costEntries, type TransactionCosts } from "../ledger/house-entries.ts";
import {
  lostReversal,
  type Outgoing,
  reserveEntry,
  sentEntry,
  voidReversal,
} from "../ledger/order-entries.ts";
import type { NewPayoutIntent, VoidReason } from "../payouts/payout-intent.ts";
import type { SettledPayout } from "./events.ts";
import type { OrderJob, Writes } from "./transition.ts";

/** Returns the money that an order received beyond its need, without a change of status. */
export const writesOfExcess = (refunds: readonly NewPayoutIntent[]): Writes => ({
  owes: refunds,
  entries: refunds.map(reserve),
  jobs: refunds.map(sendPayout),
});

export const sendPayout = ({ id }: NewPayoutIntent): OrderJob => ({
  kind: "send_payout",
  subject: id,
});

export const reserve = ({ id, purpose, rail, amount }: NewPayoutIntent): Entry =>
  reserveEntry({ intentId: id, purpose, rail, amount });

export const voided = (
  outgoing: Outgoing,
  { why, ...costs }: TransactionCosts & { readonly why: VoidReason },
): Writes => ({
  payout: { id: outgoing.intentId, state: "void", voidReason: why },
  reversals: [voidReversal(outgoing)],
  entries: costEntries(costs),
});

/** Undoes a payout that was booked, and its reservation. */
export const lost = (
  outgoing: Outgoing,
  rejected: TransactionCosts & { readonly why: VoidReason },
): Writes => {
  const { payout, reversals = [], entries } = voided(outgoing, rejected);
  return {
    payout: payout && { ...payout, awaitsFinality: false },
    reversals: [lostReversal(outgoing), ...reversals],
    entries: entries ?? [],
  };
};

export const settle = ({
  confirmations,
  settledHash,
  awaitsFinality,
  networkFee,
  difference,
  ...sent
}: SettledPayout): Writes => ({
  payout: {
    id: sent.intentId,
    state: "confirmed",
    confirmations,
    settledHash,
    awaitsFinality: awaitsFinality === true,
  },
  entries: [sentEntry(sent), ...costEntries({ networkFee, difference })],
});
