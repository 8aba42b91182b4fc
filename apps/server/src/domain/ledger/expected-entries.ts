import type { OrderStatus } from "../orders/status.ts";
import type { IntentFacts, OrderFacts } from "./audit-facts.ts";
import type { Entry } from "./entry.ts";
import {
  captureEntry,
  depositEntry,
  exchangeEntries,
  outgoingKeys,
  reserveEntry,
  sentEntry,
} from "./order-entries.ts";

/** An entry that the facts of the order require. */
export interface ExpectedEntry {
  readonly entry: Entry;
  /** The key of the entry that reverses this one, where a reversal is required. */
  readonly reversedBy: string | null;
}

/**
 * The status that shows the progress of an order. For a held order it is the status before the
 * hold.
 */
export const doneStatus = (facts: Pick<OrderFacts, "status" | "heldFrom">): OrderStatus =>
  facts.status === "in_review" ? (facts.heldFrom ?? "in_review") : facts.status;

const EXCHANGED: readonly OrderStatus[] = ["sending", "completed"];

export const isExchanged = (facts: OrderFacts): boolean => EXCHANGED.includes(doneStatus(facts));

/**
 * Returns every entry that an order must have. It may have no others. Each capture, each final
 * deposit and each phase of a payout or refund has an entry. A payout that the chain dropped after
 * its order was completed has the entries of both phases and their reversals. The exchange has its
 * entries once the order is past `processing`.
 */
export const expectedEntries = (facts: OrderFacts): ExpectedEntry[] => [
  ...facts.attempts
    .filter(({ status }) => status === "captured")
    .map(({ id, amount }) => stays(captureEntry({ attemptId: id, amount }))),
  ...facts.deposits
    .filter(({ state }) => state === "final")
    .map(({ id, rail, amount }) => stays(depositEntry({ depositId: id, rail, amount }))),
  ...exchange(facts),
  ...facts.intents.flatMap((intent) => outgoing(facts, intent)),
];

const stays = (entry: Entry): ExpectedEntry => ({ entry, reversedBy: null });

/** An exchange that was undone for a refund leaves its two entries and their reversals. */
function exchange(facts: OrderFacts): ExpectedEntry[] {
  const wasUndone = facts.entries.some(({ key }) => key === `exchange:${facts.orderId}:spend`);
  if (facts.quote === null || (!isExchanged(facts) && !wasUndone)) return [];
  return exchangeEntries({ orderId: facts.orderId, ...facts.quote }).map((entry) => ({
    entry,
    reversedBy: isExchanged(facts) ? null : `${entry.key}:reversed`,
  }));
}

/** Whether the chain dropped the payout after it had completed its order. */
export const wasLost = (
  { entries }: Pick<OrderFacts, "entries">,
  { id, purpose, state }: Pick<IntentFacts, "id" | "purpose" | "state">,
): boolean => {
  const { lost } = outgoingKeys({ intentId: id, purpose });
  return state === "void" && purpose === "payout" && entries.some(({ key }) => key === lost);
};

function outgoing(facts: OrderFacts, intent: IntentFacts): ExpectedEntry[] {
  const sent = { ...intent, intentId: intent.id };
  const { voided, lost } = outgoingKeys(sent);
  const reserve = {
    entry: reserveEntry(sent),
    reversedBy: intent.state === "void" ? voided : null,
  };
  if (intent.state === "confirmed") return [reserve, stays(sentEntry(sent))];
  return wasLost(facts, intent)
    ? [reserve, { entry: sentEntry(sent), reversedBy: lost }]
    : [reserve];
}
