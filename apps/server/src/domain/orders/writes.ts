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

/** Refunds money that an order received beyond its need. The status stays. */
export const writesOfExcess = (refunds: readonly NewPayoutIntent[]): Writes => ({
  owes: refunds,
  entries: refunds.map(reservationOf),
  jobs: refunds.map(sendPayoutJob),
});

export const sendPayoutJob = ({ id }: NewPayoutIntent): OrderJob => ({
  kind: "send_payout",
  subject: id,
});

/** Returns the entry that reserves the money of a payout or a refund. */
export const reservationOf = ({ id, purpose, rail, amount }: NewPayoutIntent): Entry =>
  reserveEntry({ intentId: id, purpose, rail, amount });

/** Voids a payout or a refund of which nothing was paid, frees its reservation and books its costs. */
export const writesOfVoid = (
  outgoing: Outgoing,
  { why, ...costs }: TransactionCosts & { readonly why: VoidReason },
): Writes => ({
  payout: { id: outgoing.intentId, state: "void", voidReason: why },
  reversals: [voidReversal(outgoing)],
  entries: costEntries(costs),
});

/** Undoes a payout that was booked, and its reservation. */
export const writesOfLoss = (
  outgoing: Outgoing,
  rejected: TransactionCosts & { readonly why: VoidReason },
): Writes => {
  const { payout, reversals = [], entries } = writesOfVoid(outgoing, rejected);
  return {
    payout: payout && { ...payout, awaitsFinality: false },
    reversals: [lostReversal(outgoing), ...reversals],
    entries: entries ?? [],
  };
};

/** Confirms a payout or a refund, and books it with its costs. */
export const writesOfSettlement = ({
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
