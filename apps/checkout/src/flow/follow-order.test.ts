import type { OrderData } from "@exchange/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CheckoutApi, OrderFollower } from "../api/calls.ts";
import type { ApiResult, Problem } from "../api/client.ts";
import { CARD, makeOrder, makeSession } from "../machine/testing.ts";
import { done, makeWorld, refused, unreachable } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const processing = makeOrder({ status: "processing" });
const sending = makeOrder({ status: "sending" });
const completed = makeOrder({ status: "completed" });

interface Stream extends OrderFollower {
  /** The service ends it, or something goes wrong with it. */
  readonly end: (problem?: Problem) => void;
  open: boolean;
}

/** An order that is followed, the streams that were opened for it, and the reads beside them. */
function start(answer: () => ApiResult<OrderData> = () => unreachable) {
  const streams: Stream[] = [];
  const followed = vi.fn<CheckoutApi["followOrder"]>(
    (_orderId, follower) =>
      new Promise((resolve) => {
        const end = (problem?: Problem): void => {
          stream.open = false;
          resolve(problem);
        };
        const stream: Stream = { ...follower, end, open: true };
        streams.push(stream);
        follower.signal.addEventListener("abort", () => end({ kind: "abandoned" }));
      }),
  );
  const readOrder = vi.fn(async () => answer());
  const world = makeWorld({ followOrder: followed, readOrder });
  const open = (order = processing): void =>
    world.store.dispatch({
      area: "checkout",
      type: "orderFound",
      session: makeSession(),
      locale: "en",
      order,
      reopened: false,
    });
  const openStreams = () => streams.filter((stream) => stream.open);
  const stream = (): Stream => {
    const [only, ...more] = openStreams();
    expect(more).toEqual([]);
    if (!only) throw new Error("no stream is open");
    return only;
  };
  return { ...world, open, streams, openStreams, stream, readOrder };
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

test("what the stream tells is shown, nothing is asked beside it, and it ends with the order", async () => {
  const { open, stream, openStreams, readOrder, orderedNow } = start();
  open();
  stream().onOrder(sending);
  expect(orderedNow().order).toBe(sending);
  await seconds(120);
  stream().onOrder(completed);
  expect(openStreams()).toEqual([]);
  await seconds(120);
  expect(readOrder).not.toHaveBeenCalled();
});

test("a stream that breaks is opened again, later each time it breaks at once", async () => {
  const { open, stream, streams } = start();
  open();
  const openedAfter: number[] = [];
  for (let broken = 0; broken < 6; broken += 1) {
    stream().onAlive();
    stream().end({ kind: "unreachable" });
    const from = Date.now();
    const { length } = streams;
    while (streams.length === length) await seconds(1);
    openedAfter.push((Date.now() - from) / 1000);
  }
  expect(openedAfter).toEqual([1, 2, 4, 8, 15, 15]);
});

test("where streams do not get through it asks, 3 seconds apart at first and 15 at last", async () => {
  const { open, stream, openStreams, streams, readOrder } = start(() => done(processing));
  open();
  stream().end({ kind: "unreachable" });
  const asked: number[] = [];
  readOrder.mockImplementation(async () => {
    expect(openStreams()).toEqual([]);
    asked.push(Date.now() / 1000);
    return done(processing);
  });
  await seconds(59);
  const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(gaps[0]).toBe(3);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(15);
  expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
  expect(streams).toHaveLength(1);
  await seconds(20);
  expect(stream()).toBe(streams[1]);
});

test("a change makes it ask quickly again", async () => {
  const { open, stream, readOrder } = start(() => done(processing));
  open();
  stream().end({ kind: "unreachable" });
  await seconds(40);
  readOrder.mockImplementation(async () => done(sending));
  await seconds(15);
  const before = readOrder.mock.calls.length;
  await seconds(3);
  expect(readOrder.mock.calls.length).toBeGreaterThan(before);
});

test("a lost line is said, and said no more once anything comes again", async () => {
  const { open, stream, orderedNow, readOrder } = start();
  open();
  stream().end({ kind: "unreachable" });
  await seconds(1);
  expect(orderedNow().connection).toBe("lost");
  readOrder.mockImplementation(async () => done(processing));
  await seconds(15);
  expect(orderedNow().connection).toBe("fine");
  // The line is back, so a stream may get through again.
  stream().onOrder(sending);
  expect(orderedNow().order).toBe(sending);
});

test("a device without network says so at once, whatever was under way, and asks again as soon as it has one", () => {
  const { open, stream, happen, orderedNow } = start();
  open();
  const first = stream();
  happen("offline");
  expect(orderedNow().connection).toBe("lost");
  const second = stream();
  expect(second).not.toBe(first);
  happen("online");
  expect(stream()).not.toBe(second);
  stream().onAlive();
  expect(orderedNow().connection).toBe("fine");
});

test("while nobody looks nothing is open or asked; who looks again gets the order as it is", async () => {
  const { open, stream, openStreams, streams, readOrder, happen } = start();
  open();
  happen("hidden");
  expect(openStreams()).toEqual([]);
  await seconds(600);
  expect(streams).toHaveLength(1);
  expect(readOrder).not.toHaveBeenCalled();
  happen("visible");
  expect(stream()).toBe(streams[1]);
});

test("a payment on its way answers for itself, and what was told meanwhile is told again", () => {
  const { open, stream, openStreams, store, orderedNow } = start();
  open(makeOrder());
  stream();
  store.dispatch({ area: "ordered", type: "cardTyped", fields: CARD });
  store.dispatch({ area: "ordered", type: "payPressed" });
  expect(openStreams()).toEqual([]);
  store.dispatch({ area: "ordered", type: "paymentAnswered", order: processing });
  stream().onOrder(sending);
  expect(orderedNow().order).toBe(sending);
});

test("an answer that is older than what was told does not stay", () => {
  const { open, stream, streams, store } = start();
  open();
  stream().onOrder(sending);
  const order = makeOrder({ status: "processing" });
  store.dispatch({ area: "refund", type: "refundAddressSaved", order });
  expect(stream()).toBe(streams[1]);
});

test.each([401, 403])("a token that is refused with %d ends the following", async (status) => {
  const { open, stream, openStreams, orderedNow, readOrder } = start();
  open();
  stream().end(refused(status, "TOKEN_EXPIRED").problem);
  await seconds(120);
  expect(orderedNow().connection).toBe("timed_out");
  expect(openStreams()).toEqual([]);
  expect(readOrder).not.toHaveBeenCalled();
});
