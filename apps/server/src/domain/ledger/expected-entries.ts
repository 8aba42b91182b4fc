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
 * deposit and each phase of a payout or refund has an entry. The exchange has its entries once the
 * order is past `processing`.
 */
export const expectedEntries = (facts: OrderFacts): ExpectedEntry[] => [
  ...facts.attempts
    .filter(({ status }) => status === "captured")
    .map(({ id, amount }) => stays(captureEntry({ attemptId: id, amount }))),
  ...facts.deposits
    .filter(({ state }) => state === "final")
    .map(({ id, rail, amount }) => stays(depositEntry({ depositId: id, rail, amount }))),
  ...exchange(facts),
  ...facts.intents.flatMap(outgoing),
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

function outgoing(intent: IntentFacts): ExpectedEntry[] {
  const sent = { ...intent, intentId: intent.id };
  const { voided } = outgoingKeys(sent);
  const reserve = {
    entry: reserveEntry(sent),
    reversedBy: intent.state === "void" ? voided : null,
  };
  return intent.state === "confirmed" ? [reserve, stays(sentEntry(sent))] : [reserve];
}
