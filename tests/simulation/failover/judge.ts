import { vi } from "vitest";
import { exchangeHere } from "../../support/service/command-line.ts";
import { sql } from "../books.ts";
import type { Record } from "./customers.ts";
import type { Outside, ServiceProcess, Stand } from "./stand.ts";

/** The customers' record, and the books that are compared with it. */
export interface Evidence extends Outside, Pick<Stand, "processes"> {
  readonly record: Record;
  /** The length of each process's log before the round. */
  readonly logsBefore: readonly number[];
}

const WEBHOOKS_MS = 120_000;
const WEBHOOKS_OF_AN_ORDER = ["OrderCreated", "OrderFulfillment"];
/** Answers while the database is away, and those that a repeated request may have. */
const ALLOWED = /^(503|500) SERVICE_UNAVAILABLE$|^409 /;

const CAPTURES = sql(
  `select reference as name, count(*)::int as count from sandbox.card_captures group by 1`,
);
const TRANSFERS = sql(
  `select intent_id as name, count(*)::int as count from sandbox.chain_transactions
   where mined_at is not null and coalesce(moved_units, units) > 0 group by 1`,
);
const ORDERS = sql("select id::text, status from orders");
const STOPS = sql("select count(*)::int as count from stops");

interface Count {
  readonly name: string;
  readonly count: number;
}

/** Returns a sentence for each disagreement. */
export async function findProblems(evidence: Evidence): Promise<readonly string[]> {
  const { record, rails, database, processes } = evidence;
  const [service] = processes as [ServiceProcess];
  const rows = await database.query<{ id: string; status: string }>(ORDERS);
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  const placed = record.orders.filter(({ orderId }) => orderId !== undefined);
  const lost = placed.filter(({ orderId }) => !statuses.has(String(orderId)));
  const open = placed.filter(({ orderId }) => statuses.get(String(orderId)) !== "completed");
  const captures = await rails.query<Count>(CAPTURES);
  const transfers = await rails.query<Count>(TRANSFERS);
  const completed = rows.filter(({ status }) => status === "completed").length;
  const [stops] = await database.query<Count>(STOPS);
  const ledger = await exchangeHere<{ ok: boolean }>(service, "ledger", "check").catch(
    (error: Error) => ({ ok: false, error: error.message }),
  );
  const odd = [...record.refusals].filter(([answer]) => !ALLOWED.test(answer));
  return [
    ...(lost.length > 0 ? [`${lost.length} of ${placed.length} acknowledged orders are lost`] : []),
    ...(open.length > lost.length
      ? [`${open.length - lost.length} orders did not end: ${statusesOf(open, statuses)}`]
      : []),
    ...twice("capture", captures),
    ...twice("payout", transfers),
    ...differs("captures", captures.length, completed),
    ...differs("payouts", transfers.length, completed),
    ...(stops?.count === 0 ? [] : [`payouts were stopped ${stops?.count} times`]),
    ...(ledger.ok ? [] : [`ledger check: ${JSON.stringify(ledger)}`]),
    ...(await findFailedProcesses(evidence)),
    ...odd.map(([answer, times]) => `${times} × ${answer}`),
    ...(lost.length === 0 ? await findWebhookProblems(evidence, completed) : []),
  ];
}

const statusesOf = (orders: Record["orders"], statuses: ReadonlyMap<string, string>): string =>
  orders
    .slice(0, 10)
    .map(({ orderId }) => `${orderId} ${statuses.get(String(orderId)) ?? "lost"}`)
    .join(", ");

const twice = (what: string, counts: readonly Count[]): readonly string[] =>
  counts
    .filter(({ count }) => count > 1)
    .map(({ name, count }) => `${what} ${name} was made ${count} times`);

const differs = (what: string, found: number, expected: number): readonly string[] =>
  found === expected ? [] : [`${found} ${what} for ${expected} completed orders`];

/** Each fact has one id, under which the receiver may get it several times. */
async function findWebhookProblems(
  { receiver }: Evidence,
  completed: number,
): Promise<readonly string[]> {
  const facts = new Map<string, Set<string>>();
  const read = (): number => {
    for (const { headers, body } of receiver.received) {
      const { eventType, details } = JSON.parse(body) as {
        eventType: string;
        details: { orderId: number };
      };
      const fact = `${eventType} of order ${details.orderId}`;
      facts.set(fact, (facts.get(fact) ?? new Set()).add(String(headers["x-webhook-id"])));
    }
    return facts.size;
  };
  const expected = completed * WEBHOOKS_OF_AN_ORDER.length;
  const isComplete = (): boolean => read() >= expected;
  await vi.waitUntil(isComplete, { timeout: WEBHOOKS_MS, interval: 500 }).catch(() => {});
  return [
    ...differs("webhooks", facts.size, expected),
    ...[...facts].filter(([, ids]) => ids.size > 1).map(([fact]) => `${fact} came under two ids`),
  ];
}

/** Lines of the log that a failover explains. */
const EXPECTED_LINES = new Set(["database away, waiting for it"]);
const LEVEL_ERROR = 50;

/** Every process works by itself again, and logged no other error. */
async function findFailedProcesses({
  processes,
  logsBefore,
}: Evidence): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [index, { name, health, process }] of processes.entries()) {
    for (const probe of ["/livez", "/readyz"]) {
      const answer = await fetch(health + probe).catch((error: Error) => error);
      if (answer instanceof Error) problems.push(`${name} ${probe}: ${answer.message}`);
      else if (!answer.ok) problems.push(`${name} ${probe}: ${await answer.text()}`);
    }
    const lines = process
      .output()
      .slice(logsBefore[index])
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string });
    const errors = lines.filter(
      ({ level, msg }) => level >= LEVEL_ERROR && !EXPECTED_LINES.has(msg),
    );
    problems.push(...errors.slice(0, 5).map((line) => `${name} logged ${JSON.stringify(line)}`));
  }
  return problems;
}
