import type { CheckoutOrderData } from "@exchange/contract";
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
  /** Ends the stream, with the problem if it failed. */
  readonly end: (problem?: Problem) => void;
  open: boolean;
}

/** A followed order, the streams opened for it, and the reads beside them. */
function start(answer: () => ApiResult<CheckoutOrderData> = () => unreachable) {
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

test("the stream's news is shown, nothing is polled beside it, and it ends with the order", async () => {
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

test("a broken stream is opened again, with a growing delay", async () => {
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

test("without a stream the order is polled, every 3 seconds at first and every 15 at last", async () => {
  const { open, stream, openStreams, streams, readOrder } = start(() => done(processing));
  open();
  stream().end({ kind: "unreachable" });
  const polledAt: number[] = [];
  readOrder.mockImplementation(async () => {
    expect(openStreams()).toEqual([]);
    polledAt.push(Date.now() / 1000);
    return done(processing);
  });
  await seconds(59);
  const gaps = polledAt.slice(1).map((at, index) => at - (polledAt[index] ?? 0));
  expect(gaps[0]).toBe(3);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(15);
  expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
  expect(streams).toHaveLength(1);
  await seconds(20);
  expect(stream()).toBe(streams[1]);
});

test("a change makes polling fast again", async () => {
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

test("a lost line is shown until anything arrives again", async () => {
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

test("an offline device is shown at once, and a new stream opens when it is online again", () => {
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

test("while the page is hidden nothing is open or polled; a visible page starts again", async () => {
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

test("a payment on its way stops the stream, which starts again with its answer", () => {
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

test("an order from another answer starts a new stream, because it may be older", () => {
  const { open, stream, streams, store } = start();
  open();
  stream().onOrder(sending);
  const order = makeOrder({ status: "processing" });
  store.dispatch({ area: "refund", type: "refundAddressSaved", order });
  expect(stream()).toBe(streams[1]);
});

test.each([401, 403])(
  "a token refused with %d stops the order from being followed",
  async (status) => {
    const { open, stream, openStreams, orderedNow, readOrder } = start();
    open();
    stream().end(refused(status, "TOKEN_EXPIRED").problem);
    await seconds(120);
    expect(orderedNow().connection).toBe("timed_out");
    expect(openStreams()).toEqual([]);
    expect(readOrder).not.toHaveBeenCalled();
  },
);
