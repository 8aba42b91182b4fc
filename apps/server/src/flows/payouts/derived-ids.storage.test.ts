import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { addWebhookEndpoint } from "../webhooks/add-endpoint.ts";

let world: OrderWorld;
let forgotten = 0;
beforeAll(async () => {
  world = await makeOrderWorld();
  await addWebhookEndpoint(world.deps, {
    merchantId: MERCHANT_ID,
    url: "http://127.0.0.1:9/hook",
    eventTypes: ["OrderCreated", "OrderFulfillment"],
  });
});
afterAll(() => world.close());

const FACTS = statement(
  "test_derived_facts",
  `select 'intent' as kind, id::text from payout_intents where order_id = $1
   union all select 'deposit', id::text from deposits where order_id = $1
   union all select 'event', id::text from events where order_id = $1
   union all select 'delivery', id::text from deliveries where order_id = $1 order by 1, 2`,
);
const factsOf = ({ order }: OrderView) =>
  world.database.query<{ kind: string; id: string }>(FACTS, [order.id]);

const FORGOTTEN = ["pending_deliveries", "deliveries", "payout_intents", "deposits", "jobs"];

/** Puts an order back to where it was when it was placed, as a restore does. The rails are not put back. */
async function restore({ order, instruction }: OrderView): Promise<void> {
  const { id } = order;
  forgotten += 1;
  await world.database.transaction(async (tx) => {
    await tx.runScript(`set local session_replication_role = replica;
      delete from ledger_postings where entry_id in (select id from ledger_entries where order_id = ${id});
      delete from ledger_entries where order_id = ${id};
      ${FORGOTTEN.map((table) => `delete from ${table} where order_id = ${id};`).join("\n")}
      delete from events where order_id = ${id} and event_type <> 'OrderCreated';
      delete from order_events where order_id = ${id} and status <> 'awaiting_payment';
      update orders set status = 'awaiting_payment', received_units = null, completed_at = null,
        version = 1 where id = ${id};
      insert into jobs (kind, key, order_id, merchant_id)
        values ('watch_payment', 'watch_payment:${id}:${forgotten}', ${id}, '${MERCHANT_ID}');`);
  });
  expect(found(instruction)).toBeDefined();
  await world.hurry({ order } as OrderView);
}

test("a restored order pays under the ids that it had before, and tells events under theirs", async () => {
  for (const wanted of [ORDERS.transfer, ORDERS.sell]) {
    const placed = await world.order(wanted);
    await world.pay(placed);
    await world.untilStatus(placed, "completed");
    const before = await factsOf(placed);
    expect(new Set(before.map(({ kind }) => kind))).toEqual(
      new Set(["deposit", "event", "delivery", "intent"]),
    );
    await restore(placed);
    await world.untilStatus(placed, "completed");
    const after = await factsOf(placed);
    // The delivery of OrderCreated was deleted above, and its event is not written again.
    const created = before.length - after.length;
    expect(created).toBe(1);
    expect(before).toEqual(expect.arrayContaining(after));
  }
});

const SENT = statement(
  "test_bank_payouts",
  "select count(*)::int as count from sandbox.bank_payouts where method = 'sepa'",
);

test("the bank recognizes the payout of a restored order and pays once", async () => {
  const placed = await world.order(ORDERS.transfer);
  const [before] = await world.database.query<{ count: number }>(SENT);
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  await restore(placed);
  await world.untilStatus(placed, "completed");
  const [after] = await world.database.query<{ count: number }>(SENT);
  expect(found(after).count - found(before).count).toBe(1);
});
