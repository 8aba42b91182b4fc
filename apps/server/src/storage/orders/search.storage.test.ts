import { afterEach, beforeEach, expect, test } from "vitest";
import { placingOf } from "../../testing/placing.ts";
import { readAfterGrowth } from "../../testing/reading.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import type { Database } from "../postgres/database.ts";
import { searchCustomers, searchSharedAddress } from "./search.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

const MANY = 4_000;
const FIRST_ID = 1_000_000;
const NEWEST_IDS = Array.from({ length: 50 }, (_, index) => BigInt(FIRST_ID + MANY - index));
/** More than fifty rows and their blocks, and far fewer than all orders of the address. */
const FEW = 400;

const SHARED = "rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe";
/**
 * Each order has a memo of its own at one address. The newest ones belong to another merchant, and the ten oldest to
 * a third.
 */
const FILL_SHARED = `insert into merchants (id, name) values ('other', 'other'), ('few', 'few');
  insert into payment_instructions
    (order_id, merchant_id, rail, asset_id, units, network_code, address, memo, reference, created_at)
  select ${FIRST_ID} + n, case when n > 3000 then 'other' when n <= 10 then 'few' else '${MERCHANT_ID}' end, 'chain', 1, 1, 'xrp', '${SHARED}',
    n::text, 'reference ' || n, business_now() + n * interval '1 second'
  from generate_series(1, ${MANY}) n`;

test("an address that all orders of a network share leads to the newest 50, of one merchant where it is named", async () => {
  const find = (database: Database, merchantId: string | null = null) =>
    searchSharedAddress(database, { spellings: [SHARED, SHARED.toLowerCase()], merchantId });
  const read = await readAfterGrowth(world, {
    before: find,
    fill: () => FILL_SHARED,
    work: async (database) => {
      expect((await find(database)).map(({ orderId }) => orderId)).toEqual(NEWEST_IDS);
      expect(await find(database, "few")).toHaveLength(10);
    },
  });
  expect(read).toBeLessThan(FEW);
  const ours = await find(world.database, MERCHANT_ID);
  expect(ours).toHaveLength(50);
  expect(ours[0]).toEqual({ orderId: 1_003_000n, foundBy: "deposit address" });
});

/** Each order is in a session of its own, and one customer has opened them all. */
const FILL_CUSTOMER = `insert into data_keys (merchant_id, kind, row_key, sealed, reference_digest)
    select '${MERCHANT_ID}', 'session', 's' || n, '', decode(repeat('ab', 16), 'hex')
    from generate_series(1, ${MANY}) n;
  insert into orders select (jsonb_populate_record(one.original, jsonb_build_object(
      'id', ${FIRST_ID} + n, 'session_id', 's' || n, 'quote_id', n::text,
      'created_at', business_now() + n * interval '1 second'))).*
    from (select original from orders original limit 1) one, generate_series(1, ${MANY}) n`;

test("a customer with many orders is found by the newest 50", async () => {
  const digests = [{ merchantId: MERCHANT_ID, digest: new Uint8Array(16).fill(0xab) }];
  await readAfterGrowth(world, {
    before: (database) => searchCustomers(database, digests),
    fill: async () => {
      const seat = await world.openSession();
      await world.deps.placeNewOrder(placingOf(seat, await world.quote(seat.sessionId)));
      return FILL_CUSTOMER;
    },
    work: async (database) => {
      const found = await searchCustomers(database, digests);
      expect(found.map(({ orderId }) => orderId)).toEqual(NEWEST_IDS);
    },
  });
});
