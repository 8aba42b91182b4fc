import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { statement } from "../postgres/database.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

/** Copies the row of a table with other values in some columns, without any code of the service. */
const again = (table: string, row: { readonly id: unknown; readonly changes: object }) =>
  world.database.query(
    statement(
      `again_${table}`,
      `insert into ${table} select (jsonb_populate_record(original, $2)).* from ${table} original
       where original.id::text = $1`,
    ),
    [String(row.id), JSON.stringify(row.changes)],
  );

test("the database accepts only one order for each session", async () => {
  const { order } = await world.order(ORDERS.buyByBank);
  const other = await world.quote(order.sessionId);
  const changes = { id: String(order.id + 1n), quote_id: other.id };
  await expect(again("orders", { id: order.id, changes })).rejects.toMatchObject({
    constraint: "orders_merchant_id_session_id_key",
  });
});

test("the database accepts only one order for each quote", async () => {
  const { order } = await world.order(ORDERS.buyByBank);
  const { sessionId } = await world.openSession();
  const changes = { id: String(order.id + 1n), session_id: sessionId };
  await expect(again("orders", { id: order.id, changes })).rejects.toMatchObject({
    constraint: "orders_quote_id_key",
  });
});

test("the database accepts only one payout for each order, and each deposit once", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed);
  const done = await world.untilStatus(placed, "completed");
  const payout = { id: found(done.payout).id, changes: { id: randomUUID() } };
  await expect(again("payout_intents", payout)).rejects.toMatchObject({ code: "23505" });
  const deposit = { id: found(done.deposits[0]).id, changes: { id: randomUUID() } };
  await expect(again("deposits", deposit)).rejects.toMatchObject({
    constraint: "deposits_rail_source_external_id_key",
  });
});
