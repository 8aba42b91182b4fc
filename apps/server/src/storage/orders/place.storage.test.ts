import { afterAll, beforeAll, expect, test } from "vitest";
import type { NewOrder } from "../../domain/orders/order.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { found } from "../../testing/catalogue.ts";
import { placingOf } from "../../testing/placing.ts";
import { stopClock } from "../../testing/stopped-clock.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { readQuote } from "../quotes/quotes.ts";
import { findSession } from "../sessions/sessions.ts";

let world: World;
let now: Date;
beforeAll(async () => {
  world = await makeWorld();
  now = await stopClock(world.database);
});
afterAll(() => world.close());

type Seat = Awaited<ReturnType<World["openSession"]>>;

const place = (seat: Seat, quote: Quote, changes: Partial<NewOrder> = {}) =>
  world.deps.placeNewOrder(placingOf(seat, quote, changes));

async function seated(overrides: Partial<Quote> = {}) {
  const seat = await world.openSession();
  return { seat, quote: await world.quote(seat.sessionId, overrides) };
}

const keyOf = (seat: Seat, quote: Quote) => ({
  quoteId: quote.id,
  merchantId: MERCHANT_ID,
  sessionId: seat.sessionId,
});

const WRITTEN = statement(
  "test_written_with_order",
  `select (select count(*)::int from order_events where order_id = $1) as items,
     (select count(*)::int from events where order_id = $1) as events,
     (select count(*)::int from jobs where order_id = $1 and kind = 'expire_order'
       and run_at = (select payment_expires_at from orders where id = $1)) as expiries,
     (select personal from orders where id = $1) as sealed`,
);

test("a new order is written with its rows, and its session refers to it", async () => {
  const { seat, quote } = await seated();
  const order = found(await place(seat, quote));
  expect(order).toMatchObject({ status: "awaiting_payment", version: 1 });
  expect(order.paymentExpiresAt.getTime() - order.createdAt.getTime()).toBeCloseTo(60_000, -2);
  expect(await world.database.query(WRITTEN, [order.id])).toEqual([
    { items: 1, events: 1, expiries: 1, sealed: Buffer.of(0, 255, 10) },
  ]);
  const session = await findSession(world.database, { merchantId: MERCHANT_ID, ...seat });
  expect(session).toMatchObject({ status: "expired", orderId: order.id });
});

test("of many simultaneous orders one uses the quote, and the quote refers to it", async () => {
  const { seat, quote } = await seated();
  const results = await Promise.all(Array.from({ length: 20 }, () => place(seat, quote)));
  const winners = results.filter((order) => order !== undefined);
  expect(winners).toHaveLength(1);
  const left = found(await readQuote(world.database, keyOf(seat, quote)));
  expect(left.consumedByOrderId).toBe(winners[0]?.id);
});

test("of many quotes in one session one becomes its order, and the others stay unused", async () => {
  const { seat, quote } = await seated();
  const quotes = [quote, ...(await Promise.all([1, 2, 3].map(() => world.quote(seat.sessionId))))];
  const results = await Promise.all(quotes.map((one) => place(seat, one)));
  expect(results.filter((order) => order !== undefined)).toHaveLength(1);
  const left = await Promise.all(quotes.map((one) => readQuote(world.database, keyOf(seat, one))));
  expect(left.filter((one) => one?.consumedByOrderId != null)).toHaveLength(1);
});

test("of simultaneous orders in many sessions only the one that is not allowed is refused", async () => {
  const seats = await Promise.all(Array.from({ length: 12 }, () => seated()));
  const [stale, ...others] = seats;
  await world.openSession(found(stale).seat.sessionId);
  const results = await Promise.all(seats.map(({ seat, quote }) => place(seat, quote)));
  expect(results[0]).toBeUndefined();
  expect(results.slice(1).every((order) => order !== undefined)).toBe(true);
  expect(others).toHaveLength(11);
});

test("another session or another merchant cannot use a quote", async () => {
  const { seat, quote } = await seated();
  const stranger = await world.openSession();
  expect(await place(stranger, quote)).toBeUndefined();
  expect(await place(seat, quote, { merchantId: "client_dev_OTHER" })).toBeUndefined();
  expect((await readQuote(world.database, keyOf(seat, quote)))?.consumedByOrderId).toBeNull();
  expect(await place(seat, quote)).toBeDefined();
});

test("a quote that expired is refused, and its session stays open", async () => {
  const past = now.getTime() - 60_000;
  const times = { createdAt: new Date(past), expiresAt: new Date(past + 30_000) };
  const { seat, quote } = await seated(times);
  expect(await place(seat, quote)).toBeUndefined();
  const session = await findSession(world.database, { merchantId: MERCHANT_ID, ...seat });
  expect(session?.status).toBe("active");
});
