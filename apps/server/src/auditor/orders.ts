import type { OrderFacts } from "../domain/ledger/audit-facts.ts";
import { auditOrder } from "../domain/ledger/audit-order.ts";
import type { AuditFinding } from "../storage/audit/breaks.ts";
import { type FactReader, makeFactReader } from "../storage/audit/facts.ts";
import {
  type AuditProgress,
  type Changes,
  listOpenOrders,
  readChanges,
} from "../storage/audit/progress.ts";
import { checkEntryRange } from "../storage/ledger/entry-checks.ts";
import type { Database } from "../storage/postgres/database.ts";

const ORDERS_AT_ONCE = 200;
const ENTRIES_AT_ONCE = 20_000n;
/** A pass spends so long on each of its rounds: little beside the interval, also at rest. */
const ROUND_BUDGET_MS = 10;
const ROUND_ORDERS_AT_ONCE = 50;

export interface OrdersLook {
  readonly findings: AuditFinding[];
  readonly openOrderId: bigint;
  readonly roundOrderId: bigint;
}

/** What changed since the last look, then a part of the orders that are open and a part of all. */
export async function lookAtOrders(
  database: Database,
  progress: AuditProgress,
): Promise<OrdersLook> {
  const facts = await makeFactReader(database);
  const changes = await readChanges(database, progress);
  const changed = await lookAtChanges(database, { facts, changes });
  const open = await goRound(progress.openOrderId, async (after) =>
    facts.of(await listOpenOrders(database, after, ROUND_ORDERS_AT_ONCE)),
  );
  const all = await goRound(progress.roundOrderId, (after) =>
    facts.after(after, ROUND_ORDERS_AT_ONCE),
  );
  return {
    findings: [...changed, ...open.findings, ...all.findings],
    openOrderId: open.reached,
    roundOrderId: all.reached,
  };
}

const toFinding = (facts: OrderFacts): AuditFinding => ({
  subject: `order:${facts.orderId}`,
  breaks: auditOrder(facts),
  isWhole: true,
});

async function lookAtChanges(
  database: Database,
  what: { readonly facts: FactReader; readonly changes: Changes },
): Promise<AuditFinding[]> {
  const { orderIds, entries } = what.changes;
  const findings: AuditFinding[] = [];
  for (let from = 0; from < orderIds.length; from += ORDERS_AT_ONCE) {
    const orders = await what.facts.of(orderIds.slice(from, from + ORDERS_AT_ONCE));
    findings.push(...orders.map(toFinding));
  }
  if (entries === undefined) return findings;
  for (let from = entries[0]; from <= entries[1]; from += ENTRIES_AT_ONCE) {
    const breaks = await checkEntryRange(database, [from, from + ENTRIES_AT_ONCE - 1n]);
    findings.push({ subject: "ledger", breaks, isWhole: false });
  }
  return findings;
}

/** Goes on from where the last pass ended, for a while; at the end it begins again. */
async function goRound(
  from: bigint,
  next: (after: bigint) => Promise<OrderFacts[]>,
): Promise<{ readonly findings: AuditFinding[]; readonly reached: bigint }> {
  const startedAtMs = performance.now();
  const findings: AuditFinding[] = [];
  let reached = from;
  do {
    const orders = await next(reached);
    findings.push(...orders.map(toFinding));
    for (const { orderId } of orders) if (orderId > reached) reached = orderId;
    if (orders.length < ROUND_ORDERS_AT_ONCE) return { findings, reached: 0n };
  } while (performance.now() - startedAtMs < ROUND_BUDGET_MS);
  return { findings, reached };
}
