import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { removeWebhookEndpoint } from "../flows/webhooks/remove-endpoint.ts";
import { type Statement, statement } from "../storage/postgres/database.ts";
import { clearOldQuotes, clearOldSessions } from "../storage/retention.ts";
import { placingOf } from "../testing/placing.ts";
import { recordEvent } from "../testing/webhooks/events.ts";
import { makeWorld as makeWebhookWorld, payloadOf } from "../testing/webhooks/world.ts";
import { MERCHANT_ID, makeWorld, type World } from "../testing/world.ts";
import { startClearing } from "./clearing.ts";

const RETENTION = {
  ordersRetentionDays: 1_826,
  sessionsRetentionDays: 90,
  walletsRetentionDays: 1_826,
  addressesRetentionDays: 365,
};
const ALL = 1_000;
/** More than one batch. */
const MANY = 2_500;

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

/** A stored quote that expired this many hours ago. */
async function quoteExpired(hoursAgo: number): Promise<{ id: string; sessionId: string }> {
  const { sessionId } = await world.openSession();
  const expiresAt = new Date(Date.now() - hoursAgo * 3_600_000);
  const createdAt = new Date(expiresAt.getTime() - 30_000);
  const { id } = await world.quote(sessionId, { createdAt, expiresAt });
  return { id, sessionId };
}

async function idsLeft(): Promise<string[]> {
  const rows = await world.database.query<{ id: string }>(
    statement("test_quotes_left", "select id from quotes order by id"),
  );
  return rows.map(({ id }) => id);
}

/** Uses the quote as an order that was placed while the quote was valid. */
const TAKE = statement(
  "test_take",
  "update quotes set consumed_by_order_id = $2, consumed_at = business_now() where id = $1",
);
const COPY = statement(
  "test_copy",
  `insert into quotes select (jsonb_populate_record(q, jsonb_build_object('id', 'quo_' || md5(n::text)))).*
   from quotes q, generate_series(1, ${MANY}) n where q.id = $1`,
);
const ANSWER = statement(
  "test_answer",
  `insert into idempotency_keys (merchant_id, key, route, fingerprint, locked_until, created_at)
   select $1, $2 || n, '/', '', clock_timestamp(), clock_timestamp() - $3 * interval '1 hour'
   from generate_series(1, $4::int) n`,
);
const KEYS_LEFT = statement("test_keys_left", "select key from idempotency_keys");
const EVENT = statement(
  "test_event",
  `insert into events (merchant_id, order_id, event_type, payload, created_at)
   select $1, n, 'OrderCreated', '{}', business_now() - $2 * interval '1 day'
   from generate_series(1, $3::int) n`,
);
const EVENTS_LEFT = statement("test_events_left", "select id from events");

test("a quote that nobody took is deleted a day after it expired; a taken or younger one stays", async () => {
  const old = await quoteExpired(25);
  const young = await quoteExpired(23);
  const taken = await quoteExpired(25);
  await world.database.query(TAKE, [taken.id, 1]);
  expect(await clearOldQuotes(world.database, ALL)).toBe(1);
  expect(await idsLeft()).toEqual([young.id, taken.id].toSorted());
  expect(await idsLeft()).not.toContain(old.id);
  expect(await clearOldQuotes(world.database, ALL)).toBe(0);
});

test("a batch is as large as was asked, the oldest first", async () => {
  const ids: string[] = [];
  for (const hours of [50, 40, 30]) ids.push((await quoteExpired(hours)).id);
  expect(await clearOldQuotes(world.database, 2)).toBe(2);
  expect(await idsLeft()).toEqual(ids.slice(2));
});

test("clearing waits for nobody: a quote that another holds is left for the next time", async () => {
  const held = await quoteExpired(30);
  await quoteExpired(29);
  await world.database.transaction(async (tx) => {
    await tx.query(TAKE, [held.id, 1]);
    expect(await clearOldQuotes(world.database, ALL)).toBe(1);
  });
  expect(await idsLeft()).toEqual([held.id]);
});

test("a quote can be taken while others are cleared away", async () => {
  const seat = await world.openSession();
  const quote = await world.quote(seat.sessionId);
  const old = await quoteExpired(30);
  await world.database.transaction(async (tx) => {
    await clearOldQuotes(tx, ALL);
    expect(await world.deps.placeNewOrder(placingOf(seat, quote))).toBeDefined();
  });
  expect(await idsLeft()).toEqual([quote.id]);
  expect(await idsLeft()).not.toContain(old.id);
});

const AGE = statement(
  "test_age",
  `update sessions set updated_at = business_now() - $2 * interval '1 day'
   where session_id = any($1)`,
);
const SESSIONS_LEFT = statement("test_sessions_left", "select session_id from sessions");

async function sessionAged(days: number): Promise<string> {
  const { sessionId } = await world.openSession();
  await world.database.query(AGE, [[sessionId], days]);
  return sessionId;
}

async function sessionsLeft(): Promise<string[]> {
  const rows = await world.database.query<{ session_id: string }>(SESSIONS_LEFT);
  return rows.map((row) => row.session_id).toSorted();
}

test("a session without an order is deleted 90 days after its last token; others stay", async () => {
  const old = await sessionAged(91);
  const young = await sessionAged(89);
  const seat = await world.openSession();
  await world.deps.placeNewOrder(placingOf(seat, await world.quote(seat.sessionId)));
  await world.database.query(AGE, [[seat.sessionId], 400]);
  expect(await clearOldSessions(world.database, ALL, 90)).toBe(1);
  expect(await sessionsLeft()).toEqual([young, seat.sessionId].toSorted());
  expect(await sessionsLeft()).not.toContain(old);
});

test("a session that is opened again at this moment is left alone", async () => {
  const held = await sessionAged(100);
  await sessionAged(100);
  await world.database.transaction(async (tx) => {
    await tx.query(AGE, [[held], 0]);
    expect(await clearOldSessions(world.database, ALL, 90)).toBe(1);
  });
  expect(await sessionsLeft()).toEqual([held]);
});

const MANY_SESSIONS = statement(
  "test_many_sessions",
  `insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope, updated_at)
   select $1, 'many-' || n, gen_random_uuid(), now(), '{}', business_now() - interval '91 days'
   from generate_series(1, 20000) n`,
);
/** Keeps the emptied end of the table from being truncated between two hours. */
const KEEP_SIZE = statement(
  "test_keep_size",
  "alter table sessions set (autovacuum_enabled = false)",
);
/** Runs the same statement as in another hour of the day. */
const atHour = (hour: number) => ({
  ...world.database,
  write: (sql: Statement, values?: readonly unknown[]) =>
    world.database.write(
      statement(`${sql.name}_${hour}`, sql.text.replace("extract(hour from now())", `${hour}`)),
      values,
    ),
});

test("each hour looks through its part of the sessions, and within a day all are looked at", async () => {
  await world.database.query(KEEP_SIZE);
  await world.database.query(MANY_SESSIONS, [MERCHANT_ID]);
  const cleared: number[] = [];
  for (let hour = 23; hour >= 0; hour--)
    cleared.push(await clearOldSessions(atHour(hour), 100_000, 90));
  expect(Math.max(...cleared)).toBeLessThan(3_000);
  expect(await sessionsLeft()).toEqual([]);
});

test("at the start all that is old goes, batch by batch: quotes, answers to requests, events", async () => {
  const { id } = await quoteExpired(30);
  await world.database.query(COPY, [id]);
  await world.database.query(ANSWER, [MERCHANT_ID, "old", 25, MANY]);
  await world.database.query(ANSWER, [MERCHANT_ID, "young", 23, 1]);
  await world.database.query(EVENT, [MERCHANT_ID, 91, MANY]);
  await world.database.query(EVENT, [MERCHANT_ID, 89, 1]);
  const stop = startClearing(world.deps, RETENTION);
  const keys = () => world.database.query<{ key: string }>(KEYS_LEFT);
  const events = () => world.database.query(EVENTS_LEFT);
  const left = async () => [await idsLeft(), await keys(), await events()].flat().length;
  await expect.poll(left).toBe(2);
  await stop();
  expect(await keys()).toEqual([{ key: "young1" }]);
  expect(await events()).toHaveLength(1);
});

test("a webhook that an order adds while its endpoint is removed is dropped; those of others wait", async () => {
  const shop = await makeWebhookWorld();
  onTestFinished(() => shop.close());
  const { merchantId } = shop;
  const { endpoint } = await shop.addEndpoint("http://localhost:9000/removed");
  await shop.addEndpoint("http://localhost:9000/kept");
  const payload = payloadOf(1, "OrderCreated");
  await shop.database.transaction(async (tx) => {
    await recordEvent(tx, { merchantId, orderId: 1n, eventType: "OrderCreated", payload });
    await removeWebhookEndpoint(shop.deps, { merchantId, endpointId: endpoint.id });
  });
  const states = async () => (await shop.deliveries()).map(({ state }) => state).toSorted();
  expect(await states()).toEqual(["pending", "pending"]);
  const stop = startClearing(shop.deps, RETENTION);
  await expect.poll(states).toEqual(["dropped", "pending"]);
  await stop();
});
