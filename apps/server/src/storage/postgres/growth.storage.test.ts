import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BoundPayout, PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { readEvents } from "../../flows/webhooks/read-events.ts";
import { found } from "../../testing/catalogue.ts";
import { owePayout } from "../../testing/payouts.ts";
import { placingOf } from "../../testing/placing.ts";
import { readAfterGrowth } from "../../testing/reading.ts";
import { stopClock } from "../../testing/stopped-clock.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { listApiRequests } from "../merchants/api-requests.ts";
import { listNewestOrders, type OperatorOrderFilter } from "../orders/operator-orders.ts";
import { makePlaceNewOrder, type Placing } from "../orders/place.ts";
import { listReviews } from "../orders/reviews.ts";
import { findOrderView, listOrderViews, type OrderFilter } from "../orders/views.ts";
import { advancePayoutIntent, makeStoreSigned } from "../payouts/intents.ts";
import { bindPlaces } from "../payouts/sends.ts";
import { listMovesByTime } from "../treasury/move-list.ts";
import { placeEvents } from "../webhooks/event-feed.ts";
import { type Database, statement } from "./database.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
  // The rows that a script inserts are then a second apart, and no quote expires meanwhile.
  await stopClock(world.database);
});
afterEach(() => world.close());

const MANY = 4_000;
/** More blocks than any lookup by key reads here, and far fewer than the rows that a scan reads. */
const FEW = 400;

async function placing(): Promise<Placing> {
  const seat = await world.openSession();
  return placingOf(seat, await world.quote(seat.sessionId));
}

/** Inserts copies of a table's row under other keys. */
const copies = (table: string, keys: Readonly<Record<string, string>>): string => {
  const changed = Object.entries(keys).map(([column, value]) => `'${column}', ${value}`);
  return `insert into ${table} select (jsonb_populate_record(one.original,
      jsonb_build_object(${changed.join(", ")}))).*
    from (select original from ${table} original limit 1) one, generate_series(1, ${MANY}) n`;
};

test("placing an order finds its quote by key, whatever the number of unused quotes", async () => {
  const [first, second] = [await placing(), await placing()];
  for (let count = 0; count < 300; count++) await world.quote(first.order.sessionId);
  const read = await readAfterGrowth(world, {
    before: (database) => makePlaceNewOrder(database)(first),
    fill: () =>
      copies("quotes", {
        id: "'quo_' || md5(n::text)",
        consumed_by_order_id: "null",
        consumed_at: "null",
      }),
    work: async (database) => expect(await makePlaceNewOrder(database)(second)).toBeDefined(),
  });
  expect(read).toBeLessThan(FEW);
});

const MARK_RELEASED = statement(
  "test_mark_released",
  "update payout_intents set released_at = business_now() where id = $1",
);
/** Binds a payout, and returns it with its send. */
const bind = async (database: Database, payout: PayoutIntent): Promise<BoundPayout> => {
  const sendId = randomUUID();
  await database.transaction(async (tx) => {
    await tx.query(MARK_RELEASED, [payout.id]);
    await bindPlaces(tx, [{ intentId: payout.id, sendId }]);
  });
  return { ...payout, send: { id: sendId, place: 0n, isFirst: true, joinsForMs: 0 } };
};

test("a payout is found by key, whatever the number of unfinished payouts", async () => {
  let payout: PayoutIntent;
  const signed = { transactionHash: "0x1", bytes: Uint8Array.of(1) };
  const progress = { state: "confirmed", confirmations: 6, settledHash: null } as const;
  const read = await readAfterGrowth(world, {
    before: async (database) => {
      const none = { id: randomUUID(), orderId: 1n } as PayoutIntent;
      const bound = await bind(database, none);
      await advancePayoutIntent(database, none.id, progress);
      await makeStoreSigned(database)(bound, signed).catch(() => {});
    },
    fill: async () => {
      payout = await owePayout(world, 1n);
      return copies("payout_intents", {
        id: "gen_random_uuid()",
        order_id: "n",
        created_at: "business_now() + n * interval '1 second'",
      });
    },
    work: async (database) => {
      const bound = await bind(database, payout);
      expect(await makeStoreSigned(database)(bound, signed)).toMatchObject({ state: "signed" });
      await advancePayoutIntent(database, payout.id, progress);
    },
  });
  // Three tables of sends are written besides the payout's own, each with its indexes and references. The payouts that
  // share the send are looked up. With four times as many rows it reads as many blocks.
  expect(read).toBeLessThan(FEW + 200);
});

test("an order is found by key, whatever the number of the merchant's orders", async () => {
  let orderId = 1n;
  const show = (database: Database, merchantId = MERCHANT_ID) =>
    findOrderView(database, { merchantId, orderId });
  const read = await readAfterGrowth(world, {
    before: show,
    fill: async () => {
      orderId = found(await world.deps.placeNewOrder(await placing())).id;
      return copies("orders", {
        id: "1000000 + n",
        session_id: "n::text",
        quote_id: "n::text",
        created_at: "business_now() + n * interval '1 second'",
      });
    },
    work: async (database) => {
      expect((await show(database))?.order.id).toBe(orderId);
      expect(await show(database, "client_dev_NOBODY")).toBeUndefined();
    },
  });
  // A read of all keys of the merchant would take about forty blocks more.
  expect(read).toBeLessThan(160);
});

const SECONDS_MS = 1_000;
const ago = (seconds: number): Date => new Date(Date.now() - seconds * SECONDS_MS);

/** Four of the orders are in review, four expired ones have another reason than the rest, and four are sales. */
const rareOrders = (): string =>
  copies("orders", {
    id: "1000000 + n",
    session_id: "n::text",
    quote_id: "n::text",
    created_at: "business_now() - n * interval '1 second'",
    status: "case when n % 1000 = 0 then 'in_review' else 'expired' end",
    held_from: "case when n % 1000 = 0 then 'payment_pending' end",
    updated_at: "business_now() - n * interval '1 second'",
    operation: "case when n % 1000 = 250 then 'sell' else 'buy' end",
    status_reason:
      "case n % 1000 when 0 then 'overpaid' when 500 then 'rate_moved' else 'payment_timeout' end",
  });
const RARE: readonly (readonly [string, Omit<OperatorOrderFilter, "limit">])[] = [
  ["a status", { status: "in_review" }],
  ["a reason", { reason: "rate_moved" }],
  ["a status and a reason", { status: "expired", reason: "rate_moved" }],
  [
    "a merchant, a status and a reason",
    { merchantId: MERCHANT_ID, status: "expired", reason: "rate_moved" },
  ],
  ["a merchant and a status", { merchantId: MERCHANT_ID, status: "in_review" }],
  ["an operation", { operation: "sell" }],
  ["a merchant and an operation", { merchantId: MERCHANT_ID, operation: "sell" }],
];
/** Four orders of a time long before the newest ones. */
const OLD: readonly (readonly [string, Omit<OperatorOrderFilter, "limit">])[] = [
  ["a time", { from: ago(2_004), before: ago(2_000) }],
  ["a merchant and a time", { merchantId: MERCHANT_ID, from: ago(2_004), before: ago(2_000) }],
  ["no change since a time", { unchangedSince: ago(2_000), limit: 4 } as OperatorOrderFilter],
];
/** A merchant's own filters. */
const OWN: readonly (readonly [string, Omit<OrderFilter, "merchantId">])[] = [
  ["a status", { status: "in_review" }],
  ["an operation", { operation: "sell" }],
  ["a status and an operation", { status: "expired", operation: "sell" }],
];
const queue = { account: "nobody", after: undefined, limit: 50 } as const;

test.each([
  ...[...RARE, ...OLD].map(([name, filter]) => {
    const list = (database: Database) => listNewestOrders(database, { limit: 50, ...filter });
    return [`orders of ${name}`, list] as const;
  }),
  ...OWN.map(([name, filter]) => {
    const list = (database: Database) =>
      listOrderViews(database, { merchantId: MERCHANT_ID, ...filter }, 50);
    return [`a merchant's orders of ${name}`, list] as const;
  }),
  ...(["rate_moved", "overpaid", undefined] as const).map((reason) => {
    const list = (database: Database) => listReviews(database, { ...queue, which: "free", reason });
    return [`the review queue by ${reason ?? "no reason"}`, list] as const;
  }),
])("%s: the list reads its page, whatever the number of other orders", async (name, list) => {
  let found = 0;
  const read = await readAfterGrowth(world, {
    before: list,
    fill: async () => {
      await world.deps.placeNewOrder(await placing());
      return rareOrders();
    },
    work: async (database) => {
      found = (await list(database)).length;
    },
  });
  // The copies have no quotes, so the merchant's list returns none of the orders that it reads.
  const isEmpty = name.endsWith("by rate_moved") || name.startsWith("a merchant's");
  expect(found).toBe(isEmpty ? 0 : 4);
  expect(read).toBeLessThan(FEW);
});

test("an event is updated by its ctid, whatever the number of events without a position", async () => {
  const feed = (database: Database) =>
    readEvents({ database }, { merchantId: MERCHANT_ID, after: 0 }, 10);
  const read = await readAfterGrowth(world, {
    before: async (database) => {
      await feed(database);
      await database.transaction((tx) => placeEvents(tx, MERCHANT_ID, 1));
    },
    fill: () => `insert into events (merchant_id, order_id, event_type, payload)
      select '${MERCHANT_ID}', n, 'OrderCreated', '{}' from generate_series(1, ${MANY}) n`,
    work: async (database) => {
      expect((await feed(database)).items.at(-1)).toMatchObject({ position: 10 });
    },
  });
  expect(read).toBeLessThan(MANY * 10);
});

const LOGGED = `insert into api_requests (merchant_id, request_id, at, method, route, status, milliseconds)
  select '${MERCHANT_ID}', gen_random_uuid(), business_now(), 'GET', '/v1/orders', 400, 1
  from generate_series(1, ${MANY})`;
const MOVED = `insert into chain_wallets (id, network_code, role, address) values ('w', 'bitcoin', 'deposits', 'from');
  drop index chain_sends_one_sweep;
  insert into chain_sends (id, wallet_id, purpose, place, created_at)
    select md5(n::text)::uuid, 'w', 'sweep', n, 'epoch'::timestamptz + n * interval '1 second' from generate_series(1, ${MANY}) n;
  insert into chain_send_outputs (send_id, number, units, address, asset_id)
    select md5(n::text)::uuid, 1, 1, 'to', (select min(id) from currencies) from generate_series(1, ${MANY}) n`;
/** A page of two, three rows before the oldest one. */
const logged = (isFailed: boolean) => async (database: Database) =>
  (
    await listApiRequests(database, { merchantId: MERCHANT_ID, isFailed, olderThan: 4n, limit: 2 })
  ).map(({ id }) => Number(id));
const moved = async (database: Database) =>
  (await listMovesByTime(database, { before: 4_000_000n, limit: 2 })).map(
    ({ createdAt }) => createdAt.getTime() / SECONDS_MS,
  );

test.each([
  ["the calls of a merchant", LOGGED, logged(false)],
  ["the failed calls of a merchant", LOGGED, logged(true)],
  ["sweeps and top-ups", MOVED, moved],
])(
  "an old page of %s reads its own rows, whatever the number of newer ones",
  async (_, script, page) => {
    const read = await readAfterGrowth(world, {
      before: page,
      fill: () => script,
      work: async (database) => expect(await page(database)).toEqual([3, 2]),
    });
    expect(read).toBeLessThan(FEW);
  },
);
