import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rowsRead } from "../../testing/reading.ts";
import { makeWorld, type World } from "../../testing/webhooks/world.ts";
import { statement } from "../postgres/database.ts";
import { clearOldEvents } from "../retention.ts";
import { recordDelivered } from "./attempts.ts";
import { claimDeliveries } from "./claims.ts";
import { listDeliveryViews } from "./delivery-views.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
// It also checks that the pending deliveries are the deliveries that have not ended.
afterEach(() => world.close());

const TAKEN = { durationMs: 3, status: 204, responseExcerpt: null, plantedFault: null };
const UPDATES = statement(
  "test_updates",
  `select n_tup_upd::int as all, n_tup_hot_upd::int as "besideTheirIndexes"
   from pg_stat_xact_user_tables where relname = 'deliveries'`,
);
const ENDED = statement(
  "test_ended",
  `with event as (
     insert into events (merchant_id, order_id, event_type, payload)
     select $1, n, 'OrderCreated', '{}' from generate_series(1, 2000) n returning *
   )
   insert into deliveries (merchant_id, event_id, endpoint_id, order_id, sequence, attempts,
     attempted_at, duration_ms, status)
   select merchant_id, id, $2, order_id, sequence, 1, created_at, 5, 204 from event`,
);

test("recording the end of deliveries changes no index of theirs", async () => {
  for (let count = 0; count < 20; count++) await world.addEndpoint(`http://localhost:9/${count}`);
  for (let order = 1; order <= 4; order++) await world.addEvent(order);
  const options = { worker: randomUUID(), deliveriesMax: 100, leaseMs: 60_000 };
  const claimed = await claimDeliveries(world.database, options);
  expect(claimed).toHaveLength(80);
  const updates = await world.database.transaction(async (tx) => {
    const ended = claimed.map((delivery) => ({ delivery, result: TAKEN }));
    expect(await recordDelivered(tx, ended)).toEqual(new Set());
    return tx.query(UPDATES);
  });
  expect(updates).toEqual([{ all: 80, besideTheirIndexes: 80 }]);
  expect(await claimDeliveries(world.database, options)).toEqual([]);
});

test("a list of pending deliveries does not read the ended ones", async () => {
  const { endpoint } = await world.addEndpoint("http://localhost:9/shop");
  await world.database.query(ENDED, [world.merchantId, endpoint.id]);
  for (let order = 3_001; order <= 3_003; order++) await world.addEvent(order);
  const [listed, read] = await world.database.transaction(async (tx) => {
    const filter = { merchantId: world.merchantId, status: "pending" } as const;
    return [
      await listDeliveryViews(tx, filter, 20),
      await rowsRead(tx, "deliveries", "pending_deliveries"),
    ];
  });
  expect(listed.map(({ orderId }) => orderId)).toEqual([3_003n, 3_002n, 3_001n]);
  expect(read).toBeLessThan(100);
});

test("a delivery that was never sent is deleted with its event after 90 days", async () => {
  await world.addEndpoint("http://localhost:9/away");
  await world.addEvent(1);
  await world.advance(91 * 86_400);
  await world.addEvent(2);
  expect(await clearOldEvents(world.database, 1_000)).toBe(1);
  expect(await world.deliveries()).toMatchObject([{ orderId: 2, state: "pending" }]);
});
