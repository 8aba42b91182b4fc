import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HostChannel } from "../host/channel.ts";
import type { CheckoutEvent } from "../machine/events.ts";
import { createStore } from "../machine/store.ts";
import { CARD, makeAttempt, makeOrder, makeSession } from "../machine/testing.ts";
import { createExit } from "./leave.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const FOUND: CheckoutEvent = {
  area: "checkout",
  type: "orderFound",
  session: makeSession(),
  locale: "en",
  order: makeOrder(),
  reopened: false,
};
const TYPED: CheckoutEvent = { area: "ordered", type: "cardTyped", fields: CARD };
const PAID: CheckoutEvent = { area: "ordered", type: "payPressed" };
const LOST: CheckoutEvent = { area: "ordered", type: "paymentAnswerLost" };
const LATE: CheckoutEvent = { area: "ordered", type: "paymentAnswerLate" };

function leaveAfter(...events: readonly CheckoutEvent[]) {
  const store = createStore();
  const close = vi.fn();
  const exit = createExit(store, { close } as unknown as HostChannel, { write: () => {} });
  for (const event of [FOUND, TYPED, ...events]) store.dispatch(event);
  exit.ask("user");
  return { store, exit, close };
}

describe("a customer who leaves while a card is paid", () => {
  test("waits for an answer that is about to come, ten seconds at most", () => {
    const { store, exit } = leaveAfter(PAID);
    expect(store.read().exit).toBe("finishing");
    vi.advanceTimersByTime(10_000);
    expect(exit.isClosed).toBe(true);
  });

  test("is reported once, although the wait ends later", () => {
    const { store, close } = leaveAfter(PAID);
    const order = makeOrder({ status: "completed" });
    store.dispatch({ area: "ordered", type: "paymentAnswered", order });
    expect(close.mock.calls).toEqual([["completed"]]);
    expect(store.read().exit).toBe("none");
    vi.advanceTimersByTime(10_000);
    expect(close).toHaveBeenCalledOnce();
  });

  test("is asked no longer once the reason is gone", () => {
    const { store } = leaveAfter(PAID, LOST);
    expect(store.read().exit).toBe("confirm");
    const order = makeOrder({ status: "completed" });
    store.dispatch({ area: "ordered", type: "paymentAnswered", order });
    expect(store.read().exit).toBe("none");
  });

  test("is asked at once after the answer was lost, and may stay or leave", () => {
    const { store, exit } = leaveAfter(PAID, LOST);
    expect(store.read().exit).toBe("confirm");
    exit.back();
    expect(store.read().exit).toBe("none");
    exit.back();
    expect(store.read().exit).toBe("confirm");
    exit.confirm();
    expect(exit.isClosed).toBe(true);
  });

  test("is not asked any more once the answer is late", () => {
    expect(leaveAfter(PAID, LOST, LATE).exit.isClosed).toBe(true);
  });
});

test("a customer who stopped the browser on its way to the shop can leave again", () => {
  const { exit, close } = leaveAfter(PAID, LOST, LATE);
  expect(close).toHaveBeenCalledOnce();
  exit.ask("user");
  expect(close).toHaveBeenCalledTimes(2);
});

test("a customer who stays after the page stayed is not sent away by the wait of before", () => {
  const { store, exit, close } = leaveAfter(PAID);
  vi.advanceTimersByTime(2_000);
  const order = makeOrder({ payment: makeAttempt("challenge") });
  store.dispatch({ area: "ordered", type: "paymentAnswered", order });
  expect(close).toHaveBeenCalledOnce();
  exit.ask("user");
  expect(store.read().exit).toBe("confirm");
  exit.stay();
  vi.advanceTimersByTime(10_000);
  expect(close).toHaveBeenCalledOnce();
});
