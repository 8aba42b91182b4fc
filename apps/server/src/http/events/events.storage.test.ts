import { ENDPOINTS, type EventItem } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statement, type Tx } from "../../storage/postgres/database.ts";
import { openBrowser, placeOrder } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
  type Shop,
} from "../../testing/http-world.ts";
import { recordEvent } from "../../testing/webhooks/events.ts";

interface ListReply {
  readonly data: readonly EventItem[];
  readonly nextCursor: string | null;
}

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const list = <Body = ListReply>(shop: Shop, query = "") =>
  world.call<Body>({ url: `/v1/events?${query}`, headers: shop.headers });

/** An amount whose usual notation a parser would change. */
const payloadOf = (orderId: number): string =>
  `{"eventType":"OrderCreated","sessionId":"s","details":{"orderId":${orderId},"status":"completed","paymentMethod":"Card","fulfilled":false,"totalPrice":0.00000012,"totalPriceCurrency":"BTC","exchangeDetails":{"baseCurrency":"BTC","amountReceived":1,"targetCurrency":"EUR","amountToSend":1.50,"operationType":"B"}}}`;

const record = (tx: Tx, shop: Shop, orderId: number): Promise<void> =>
  recordEvent(tx, {
    merchantId: shop.clientId,
    orderId: BigInt(orderId),
    eventType: "OrderCreated",
    payload: payloadOf(orderId),
  });

const recordAlone = (shop: Shop, orderId: number) =>
  world.database.transaction((tx) => record(tx, shop, orderId));

/** A database transaction that records an event and stays open until the test ends it. */
async function openRecording(shop: Shop, orderId: number) {
  let commit = (): void => {};
  const commitSignal = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let done: Promise<void> = Promise.resolve();
  await new Promise<void>((recorded) => {
    done = world.database.transaction(async (tx) => {
      await record(tx, shop, orderId);
      recorded();
      await commitSignal;
    });
  });
  return {
    commit: () => {
      commit();
      return done;
    },
  };
}

const orderIds = ({ body }: { body: ListReply }): number[] =>
  body.data.map(({ payload }) => payload.details.orderId);

test("an order's events are listed with the bodies that webhooks have, to the byte", async () => {
  const { orderId } = await placeOrder(world, await openBrowser(world));
  const { headers } = world.shop;
  await world.call({ method: "POST", url: `/v1/orders/${orderId}/cancel`, headers });
  const reply = await list(world.shop);
  expect(reply.status).toBe(200);
  expect(faultsOf(ENDPOINTS.listEvents, reply.body)).toEqual([]);
  expect(reply.body.data).toMatchObject([
    { sequence: 1, eventType: "OrderCreated", payload: { details: { orderId } } },
    { sequence: 2, eventType: "OrderUpdated", payload: { details: { status: "cancelled" } } },
  ]);
  const bodies = await world.database.query<{ payload: string }>(
    statement("test_bodies", "select payload from events where merchant_id = $1 order by sequence"),
    [world.shop.clientId],
  );
  for (const { payload } of bodies) expect(reply.text).toContain(`"payload":${payload}`);
  const shop = await world.addShop();
  await recordAlone(shop, 1);
  expect((await list(shop)).text).toContain(`"payload":${payloadOf(1)}`);
});

test("an event that commits late is not skipped, and moves none that was read", async () => {
  const shop = await world.addShop();
  const late = await openRecording(shop, 1);
  const later = await openRecording(shop, 2);
  await recordAlone(shop, 3);
  const first = await list(shop);
  expect(orderIds(first)).toEqual([3]);
  await later.commit();
  const second = await list(shop, `after=${first.body.data.at(-1)?.sequence}`);
  expect(orderIds(second)).toEqual([2]);
  await late.commit();
  const third = await list(shop, `after=${second.body.data.at(-1)?.sequence}`);
  expect(orderIds(third)).toEqual([1]);
  const all = await list(shop);
  expect(orderIds(all)).toEqual([3, 2, 1]);
  expect(all.body.data.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

test("events that commit together are listed in the order in which they were written", async () => {
  const shop = await world.addShop();
  await world.database.transaction(async (tx) => {
    for (const orderId of [5, 4, 6]) await record(tx, shop, orderId);
  });
  expect(orderIds(await list(shop))).toEqual([5, 4, 6]);
});

test("readers at once, while events come in, each see the same order without gap or repetition", async () => {
  const shop = await world.addShop();
  const total = 150;
  const readAll = async (): Promise<number[]> => {
    const seen: EventItem[] = [];
    while (seen.length < total) {
      const { body } = await list(shop, `limit=7&after=${seen.at(-1)?.sequence ?? 0}`);
      seen.push(...body.data);
    }
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1));
    return seen.map(({ payload }) => payload.details.orderId);
  };
  const writing = Array.from({ length: 5 }, async (_, writer) => {
    for (let at = 0; at < total / 5; at += 1) await recordAlone(shop, 1 + writer + at * 5);
  });
  const [one, ...others] = await Promise.all([readAll(), readAll(), readAll(), readAll()]);
  await Promise.all(writing);
  for (const other of others) expect(other).toEqual(one);
  expect(new Set(one).size).toBe(total);
});

test("pages follow nextCursor to the end", async () => {
  const shop = await world.addShop();
  for (const orderId of [1, 2, 3]) await recordAlone(shop, orderId);
  const first = await list(shop, "limit=2");
  expect(orderIds(first)).toEqual([1, 2]);
  const second = await list(shop, `limit=2&after=${first.body.nextCursor}`);
  expect(orderIds(second)).toEqual([3]);
  expect(second.body.nextCursor).toBeNull();
  expect((await list(shop, "after=3")).body.data).toEqual([]);
});

test("a sequence that no event has reached is refused, since an empty page would hide the events up to it", async () => {
  const shop = await world.addShop();
  expect((await list(shop, "after=0")).body).toMatchObject({ data: [], nextCursor: null });
  await recordAlone(shop, 1);
  expect(orderIds(await list(shop))).toEqual([1]);
  for (const query of ["after=2", "after=9007199254740991&eventType=OrderCreated"]) {
    const { status, body } = await list<ErrorReply>(shop, query);
    expect([status, body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(body.message).toContain("your newest event has the sequence 1. Send a sequence");
    expect(body.details).toEqual([{ path: "query.after", issue: "must be at most 1" }]);
  }
});

test("another merchant's are never seen", async () => {
  const [mine, theirs] = [await world.addShop(), await world.addShop()];
  await recordAlone(mine, 1);
  expect((await list(theirs)).body.data).toEqual([]);
});

test("an event that has its place keeps it", async () => {
  const shop = await world.addShop();
  await recordAlone(shop, 1);
  await list(shop);
  const move = statement(
    "test_move_event",
    "update events set position = position + 1 where merchant_id = $1",
  );
  await expect(world.database.query(move, [shop.clientId])).rejects.toThrow("insert-only");
});

test("after=now skips the past, also what nobody has read, and new events follow it", async () => {
  const shop = await world.addShop();
  for (const orderId of [1, 2, 3]) await recordAlone(shop, orderId);
  const end = await list(shop, "after=now");
  expect(faultsOf(ENDPOINTS.listEvents, end.body)).toEqual([]);
  expect(end.body).toMatchObject({ data: [], nextCursor: "3" });
  await recordAlone(shop, 4);
  expect(orderIds(await list(shop, `after=${end.body.nextCursor}`))).toEqual([4]);
  expect((await list(await world.addShop(), "after=now")).body.nextCursor).toBe("0");
});

test("events can be filtered by their type", async () => {
  const { orderId } = await placeOrder(world, await openBrowser(world));
  const { headers } = world.shop;
  await world.call({ method: "POST", url: `/v1/orders/${orderId}/cancel`, headers });
  const typesOf = async (query: string) =>
    (await list(world.shop, query)).body.data.map(({ eventType }) => eventType);
  expect(new Set(await typesOf("eventType=OrderUpdated"))).toEqual(new Set(["OrderUpdated"]));
  expect(new Set(await typesOf("eventType=OrderCreated"))).toEqual(new Set(["OrderCreated"]));
  expect(await typesOf("eventType=OrderRefunded")).toEqual([]);
});

test("a filter searches a bounded part of the feed, and its cursor leads on", async () => {
  const shop = await world.addShop();
  await world.database.query(
    statement(
      "test_many_events",
      `insert into events (merchant_id, order_id, event_type, payload)
       select $1, n, case when n = 10001 then 'OrderRefunded' else 'OrderUpdated' end, $2
       from generate_series(1, 10001) n`,
    ),
    [shop.clientId, payloadOf(1)],
  );
  const end = await list(shop, "after=now");
  expect(end.body.nextCursor).toBe("10001");
  const first = await list(shop, "eventType=OrderRefunded");
  expect(first.body).toMatchObject({ data: [], nextCursor: "10000" });
  const second = await list(shop, `eventType=OrderRefunded&after=${first.body.nextCursor}`);
  expect(second.body).toMatchObject({ data: [{ sequence: 10_001 }], nextCursor: null });
});

test.each([
  "after=-1",
  "after=first",
  "after=1e3",
  "after=NOW",
  "after=now&limit=101",
  "limit=101",
  "eventType=OrderPaid",
])("%s is refused", async (query) => {
  const reply = await list<ErrorReply>(world.shop, query);
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
});
