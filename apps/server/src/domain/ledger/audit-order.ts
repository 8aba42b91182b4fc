import { auditEntries } from "./audit-entries.ts";
import type { Break, OrderFacts, QuoteFacts } from "./audit-facts.ts";
import { auditMoney } from "./audit-money.ts";
import { wasLost } from "./expected-entries.ts";

/**
 * Finds every inconsistency of one order: in its entries, money, quote, session, timeline and
 * webhooks. Pure, so the tests, the command and the auditor judge alike.
 */
export const auditOrder = (facts: OrderFacts): Break[] => [
  ...auditEntries(facts),
  ...auditMoney(facts),
  ...auditQuote(facts),
  ...auditSession(facts),
  ...auditTimeline(facts),
  ...auditEvents(facts),
];

function auditQuote(facts: OrderFacts): Break[] {
  const { quote, orderId } = facts;
  const wrong = (problem: string): Break[] => [
    { check: "an order is what its quote offered", problem },
  ];
  if (quote === null) return wrong(`order ${orderId} has no quote`);
  if (quote.consumedByOrderId !== orderId) {
    const by = quote.consumedByOrderId === null ? "not used" : `order ${quote.consumedByOrderId}'s`;
    return wrong(`the quote of order ${orderId} is ${by}`);
  }
  if (!quote.consumedInTime) return wrong(`the quote of order ${orderId} had expired`);
  return isAsQuoted(facts, quote) ? [] : wrong(`order ${orderId} has other figures than its quote`);
}

const isAsQuoted = (facts: OrderFacts, quote: QuoteFacts): boolean =>
  quote.operation === facts.operation &&
  quote.spend.units === facts.spend.units &&
  quote.spend.asset.id === facts.spend.asset.id &&
  quote.receive.units === facts.receive.units &&
  quote.receive.asset.id === facts.receive.asset.id;

function auditSession({ session, orderId }: OrderFacts): Break[] {
  if (session?.status === "expired" && session.orderId === orderId) return [];
  const says = session?.orderId ? `order ${session.orderId}` : "none";
  const problem = `the session of order ${orderId} is ${session?.status ?? "missing"} and names ${says}`;
  return [{ check: "a session has one order", problem }];
}

function auditTimeline({ status, timelineStatus, orderId }: OrderFacts): Break[] {
  if (status === timelineStatus) return [];
  const problem = `order ${orderId} is ${status} and its timeline ends with ${timelineStatus ?? "nothing"}`;
  return [{ check: "a timeline tells every move", problem }];
}

/**
 * Each event is recorded once for each time that the order reached its status. Those of long ago may be deleted, and
 * the younger ones may not.
 */
function auditEvents(facts: OrderFacts): Break[] {
  const lost = facts.intents.filter((intent) => wasLost(facts, intent)).length;
  const wanted = [
    { eventType: "OrderCreated", times: 1 },
    { eventType: "OrderFulfillment", times: lost + (facts.status === "completed" ? 1 : 0) },
    { eventType: "OrderRefunded", times: facts.status === "refunded" ? 1 : 0 },
  ];
  return wanted.flatMap(({ eventType, times }) => {
    const recorded = facts.events.find((event) => event.eventType === eventType);
    const count = recorded?.count ?? 0;
    const isRight = count <= times && count >= times - (recorded?.clearable ?? 0);
    const problem = `order ${facts.orderId} is ${facts.status} with ${count} ${eventType} in the outbox`;
    return isRight ? [] : [{ check: "an event is told once", problem }];
  });
}
