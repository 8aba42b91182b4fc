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
/** The time that a pass spends on each round. It is short beside the interval, also without new orders. */
const ROUND_BUDGET_MS = 10;
const ROUND_ORDERS_AT_ONCE = 50;

export interface OrdersAudit {
  readonly findings: AuditFinding[];
  readonly openOrderId: bigint;
  readonly roundOrderId: bigint;
}

/**
 * Audits the orders changed since the last pass, then a part of the open orders and a part of all. `onBatch` is called
 * before each batch of changes.
 */
export async function auditOrders(
  database: Database,
  progress: AuditProgress,
  onBatch: () => void,
): Promise<OrdersAudit> {
  const facts = await makeFactReader(database);
  const changes = await readChanges(database, progress);
  const changed = await auditChanges(database, { facts, changes, onBatch });
  // The open orders that changed were just audited.
  const audited = new Set(changes.orderIds);
  const open = await auditRound(progress.openOrderId, async (after) => {
    const listed = await listOpenOrders(database, after, ROUND_ORDERS_AT_ONCE);
    const orders = await facts.of(listed.filter((id) => !audited.has(id)));
    return { orders, listed };
  });
  const all = await auditRound(progress.roundOrderId, async (after) => {
    const orders = await facts.after(after, ROUND_ORDERS_AT_ONCE);
    return { orders, listed: orders.map(({ orderId }) => orderId) };
  });
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

async function auditChanges(
  database: Database,
  parts: { readonly facts: FactReader; readonly changes: Changes; readonly onBatch: () => void },
): Promise<AuditFinding[]> {
  const { facts, changes, onBatch } = parts;
  const { orderIds, entries } = changes;
  const findings: AuditFinding[] = [];
  for (let from = 0; from < orderIds.length; from += ORDERS_AT_ONCE) {
    onBatch();
    const orders = await facts.of(orderIds.slice(from, from + ORDERS_AT_ONCE));
    findings.push(...orders.map(toFinding));
  }
  if (entries === undefined) return findings;
  for (let from = entries[0]; from <= entries[1]; from += ENTRIES_AT_ONCE) {
    onBatch();
    const breaks = await checkEntryRange(database, [from, from + ENTRIES_AT_ONCE - 1n]);
    findings.push({ subject: "ledger", breaks, isWhole: false });
  }
  return findings;
}

/** A part of a round: the orders that it has reached, and the facts of those that it audits. */
interface RoundPart {
  readonly orders: readonly OrderFacts[];
  readonly listed: readonly bigint[];
}

/** Continues the round where the last pass ended, for a short time. A finished round begins again at 0. */
async function auditRound(
  from: bigint,
  next: (after: bigint) => Promise<RoundPart>,
): Promise<{ readonly findings: AuditFinding[]; readonly reached: bigint }> {
  const startedAtMs = performance.now();
  const findings: AuditFinding[] = [];
  let reached = from;
  do {
    const { orders, listed } = await next(reached);
    findings.push(...orders.map(toFinding));
    for (const orderId of listed) if (orderId > reached) reached = orderId;
    if (listed.length < ROUND_ORDERS_AT_ONCE) return { findings, reached: 0n };
  } while (performance.now() - startedAtMs < ROUND_BUDGET_MS);
  return { findings, reached };
}
