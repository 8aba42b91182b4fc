import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canMove, ORDER_MOVES, type OrderStatus } from "../../domain/orders/status.ts";
import { placeOrder } from "../../flows/orders/place.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { OPEN_STATUSES_SQL } from "./table.ts";

const statuses = Object.keys(ORDER_MOVES) as OrderStatus[];
let world: World;
let orderId: bigint;

beforeAll(async () => {
  world = await makeWorld();
  orderId = await place();
});
afterAll(() => world.close());

async function place(): Promise<bigint> {
  const session = await world.openSession();
  const quote = await world.quote(session.sessionId);
  const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
  const request = { quoteId: quote.id, walletAddress };
  const view = await placeOrder(world.deps, { merchantId: MERCHANT_ID, ...session, request });
  return view.order.id;
}

const AHEAD = statement(
  "test_clock_ahead",
  "select round(extract(epoch from business_now() - clock_timestamp()) / 86400)::int as days",
);

/** Runs a statement in a database transaction that is rolled back, and returns its error. */
async function attempt(...texts: readonly string[]): Promise<string> {
  const undo = new Error("undone");
  try {
    await world.database.transaction(async (tx) => {
      for (const text of texts) await tx.runScript(text);
      await tx.runScript("set constraints all immediate");
      throw undo;
    });
  } catch (error) {
    return error === undo ? "accepted" : (error as Error).message;
  }
  return "committed";
}

test("the database allows exactly the moves of the state table", async () => {
  const rows = await world.database.query<{ from_status: OrderStatus; to_status: OrderStatus }>(
    statement("moves", "select from_status, to_status from order_moves"),
  );
  const stored = new Set(rows.map((row) => `${row.from_status} ${row.to_status}`));
  const allowedMoves = statuses.flatMap((from) =>
    statuses.filter((to) => canMove(from, to)).map((to) => `${from} ${to}`),
  );
  expect(stored).toEqual(new Set(allowedMoves));
});

test("the index of open orders has exactly the statuses that statements about open orders name", async () => {
  const [row] = await world.database.query<{ condition: string }>(
    statement(
      "open_orders_index",
      "select pg_get_expr(indpred, indrelid) as condition from pg_index where indexrelid = 'orders_open'::regclass",
    ),
  );
  const indexed = row?.condition.match(/'\w+'/g) ?? [];
  expect(new Set(indexed)).toEqual(new Set(OPEN_STATUSES_SQL.split(", ")));
});

test("the database refuses an illegal move", async () => {
  const move = (to: string) =>
    attempt(`update orders set status = '${to}', version = version + 1 where id = ${orderId}`);
  expect(await move("payment_pending")).toBe("accepted");
  expect(await move("completed")).toContain("cannot go from awaiting_payment to completed");
  expect(await move("refunded")).toContain("cannot go");
});

test("the terms of an order cannot be changed", async () => {
  const change = (set: string) =>
    attempt(`update orders set ${set}, version = version + 1 where id = ${orderId}`);
  for (const set of [
    "receive_units = receive_units + 1",
    "spend_units = 1",
    "wallet_address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'",
    "network_code = 'litecoin'",
    "memo = '1'",
  ]) {
    expect(await change(set)).toContain("cannot be changed");
  }
  expect(await attempt(`update orders set status_reason = null where id = ${orderId}`)).toContain(
    "one version at a time",
  );
});

const entry = (units: readonly number[], key: string = randomUUID()) => `
  insert into ledger_accounts (merchant_id, purpose, asset_id)
    select '${MERCHANT_ID}', purpose, (select min(id) from currencies)
    from unnest(array['a', 'b']) purpose on conflict do nothing;
  insert into ledger_entries (merchant_id, key, kind, asset_id, effective_at)
    values ('${MERCHANT_ID}', '${key}', 'test', (select min(id) from currencies), business_now());
  insert into ledger_postings (entry_id, line, account_id, asset_id, units)
    select (select id from ledger_entries where key = '${key}'), line,
      (select id from ledger_accounts where purpose = case line % 2 when 0 then 'a' else 'b' end),
      (select min(id) from currencies), units
    from unnest(array[${units.join(", ")}]::numeric[]) with ordinality as lines (units, line);`;

test("an entry that does not balance never commits", async () => {
  expect(await attempt(entry([5, -5]))).toBe("accepted");
  expect(await attempt(entry([5, -4]))).toContain("does not balance");
  expect(await attempt(entry([5]))).toContain("does not balance");
});

/** Records several entries of zero units on the order's balance. The guards check each of them. */
const takenFrom = (id: bigint, times: number): string => `
  insert into ledger_accounts (merchant_id, purpose, asset_id)
    select '${MERCHANT_ID}', purpose, (select min(id) from currencies)
    from unnest(array['card_clearing', 'customer_funds']) purpose on conflict do nothing;
  with recorded as (
    insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, effective_at)
      select '${MERCHANT_ID}', gen_random_uuid()::text, 'test', (select min(id) from currencies), ${id},
        business_now() from generate_series(1, ${times}) returning id, asset_id)
  insert into ledger_postings (entry_id, line, account_id, asset_id, units)
    select recorded.id, line, account.id, recorded.asset_id, units
    from recorded, (values (1, 'customer_funds', -1), (2, 'card_clearing', 2),
        (3, 'customer_funds', 1), (4, 'card_clearing', -2)) as lines (line, purpose, units)
      join ledger_accounts account using (purpose);`;

const LEDGER_READS = statement(
  "test_ledger_reads",
  `select sum(reads)::int as reads from (
     select seq_tup_read as reads from pg_stat_user_tables where relname like 'ledger%'
     union all
     select idx_tup_read from pg_stat_user_indexes where relname like 'ledger%') as read`,
);

test("the guards read only a few rows for an entry, whatever the size of the tables", async () => {
  const readsOf = async (id: bigint, times: number): Promise<number> => {
    const before = await world.database.query<{ reads: number }>(LEDGER_READS);
    await world.database.transaction((tx) =>
      tx.runScript(`${takenFrom(id, times)} select pg_stat_force_next_flush()`),
    );
    const after = await world.database.query<{ reads: number }>(LEDGER_READS);
    return (after[0]?.reads ?? 0) - (before[0]?.reads ?? 0);
  };
  // The guards' plans are made for small tables and for many entries at once, and are then reused.
  // An analysis by autovacuum would make them anew, for tables that are still small.
  for (const table of ["ledger_accounts", "ledger_entries", "ledger_postings"]) {
    await world.database.transaction((tx) =>
      tx.runScript(`alter table ${table} set (autovacuum_enabled = false)`),
    );
  }
  await readsOf(await place(), 200);
  expect(await readsOf(await place(), 1)).toBeLessThan(100);
});

test("two entries cannot have the same key", async () => {
  expect(await attempt(entry([1, -1], "twice"), entry([1, -1], "twice"))).toContain(
    "duplicate key",
  );
});

test("recorded entries and postings cannot be changed", async () => {
  await world.database.transaction((tx) => tx.runScript(entry([7, -7], "kept")));
  const ofKept = "entry_id = (select id from ledger_entries where key = 'kept')";
  for (const text of [
    `update ledger_postings set units = units + 1 where ${ofKept}`,
    `delete from ledger_postings where ${ofKept}`,
    "delete from ledger_entries where key = 'kept'",
    "update ledger_entries set kind = 'other' where key = 'kept'",
    "truncate ledger_postings",
  ]) {
    expect(await attempt(text)).toContain("insert-only");
  }
  const more = `insert into ledger_postings (entry_id, line, account_id, asset_id, units)
    select entry_id, 10 + line, account_id, asset_id, units from ledger_postings where ${ofKept}`;
  expect(await attempt(more)).toContain("takes no more postings");
});

const FOREIGN_KEYS = statement(
  "test_foreign_keys",
  `select conname as name, convalidated as "isValidated" from pg_constraint
   where contype = 'f' and conrelid in ('ledger_postings'::regclass, 'ledger_entries'::regclass)
   order by conname`,
);

test("the ledger's foreign keys hold for every row", async () => {
  const keys = await world.database.query(FOREIGN_KEYS);
  expect(keys).toEqual(
    [
      "ledger_entries_in_asset",
      "ledger_entries_of_known_order",
      "ledger_entries_reverses_fkey",
      "ledger_postings_of_entry",
      "ledger_postings_on_account",
    ].map((name) => ({ name, isValidated: true })),
  );
});

/** Inserts a posting for an entry of the same database transaction, with one reference changed. */
const posting = (changed: { readonly entry?: string; readonly account?: string }): string =>
  `${entry([3, -3], "whole")}
   insert into ledger_postings (entry_id, line, account_id, asset_id, units)
   select ${changed.entry ?? "entry_id"}, 3, ${changed.account ?? "account_id"}, asset_id, units
   from ledger_postings
   where entry_id = (select id from ledger_entries where key = 'whole') and line = 1`;

test("the database refuses a posting whose entry or account does not exist", async () => {
  expect(await attempt(posting({}))).toContain("does not balance");
  expect(await attempt(posting({ entry: "entry_id + 1000000" }))).toContain(
    "ledger_postings_of_entry",
  );
  expect(await attempt(posting({ account: "account_id + 1000000" }))).toContain(
    "ledger_postings_on_account",
  );
});

test("the database refuses a posting in another asset than its entry or account", async () => {
  const mixed = entry([3, -3], "mixed").replace(
    "(select min(id) from currencies), units",
    "(select max(id) from currencies), units",
  );
  expect(await attempt(mixed)).toContain("foreign key");
  const unknown = entry([3, -3], "unknown").replace("'a' else 'b'", "'a' else 'nobody'");
  expect(await attempt(unknown)).toMatch(/null value|foreign key/);
});

test("the database refuses an entry whose asset or order does not exist", async () => {
  const noAsset = `insert into ledger_entries (merchant_id, key, kind, asset_id, effective_at)
    values ('${MERCHANT_ID}', 'no asset', 'test', -1, business_now())`;
  expect(await attempt(noAsset)).toContain("ledger_entries_in_asset");
  const stray = entry([2, -2], "stray")
    .replace("kind, asset_id,", "kind, order_id, asset_id,")
    .replace("'test',", "'test', 1,");
  expect(await attempt(stray)).toContain("ledger_entries_of_known_order");
});

test("a row that other rows refer to cannot be deleted", async () => {
  for (const text of [
    `delete from orders where id = ${orderId}`,
    "truncate orders cascade",
    "delete from ledger_accounts",
    "truncate ledger_accounts cascade",
  ]) {
    expect(await attempt(text)).toContain("insert-only");
  }
});

test("the amount of a deposit is final with it, and that of a chain's deposit at once", async () => {
  const made = (rail: string, state: string): string =>
    `insert into deposits (id, order_id, merchant_id, rail, source, external_id, asset_id, units, state)
     select gen_random_uuid(), id, merchant_id, '${rail}', 'test', 'guarded', spend_asset_id, 5, '${state}'
     from orders where id = ${orderId}`;
  const change = (rail: string, state: string, set: string) =>
    attempt(made(rail, state), `update deposits set ${set} where external_id = 'guarded'`);
  expect(await change("bank", "seen", "units = 4, state = 'final'")).toBe("accepted");
  expect(await change("bank", "final", "units = 4")).toContain("cannot be changed");
  expect(await change("chain", "seen", "units = 4")).toContain("cannot be changed");
  expect(await change("bank", "seen", "external_id = 'other'")).toContain("cannot be changed");
  expect(await change("bank", "final", "state = 'seen'")).toContain("stays final");
});

const intent = `insert into payout_intents (id, order_id, merchant_id, asset_id, units, rail,
    state, transaction_hash, signed_bytes, released_at)
  select gen_random_uuid(), id, merchant_id, receive_asset_id, receive_units, 'bank',
    'signed', 'hash', '\\x01', business_now() from orders limit 1;`;

test("a payout intent never moves back, is signed once and keeps its terms", async () => {
  const change = (set: string) => attempt(intent, `update payout_intents set ${set}`);
  expect(await change("state = 'broadcast'")).toBe("accepted");
  expect(await change("state = 'created', signed_bytes = null, transaction_hash = null")).toContain(
    "cannot go back",
  );
  expect(await change("signed_bytes = '\\x02', transaction_hash = 'other'")).toContain(
    "signed once",
  );
  expect(await change("address = 'elsewhere'")).toContain("cannot be changed");
  expect(await change("units = units + 1")).toContain("cannot be changed");
});

test("an order has one live payout intent, and another only after the first was rejected", async () => {
  const second = intent.replace("'hash'", "'hash2'");
  expect(await attempt(intent, second)).toContain("duplicate key");
  const rejected = "update payout_intents set state = 'void', void_reason = 'rejected'";
  expect(await attempt(intent, rejected, second)).toBe("accepted");
});

test("only the rail's rejection voids a signed payout, and a void payout stays void", async () => {
  const change = (...sets: string[]) =>
    attempt(intent, ...sets.map((set) => `update payout_intents set ${set}`));
  const withdrawn = "state = 'void', void_reason = 'withdrawn'";
  expect(await change(withdrawn)).toContain("only when its rail rejected it");
  const rejected = "state = 'void', void_reason = 'rejected'";
  expect(await change(rejected)).toBe("accepted");
  expect(await change(rejected, "state = 'broadcast', void_reason = null")).toContain("stays so");
});

test("a refund of money that a payout holds does not commit", async () => {
  const post = (key: string, [from, to]: readonly string[], units: number) => `
    insert into ledger_accounts (merchant_id, purpose, asset_id)
      select merchant_id, purpose, spend_asset_id from orders, unnest(array['${from}', '${to}'])
        as purposes (purpose) where id = ${orderId} on conflict do nothing;
    with entry as (insert into ledger_entries (merchant_id, key, kind, asset_id, order_id,
        effective_at)
      select merchant_id, '${key}', 'test', spend_asset_id, id, business_now() from orders
        where id = ${orderId} returning *)
    insert into ledger_postings (entry_id, line, account_id, asset_id, units)
      select entry.id, lines.line, account.id, entry.asset_id, lines.units from entry,
        (values (1, '${from}', ${units}), (2, '${to}', ${-units})) as lines (line, purpose, units)
        join ledger_accounts account on account.purpose = lines.purpose
      where account.merchant_id = entry.merchant_id and account.asset_id = entry.asset_id;`;
  const paid = post("in", ["card_processor", "customer_funds"], 100);
  const exchanged = post("exchange", ["customer_funds", "liquidity"], 100);
  const refunded = post("refund", ["customer_funds", "refunds_in_flight"], 1);
  expect(await attempt(paid, exchanged)).toBe("accepted");
  expect(await attempt(paid, exchanged, refunded)).toContain("takes more from customer_funds");
  const owed = post("owe", ["customer_payable", "payouts_in_flight"], 1);
  expect(await attempt(paid, owed)).toContain("takes more from customer_payable");
});

test("the business clock follows the installation's row, but not a change that is rolled back", async () => {
  const jump = "update installation set clock_offset = clock_offset + interval '1 day'";
  const ahead = async () => {
    const [row] = await world.database.query<{ days: number }>(AHEAD);
    return row?.days;
  };
  expect(await attempt(`${jump}; do $$ begin raise exception 'undone'; end $$`)).toBe("undone");
  expect(await ahead()).toBe(0);
  await world.database.transaction((tx) => tx.runScript(jump));
  expect(await ahead()).toBe(1);
});
