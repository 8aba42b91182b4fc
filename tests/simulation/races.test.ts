import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { credit, debit, makeEntry } from "../../apps/server/src/domain/ledger/entry.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { checkLedger } from "../../apps/server/src/storage/ledger/checks.ts";
import { insertMerchant } from "../../apps/server/src/storage/merchants/merchants.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { recordEntry } from "../../apps/server/src/testing/ledger.ts";
import { placingOf } from "../../apps/server/src/testing/placing.ts";
import { makeWorld, type World } from "../../apps/server/src/testing/world.ts";
import { booksOf } from "./books.ts";
import { SEED, seededNumbers } from "./campaign.ts";
import { losersOf, race, rounds, winnersOf } from "./race.ts";
import { impatientDatabase, payByCard, placed, placeIn, until, withWorkers } from "./stage.ts";

const BAIT_SETTINGS = {
  allowedOrigins: [],
  countryCode: "DE",
  defaults: { baseCurrency: "eur", targetCurrency: "btc" },
};

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

test("of tabs that place an order in one session, one succeeds", async () => {
  await rounds("tabs of one session", async (round) => {
    const seat = await world.openSession();
    const quotes = await Promise.all(Array.from({ length: 8 }, () => world.quote(seat.sessionId)));
    const results = await race(
      round,
      quotes.map(
        ({ id }) =>
          () =>
            placeIn(world, seat, id),
      ),
    );
    expect(winnersOf(results)).toHaveLength(1);
    for (const reason of losersOf(results)) {
      expect(reason).toMatchObject({ code: "SESSION_EXPIRED" });
    }
    const books = booksOf(world.database);
    expect(await books.ordersOfSession(seat.sessionId)).toBe(1);
    expect(await books.usedQuotesOfSession(seat.sessionId)).toBe(1);
  });
});

test("one quote is consumed by one of many", async () => {
  await rounds("one quote", async (round) => {
    const seat = await world.openSession();
    const quote = await world.quote(seat.sessionId);
    const placing = (): Promise<unknown> => world.deps.placeNewOrder(placingOf(seat, quote));
    const results = await race(
      round,
      Array.from({ length: 12 }, () => placing),
    );
    expect(losersOf(results)).toEqual([]);
    expect(winnersOf(results).filter((taken) => taken !== undefined)).toHaveLength(1);
  });
});

test("entries over the same accounts in opposite order are all recorded, deadlock or not", async () => {
  // A world of its own: the ledger's check would ask for the reason of these entries.
  const world = await makeWorld();
  const orders = await Promise.all(Array.from({ length: 6 }, () => placed(world)));
  const database = await impatientDatabase(world);
  const catalogue = world.deps.catalogue();
  const assets = ["eur", "btc"].map((code) => found(catalogue.currencyByCodeOrReference(code)));
  await rounds("opposing transfers", async (round) => {
    const merchantId = `client_dev_${randomUUID().replaceAll("-", "").slice(0, 16).toUpperCase()}`;
    await insertMerchant(world.database, { id: merchantId, name: "Bait", settings: BAIT_SETTINGS });
    const moving = (orderId: bigint, inOrder: typeof assets) => () =>
      database.transaction(async (tx) => {
        for (const asset of inOrder) {
          const postings = [debit("liquidity", 1_000n), credit("fee_revenue", 1_000n)];
          const key = `bait:${merchantId}:${orderId}:${asset.code}`;
          const entry = makeEntry({ key, kind: "exchange", asset, link: null, postings });
          await recordEntry(tx, entry, { merchantId, orderId });
        }
      });
    const results = await race(
      round,
      orders.map(({ order }, at) => moving(order.id, at % 2 === 0 ? assets : assets.toReversed())),
    );
    expect(losersOf(results)).toEqual([]);
    expect(await booksOf(world.database).ledgerEntries(merchantId)).toBe(12);
  });
  await Promise.all([database.close(), world.close()]);
});

test("workers whose leases are taken away while they work capture once and send once", async () => {
  const orders: OrderView[] = [];
  await withWorkers(world, 3, async () => {
    await rounds("two workers on one intent", async () => {
      const view = await placed(world);
      await payByCard(world, view);
      orders.push(view);
    });
    await takeLeasesAway(SEED);
    for (const { order } of orders) {
      const done = await until(world, order.id, (view) => view.order.status === "completed");
      const once = { captures: 1, transfers: 1 };
      expect(await booksOf(world.database).ofOrder(done)).toMatchObject(once);
    }
  });
  expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
});

// The workers go on, so this passes over a row that one of them is writing: waiting for it can be a deadlock.
const TAKE_JOB_LEASES = statement(
  "races_take_job_leases",
  `update jobs set lease_token = null, leased_until = null where id in
     (select id from jobs where lease_token is not null for update skip locked)`,
);

/** A stopped process, a long pause or a wrong clock: another worker takes over its job. */
async function takeLeasesAway(seed: number): Promise<void> {
  const random = seededNumbers(seed);
  for (let times = 0; times < 60; times++) {
    await sleep(5 + random() * 60);
    await world.database.query(TAKE_JOB_LEASES);
  }
}
