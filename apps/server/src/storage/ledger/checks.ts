import type { Break } from "../../domain/ledger/audit-facts.ts";
import { auditOrder } from "../../domain/ledger/audit-order.ts";
import { makeFactReader } from "../audit/facts.ts";
import { type Database, type Queryable, statement } from "../postgres/database.ts";
import { checkEntries, type OnProgress } from "./entry-checks.ts";
import { checkFees } from "./fee-checks.ts";

/** The result of `exchange ledger check`. */
export interface LedgerReport {
  readonly ok: boolean;
  readonly orders: number;
  readonly entries: number;
  readonly postings: number;
  readonly problems: readonly Break[];
}

/** Enough problems to see the cause. The problems of a broken installation would fill the memory. */
const PROBLEMS_MAX = 1_000;
const ORDERS_AT_ONCE = 1_000;

const COUNT_ORDERS = statement(
  "ledger_check_count_orders",
  "select greatest(reltuples, 0)::bigint as count from pg_class where oid = 'orders'::regclass",
);

/**
 * Checks the books: every entry balances, every account is the sum of its postings, and every asset sums to
 * zero. Every order has exactly the entries that its history requires. The check works in batches and locks
 * nothing, so payments go on meanwhile.
 */
export async function checkLedger(
  database: Database,
  onProgress: OnProgress = () => {},
): Promise<LedgerReport> {
  const books = await checkEntries(database, onProgress);
  const orders = await checkOrders(database, onProgress);
  const fees = await checkFees(database);
  const problems = [...books.problems, ...orders.problems, ...fees].slice(0, PROBLEMS_MAX);
  return {
    ok: problems.length === 0,
    orders: orders.count,
    entries: books.entries,
    postings: books.postings,
    problems,
  };
}

async function checkOrders(
  queryable: Queryable,
  onProgress: OnProgress,
): Promise<{ readonly count: number; readonly problems: Break[] }> {
  const facts = await makeFactReader(queryable);
  const [estimate] = await queryable.query<{ count: string }>(COUNT_ORDERS);
  const problems: Break[] = [];
  let count = 0;
  for (let after = 0n; ; ) {
    const orders = await facts.after(after, ORDERS_AT_ONCE);
    for (const order of orders) problems.push(...auditOrder(order));
    count += orders.length;
    onProgress({ kind: "orders", done: count, of: Math.max(count, Number(estimate?.count ?? 0)) });
    const last = orders.at(-1);
    if (last === undefined || problems.length >= PROBLEMS_MAX) return { count, problems };
    after = last.orderId;
  }
}
