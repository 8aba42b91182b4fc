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

/** An entry that what is known of the order asks for. */
export interface ExpectedEntry {
  readonly entry: Entry;
  /** The key of the entry that undoes this one, where there must be one. */
  readonly reversedBy: string | null;
}

/** The status that says what was done for an order: while it is held, the one it was held in. */
export const doneStatus = (facts: Pick<OrderFacts, "status" | "heldFrom">): OrderStatus =>
  facts.status === "in_review" ? (facts.heldFrom ?? "in_review") : facts.status;

const EXCHANGED: readonly OrderStatus[] = ["sending", "completed"];

export const isExchanged = (facts: OrderFacts): boolean => EXCHANGED.includes(doneStatus(facts));

/**
 * Every entry an order must have, and with it what it must not: one for each capture, each final
 * deposit and each phase of what is sent, and the exchange once it is past `processing`.
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

/** An exchange that was undone for a refund leaves the pair and its reversals. */
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
