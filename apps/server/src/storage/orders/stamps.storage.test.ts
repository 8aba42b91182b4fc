import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { type Database, openDatabase, statement } from "../postgres/database.ts";
import { readOrderStamps, STAMP } from "./stamps.ts";
import { VIEW_COLUMNS, VIEW_JOINS } from "./view-row.ts";

let world: OrderWorld;
/** A connection as another process of the service has it. */
let other: Database;
let orderId: bigint;

beforeAll(async () => {
  world = await makeOrderWorld();
  const [row] = await world.database.query<{ name: string }>(
    statement("database_name", "select current_database() as name"),
  );
  other = openDatabase({ ...inject("storageServer"), database: found(row).name, poolSize: 1 });
  const { order } = await world.order({ ...ORDERS.buyByBank, method: "card" });
  orderId = order.id;
});
afterAll(async () => {
  await other.close();
  await world.close();
});

const stamp = async () => (await readOrderStamps(other, [orderId])).get(orderId);

const ID = "00000000-0000-4000-8000-000000000001";

// The changes run in order: each builds on those before it.
test.each([
  ["the order", "update orders set refund_address = 'a', version = version + 1 where id = $1"],
  [
    "its timeline",
    `insert into order_events (order_id, sequence, merchant_id, status, actor, note)
     values ($1, 90, 'm', 'awaiting_payment', 'system', 'late')`,
  ],
  [
    "a card payment that begins",
    `insert into payment_attempts (id, order_id, merchant_id, number, card_token, brand, last_four,
       asset_id, units, status)
     select '${ID}', id, merchant_id, 1, 't', 'visa', '2701', spend_asset_id, spend_units,
       'processing' from orders where id = $1`,
  ],
  [
    "a card payment that goes on",
    "update payment_attempts set status = 'authorized' where order_id = $1",
  ],
  [
    "a payment instruction",
    `insert into payment_instructions (order_id, merchant_id, rail, asset_id, units, reference)
     select id, merchant_id, 'bank', spend_asset_id, spend_units, 'r-1' from orders where id = $1`,
  ],
  [
    "a deposit",
    `insert into deposits (id, order_id, merchant_id, rail, source, external_id, asset_id, units)
     select '${ID}', id, merchant_id, 'bank', 'sandbox', 'd-1', spend_asset_id, spend_units
     from orders where id = $1`,
  ],
  ["a deposit's confirmations", "update deposits set confirmations = 1 where order_id = $1"],
  ["a deposit that is final", "update deposits set state = 'final' where order_id = $1"],
  [
    "a payout",
    `insert into payout_intents (id, order_id, merchant_id, rail, asset_id, units)
     select '${ID}', id, merchant_id, 'bank', receive_asset_id, receive_units
     from orders where id = $1`,
  ],
  [
    "a second of its kind",
    `insert into payout_intents (id, order_id, merchant_id, rail, purpose, attempt_id, asset_id, units)
     select gen_random_uuid(), id, merchant_id, 'bank', 'refund', '${ID}', spend_asset_id, spend_units
     from orders where id = $1`,
  ],
  ["a payout's confirmations", "update payout_intents set confirmations = 1 where order_id = $1"],
  ["a payout's transaction", "update payout_intents set settled_hash = 'h' where order_id = $1"],
  [
    "a payout that is void",
    `update payout_intents set state = 'void', void_reason = 'withdrawn'
     where id = '${ID}' and order_id = $1`,
  ],
  ["the same value once more", "update deposits set confirmations = 1 where order_id = $1"],
  ["a row that is gone", "delete from deposits where order_id = $1"],
])("a change of %s is seen at once, by another process too", async (name, text) => {
  const before = await stamp();
  expect(await stamp()).toBe(before);
  await world.database.query(statement(name, text), [orderId]);
  expect(await stamp()).not.toBe(before);
});

test("a lock and a change that is rolled back do not change an order's stamp", async () => {
  const before = await stamp();
  const undo = new Error("undone");
  const changed = world.database.transaction(async (tx) => {
    await tx.runScript(`select * from orders where id = ${orderId} for update`);
    await tx.runScript(`update orders set version = version + 1 where id = ${orderId}`);
    expect(await stamp()).toBe(before);
    throw undo;
  });
  await expect(changed).rejects.toBe(undo);
  await world.database.transaction((tx) =>
    tx.runScript(`select * from payment_attempts where order_id = ${orderId} for update`),
  );
  expect(await stamp()).toBe(before);
});

test("every table that an order is read from is in its stamp, except immutable tables", () => {
  const tables = (sql: string) =>
    [...sql.matchAll(/(?:from|join) (?!lateral)(\w+)\b(?!\()/g)].map(([, table]) => table);
  const read = new Set(tables(VIEW_COLUMNS + VIEW_JOINS));
  for (const unchanging of ["quotes", "currencies"]) expect(read.delete(unchanging)).toBe(true);
  expect(new Set(tables(STAMP))).toEqual(read);
});

test("a restart of the database server changes the stamp", async () => {
  const text = "select extract(epoch from pg_postmaster_start_time())::text as start";
  const [row] = await other.query<{ start: string }>(statement("server_start", text));
  expect(await stamp()).toContain(`${found(row).start}{`);
});

test("each order has its own stamp, and an unknown order has none", async () => {
  const second = (await world.order(ORDERS.sell)).order.id;
  const stamps = await readOrderStamps(other, [second, orderId, 1n]);
  expect(new Set(stamps.keys())).toEqual(new Set([second, orderId]));
  expect(stamps.get(orderId)).toBe(await stamp());
  expect(stamps.get(second)).not.toBe(await stamp());
});
