import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { type Database, statement, type Tx } from "../postgres/database.ts";
import { checkLedger, type LedgerReport } from "./checks.ts";
import { foldBalances } from "./fold.ts";

const BOOKS = new URL("../../../../../bench/scale/books.sql", import.meta.url);
const ORDERS = 80;

let world: World;
let count = 0;

beforeAll(async () => {
  world = await makeWorld();
  await withoutGuards(
    readFileSync(BOOKS, "utf8")
      .replaceAll("__FIRST__", "1")
      .replaceAll("__LAST__", String(ORDERS))
      .replaceAll("__AT__", "business_now() - interval '1 hour' + n * interval '1 second'")
      .replaceAll("__MERCHANT__", MERCHANT_ID),
  );
});
afterAll(() => world.close());

/** Runs a script without triggers and foreign keys, like a fault or a manual change of the database. */
const withoutGuards = (script: string) =>
  world.database.transaction(async (tx) => {
    await tx.runScript("set local session_replication_role = replica");
    await tx.runScript(script);
  });
const run = <Row>(text: string) => {
  count += 1;
  return world.database.query<Row>(statement(`check_${count}`, text));
};

test("the books of every operation and every outcome are correct", async () => {
  const kinds: string[] = [];
  const report = await checkLedger(world.database, ({ kind }) => kinds.push(kind));
  expect(report).toMatchObject({ ok: true, problems: [], orders: ORDERS });
  const [books] = await run<{ entries: number }>(
    "select count(*)::int as entries from ledger_entries",
  );
  expect(report.entries).toBe(books?.entries);
  expect(new Set(kinds)).toEqual(new Set(["entries", "orders"]));
});

/** Subqueries that select one order of a kind. */
const BOUGHT =
  "(select id from orders where operation = 'buy' and status = 'completed' order by id limit 1)";
const SOLD =
  "(select id from orders where operation = 'sell' and status = 'completed' order by id limit 1)";
const EXCESS =
  "(select id from orders where operation = 'fiat_to_fiat' and status = 'completed' limit 1)";
const REFUNDED =
  "(select o.id from orders o where status = 'refunded' and not exists (select from ledger_entries e where e.order_id = o.id and e.kind = 'exchange') limit 1)";
const UNDONE =
  "(select order_id from ledger_entries where key like 'exchange:%:spend:reversed' limit 1)";
const HELD = "(select id from orders where status = 'in_review' limit 1)";
const EXPIRED = "(select id from orders where status = 'expired' limit 1)";

const ENTRY = (kind: string, order: string) =>
  `(select id from ledger_entries where kind = '${kind}' and order_id = ${order} limit 1)`;
const FORGET = (entry: string) =>
  `delete from ledger_postings where entry_id = ${entry}; delete from ledger_entries where id = ${entry}`;
/** Changes both sides of an entry by the same amount, so that it still balances. */
const SHIFT = (entry: string) =>
  `update ledger_postings set units = units + sign(units) where entry_id = ${entry} and line in (1, 2)`;

/** The planted faults, each with the check that must report it. */
const PLANTED: readonly (readonly [what: string, script: string, check: string])[] = [
  [
    "an entry that does not balance",
    `update ledger_postings set units = units + 1 where line = 1 and entry_id = ${ENTRY("capture", BOUGHT)}`,
    "every entry balances",
  ],
  [
    "an entry of one posting",
    `delete from ledger_postings where line = 2 and entry_id = ${ENTRY("payout", SOLD)}`,
    "every entry balances",
  ],
  [
    "an asset that does not sum to zero",
    `update ledger_postings set units = units + 1 where line = 1 and entry_id = ${ENTRY("deposit", SOLD)}`,
    "every asset sums to zero",
  ],
  [
    "a posting on another merchant's account",
    `insert into ledger_accounts (merchant_id, purpose, asset_id) select 'other', 'liquidity', asset_id from orders join ledger_entries e on e.order_id = orders.id where orders.id = ${BOUGHT} and e.kind = 'capture'; update ledger_postings set account_id = (select id from ledger_accounts where merchant_id = 'other') where line = 1 and entry_id = ${ENTRY("capture", BOUGHT)}`,
    "an entry stays with its merchant and its asset",
  ],
  [
    "a balance that drifted",
    "update ledger_balances set units = units + 1",
    "a balance is the sum of its postings",
  ],
  [
    "a day that drifted",
    "update ledger_days set debit_units = debit_units + 1",
    "a balance is the sum of its postings",
  ],
  [
    "a capture that is not booked",
    FORGET(ENTRY("capture", BOUGHT)),
    "everything that happened is booked",
  ],
  [
    "a deposit that is not booked",
    FORGET(ENTRY("deposit", SOLD)),
    "everything that happened is booked",
  ],
  [
    "a deposit booked with another amount",
    SHIFT(ENTRY("deposit", EXCESS)),
    "an entry says what happened",
  ],
  [
    "an exchange of one side",
    FORGET(`(select id from ledger_entries where key = 'exchange:' || ${BOUGHT} || ':receive')`),
    "everything that happened is booked",
  ],
  [
    "an exchange at another price",
    SHIFT(`(select id from ledger_entries where key = 'exchange:' || ${SOLD} || ':receive')`),
    "an entry says what happened",
  ],
  [
    "a payout that is not reserved",
    FORGET(ENTRY("payout_reserved", BOUGHT)),
    "everything that happened is booked",
  ],
  [
    "a payout that is not booked",
    FORGET(ENTRY("payout", BOUGHT)),
    "everything that happened is booked",
  ],
  [
    "a payout booked for a void intent",
    `update payout_intents set state = 'void', void_reason = 'rejected' where purpose = 'payout' and order_id = ${BOUGHT}`,
    "every entry has its reason",
  ],
  [
    "a void payout whose reservation stands",
    `delete from ledger_postings where entry_id = ${ENTRY("payout_voided", UNDONE)}; delete from ledger_entries where id = ${ENTRY("payout_voided", UNDONE)}`,
    "a reversal undoes its entry",
  ],
  [
    "a reversal of another amount",
    SHIFT(
      `(select id from ledger_entries where key = 'exchange:' || ${UNDONE} || ':spend:reversed')`,
    ),
    "a reversal undoes its entry",
  ],
  [
    "a reversal of something else",
    `update ledger_entries set reverses = null where key = 'exchange:' || ${UNDONE} || ':spend:reversed'`,
    "a reversal undoes its entry",
  ],
  [
    "an exchange before the money came",
    `update orders set status = 'awaiting_payment', completed_at = null where id = ${BOUGHT}`,
    "a reversal undoes its entry",
  ],
  [
    "an entry out of nowhere",
    `update ledger_entries set key = 'capture:nobody' where id = ${ENTRY("capture", BOUGHT)}`,
    "every entry has its reason",
  ],
  [
    "more received than the rails made final",
    `update orders set received_units = received_units + 1 where id = ${SOLD}`,
    "what was received is what the rails made final",
  ],
  [
    "an order that was exchanged for less than it is for",
    `update orders set received_units = 1 where id = ${SOLD}; update deposits set units = 1 where order_id = ${SOLD}`,
    "what was received is what the rails made final",
  ],
  [
    "an expired order that holds money",
    `update orders set status = 'expired', held_from = null where id = ${HELD}`,
    "an order holds what its status says",
  ],
  [
    "a refunded order that holds money",
    `${FORGET(ENTRY("refund", REFUNDED))}; update payout_intents set state = 'broadcast' where purpose = 'refund' and order_id = ${REFUNDED}`,
    "an order holds what its status says",
  ],
  [
    "a completed order whose payout is not final",
    `update payout_intents set state = 'broadcast' where purpose = 'payout' and order_id = ${BOUGHT}`,
    "an order has the payout its status says",
  ],
  [
    "a completed order without a payout",
    `delete from payout_intents where purpose = 'payout' and order_id = ${BOUGHT}`,
    "an order has the payout its status says",
  ],
  [
    "a payout of another amount",
    `update payout_intents set units = units + 1 where purpose = 'payout' and order_id = ${SOLD}`,
    "an order has the payout its status says",
  ],
  [
    "a payout of an order that expired",
    `update payout_intents set order_id = ${EXPIRED} where purpose = 'payout' and order_id = ${BOUGHT}`,
    "an order has the payout its status says",
  ],
  [
    "a refund of more than came",
    `update payout_intents set units = units + 100000 where purpose = 'excess_refund' and order_id = ${EXCESS}`,
    "refunds give back what came and no more",
  ],
  [
    "a refund of what never came",
    `update payout_intents set attempt_id = gen_random_uuid() where purpose = 'refund' and order_id = ${REFUNDED}`,
    "refunds give back what came and no more",
  ],
  [
    "an order dearer than its quote",
    `update orders set receive_units = receive_units - 1 where id = ${HELD}`,
    "an order is what its quote offered",
  ],
  [
    "a quote that another order used",
    `update quotes set consumed_by_order_id = 1 where id = (select quote_id from orders where id = ${HELD})`,
    "an order is what its quote offered",
  ],
  [
    "a quote used after its time",
    `update quotes set consumed_at = expires_at + interval '2 seconds' where id = (select quote_id from orders where id = ${HELD})`,
    "an order is what its quote offered",
  ],
  [
    "a session that is open again",
    `update sessions set status = 'active', order_id = null where order_id = ${HELD}`,
    "a session has one order",
  ],
  [
    "a status without an item in the timeline",
    `update orders set status = 'failed' where id = ${EXPIRED}`,
    "a timeline tells every move",
  ],
  [
    "an order that the merchant never heard of",
    `delete from events where event_type = 'OrderCreated' and order_id = ${HELD}`,
    "an event is told once",
  ],
  [
    "a second fulfilment event",
    `insert into events (merchant_id, order_id, event_type, payload) select merchant_id, order_id, event_type, payload from events where event_type = 'OrderFulfillment' and order_id = ${BOUGHT}`,
    "an event is told once",
  ],
  [
    "a fulfilment event of an order in review",
    `update events set event_type = 'OrderFulfillment' where event_type = 'OrderCreated' and order_id = ${HELD}`,
    "an event is told once",
  ],
];

class Undo extends Error {}

/** The database as one transaction sees it. The planted fault is never committed. */
const inside = (tx: Tx): Database => ({
  ...world.database,
  query: tx.query,
  // A running transaction cannot change its isolation level, and does not need to.
  transaction: async (work) =>
    work({
      ...tx,
      query: async (sql, values) =>
        sql.name === "ledger_check_snapshot" ? [] : tx.query(sql, values),
    }),
});

/** Plants a fault, checks the ledger, and rolls the fault back. */
async function found(script: string): Promise<LedgerReport | undefined> {
  let report: LedgerReport | undefined;
  const planted = world.database.transaction(async (tx) => {
    await tx.runScript(`set local session_replication_role = replica; ${script}`);
    report = await checkLedger(inside(tx));
    throw new Undo();
  });
  await expect(planted).rejects.toBeInstanceOf(Undo);
  return report;
}

test.each(PLANTED)("the check reports %s", async (_what, script, check) => {
  await foldBalances(world.database);
  const report = await found(script);
  expect(report?.ok).toBe(false);
  expect(report?.problems.map((problem) => problem.check)).toContain(check);
});

test("the books are correct after all faults were rolled back", async () => {
  expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
});
