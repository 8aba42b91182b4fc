import type { CheckoutQuoteRequest, QuoteData } from "@exchange/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CheckoutApi } from "../api/calls.ts";
import type { ApiResult } from "../api/client.ts";
import type { Ordered } from "../machine/state.ts";
import {
  makeAttempt,
  makeChoosing,
  makeOrder,
  makeQuote,
  makeSession,
} from "../machine/testing.ts";
import { bootReview, done, makeWorld, refused, unreachable } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("quotes follow what is typed", () => {
  type Ask = {
    body: CheckoutQuoteRequest;
    signal: AbortSignal;
    answer: (quote: QuoteData) => void;
  };

  function start() {
    const asks: Ask[] = [];
    const createQuote: CheckoutApi["createQuote"] = (body, signal) =>
      new Promise((resolve) => {
        asks.push({ body, signal, answer: (quote) => resolve(done(quote)) });
      });
    const empty = makeChoosing({ amount: { side: "spend", text: "" } });
    const world = makeWorld({ createQuote }, empty);
    world.boot();
    const type = (text: string): void =>
      world.store.dispatch({ area: "choosing", type: "amountTyped", side: "spend", text });
    return { ...world, asks, type };
  }

  test("one request goes out after a pause of 250 ms, for the last text", async () => {
    const { asks, type } = start();
    for (const text of ["1", "10", "100"]) {
      type(text);
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(asks).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(50);
    expect(asks.map(({ body }) => body.baseAmount)).toEqual([100]);
  });

  test("a newer request cancels the older, whose late answer changes nothing", async () => {
    const { asks, type, choosingNow } = start();
    type("10");
    await vi.advanceTimersByTimeAsync(250);
    type("20");
    expect(asks[0]?.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(250);
    asks[1]?.answer(makeQuote(2));
    await vi.advanceTimersByTimeAsync(0);
    asks[0]?.answer(makeQuote(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(choosingNow().quote.quote?.receive.amount).toBe(2);
  });

  test("it is refreshed five seconds before it ends, while the page is visible", async () => {
    const { asks, type, happen } = start();
    type("10");
    await vi.advanceTimersByTimeAsync(250);
    asks[0]?.answer(makeQuote(1));
    await vi.advanceTimersByTimeAsync(24_900);
    expect(asks).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(asks).toHaveLength(2);
    asks[1]?.answer(makeQuote(1));
    happen("hidden");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asks).toHaveLength(2);
    happen("visible");
    await vi.advanceTimersByTimeAsync(0);
    expect(asks).toHaveLength(3);
  });

  test.each([-3600, 1, 4, 3600])(
    "it is not refreshed sooner when the clocks differ by %d s",
    async (seconds) => {
      const { asks, type } = start();
      type("10");
      await vi.advanceTimersByTimeAsync(250);
      asks[0]?.answer(makeQuote(1, { expiresAt: Date.now() / 1000 + seconds }));
      await vi.advanceTimersByTimeAsync(24_000);
      expect(asks).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1_100);
      expect(asks).toHaveLength(2);
    },
  );

  test("an unreadable amount requests nothing and clears the price", async () => {
    const { asks, type, choosingNow } = start();
    type("10");
    await vi.advanceTimersByTimeAsync(250);
    asks[0]?.answer(makeQuote(1));
    await vi.advanceTimersByTimeAsync(0);
    type("ten");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asks).toHaveLength(1);
    expect(choosingNow().quote.status).toBe("none");
  });
});

describe("placing and paying", () => {
  function start(api: Partial<CheckoutApi>) {
    const world = bootReview(api);
    const pay = async (): Promise<void> => {
      world.store.dispatch({ area: "placement", type: "placePressed" });
      world.store.dispatch({ area: "placement", type: "placePressed" });
      await vi.advanceTimersByTimeAsync(5_000);
    };
    return { ...world, pay };
  }
  const ours = makeOrder({ quote: makeQuote(1) });
  const paid = makeOrder({
    status: "processing",
    payment: makeAttempt("captured"),
    updatedAt: 1_001,
  });

  test("a double click places one order and pays it once", async () => {
    const placeOrder = vi.fn(async () => done(ours));
    const payOrder = vi.fn(async () => done(paid));
    const { pay, store } = start({ placeOrder, payOrder });
    await pay();
    expect(placeOrder).toHaveBeenCalledOnce();
    expect(payOrder).toHaveBeenCalledOnce();
    expect(store.read().stage).toMatchObject({ kind: "ordered", screen: "status" });
  });

  test("after a lost answer the existing order is paid, not placed again", async () => {
    const placeOrder = vi.fn(async () => unreachable);
    const payOrder = vi.fn(async () => done(paid));
    const readSession = async () => done(makeSession({ orderId: 77 }));
    const { pay } = start({ placeOrder, payOrder, readSession, readOrder: async () => done(ours) });
    await pay();
    expect(placeOrder).toHaveBeenCalledOnce();
    expect(payOrder).toHaveBeenCalledOnce();
  });

  test("after a fault of the service the session says whether the order exists", async () => {
    const { pay, orderedNow } = start({
      placeOrder: async () => refused(500, "A_FAULT_OF_NEXT_YEAR"),
      payOrder: async () => done(paid),
      readSession: async () => done(makeSession({ orderId: 77 })),
      readOrder: async () => done(ours),
    });
    await pay();
    expect(orderedNow().order).toBe(paid);
  });

  test.each([
    ["a fault of the service", refused(500, "INTERNAL_ERROR")],
    ["a lost connection", unreachable],
    ["a rate limit", refused(429, "RATE_LIMITED")],
  ])("after %s the order is read again; the session does not show as used", async (_, fault) => {
    const readOrder = vi
      .fn<CheckoutApi["readOrder"]>()
      .mockResolvedValueOnce(fault)
      .mockResolvedValueOnce(fault)
      .mockResolvedValue(done(ours));
    const { pay, choosingNow, orderedNow } = start({
      placeOrder: async () => unreachable,
      payOrder: async () => done(paid),
      readSession: async () => done(makeSession({ orderId: 77 })),
      readOrder,
    });
    const placed = pay();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(choosingNow()).toMatchObject({ kind: "choosing", submission: "unknown" });
    await placed;
    expect(orderedNow()).toMatchObject({ kind: "ordered", order: paid });
  });

  test("a token that ends while the order is read stops the checkout", async () => {
    const { pay, store } = start({
      placeOrder: async () => unreachable,
      readSession: async () => done(makeSession({ orderId: 77 })),
      readOrder: async () => refused(401, "TOKEN_EXPIRED"),
    });
    await pay();
    expect(store.read().stage).toMatchObject({ kind: "stopped", reason: "token_expired" });
  });

  test("an order of an earlier attempt of this window is its own at any price", async () => {
    const placeOrder = vi
      .fn<CheckoutApi["placeOrder"]>()
      .mockResolvedValueOnce(unreachable)
      .mockResolvedValue(refused(409, "SESSION_EXPIRED"));
    const readSession = vi
      .fn<CheckoutApi["readSession"]>()
      .mockResolvedValueOnce(done(makeSession()))
      .mockResolvedValue(done(makeSession({ orderId: 77 })));
    const { pay, store, choosingNow } = start({
      placeOrder,
      readSession,
      payOrder: async () => done(paid),
      readOrder: async () => done(ours),
    });
    await pay();
    const sequence = choosingNow().quote.sequence + 1;
    const quote = makeQuote(1, { quoteId: "another" });
    store.dispatch({ area: "quote", type: "quoteRetryPressed" });
    store.dispatch({ area: "quote", type: "quoteArrived", sequence, quote, validUntil: 30_000 });
    await pay();
    expect(store.read().stage).toMatchObject({ kind: "ordered", order: paid });
  });

  test("without an order the customer may try again, and nothing is sent twice", async () => {
    const placeOrder = vi.fn(async () => unreachable);
    const { pay, choosingNow } = start({
      placeOrder,
      readSession: async () => done(makeSession()),
    });
    await pay();
    expect(placeOrder).toHaveBeenCalledOnce();
    expect(choosingNow()).toMatchObject({ submission: "none", fault: "not_placed" });
  });

  test("an order of another window is not paid; the session shows as used", async () => {
    const payOrder = vi.fn(async () => done(paid));
    const other = makeOrder({ quote: makeQuote(5) });
    const { pay, store } = start({
      placeOrder: async () => refused(409, "SESSION_EXPIRED"),
      payOrder,
      readSession: async () => done(makeSession({ orderId: 77 })),
      readOrder: async () => done(other),
    });
    await pay();
    expect(payOrder).not.toHaveBeenCalled();
    expect(store.read().stage).toMatchObject({ kind: "used", orderId: 77 });
  });

  test("a price that is refused because of this window's own order does not end its payment", async () => {
    const answerOf: ((answer: ApiResult<QuoteData>) => void)[] = [];
    const readSession = vi.fn(async () => done(makeSession({ orderId: 77 })));
    const { pay, store, orderedNow } = start({
      createQuote: () => new Promise((resolve) => answerOf.push(resolve)),
      placeOrder: async () => done(ours),
      payOrder: () => new Promise(() => {}),
      readSession,
    });
    store.dispatch({ area: "quote", type: "quoteRefreshDue" });
    await vi.advanceTimersByTimeAsync(0);
    await pay();
    answerOf[0]?.(refused(409, "SESSION_EXPIRED"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(orderedNow()).toMatchObject({ kind: "ordered", submission: "sent" });
  });

  test("a price that is refused while the order is placed leaves the answer to the order", async () => {
    const { store, choosingNow } = start({
      createQuote: async () => refused(409, "SESSION_EXPIRED"),
      placeOrder: () => new Promise(() => {}),
      readSession: async () => done(makeSession({ orderId: 77 })),
    });
    store.dispatch({ area: "quote", type: "quoteRefreshDue" });
    store.dispatch({ area: "placement", type: "placePressed" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(choosingNow()).toMatchObject({ kind: "choosing", submission: "sent" });
  });

  test("a price that is refused because of another window's order shows the session as used", async () => {
    const { store } = start({
      createQuote: async () => refused(409, "SESSION_EXPIRED"),
      readSession: async () => done(makeSession({ orderId: 77 })),
    });
    store.dispatch({ area: "quote", type: "quoteRefreshDue" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.read().stage).toMatchObject({ kind: "used", orderId: 77 });
  });

  test("an expired price is replaced once without a press, if it is not worse", async () => {
    const expired = (quote: QuoteData) =>
      ({
        kind: "refused",
        status: 409,
        code: "QUOTE_EXPIRED",
        message: "",
        details: [],
        quote,
      }) as const;
    const placeOrder = vi
      .fn<CheckoutApi["placeOrder"]>()
      .mockResolvedValueOnce({ ok: false, problem: expired(makeQuote(1, { quoteId: "fresh" })) })
      .mockResolvedValue(done(ours));
    const { pay } = start({ placeOrder, payOrder: async () => done(paid) });
    await pay();
    expect(placeOrder.mock.calls.map(([request]) => request.quoteId)).toEqual(["quote-1", "fresh"]);
  });

  test("an expired price that got worse waits for the customer", async () => {
    const problem = {
      kind: "refused",
      status: 409,
      code: "QUOTE_EXPIRED",
      message: "",
      details: [],
      quote: makeQuote(0.9),
    } as const;
    const placeOrder = vi.fn(async () => ({ ok: false, problem }) as const);
    const { pay, choosingNow } = start({ placeOrder });
    await pay();
    expect(placeOrder).toHaveBeenCalledOnce();
    expect(choosingNow().quote.worseThan?.receive.amount).toBe(1);
  });

  test("a payment whose answer was lost is read from the order, not sent again", async () => {
    const payOrder = vi.fn(async () => unreachable);
    const { pay, store } = start({
      placeOrder: async () => done(ours),
      payOrder,
      readOrder: async () => done(paid),
    });
    await pay();
    expect(payOrder).toHaveBeenCalledOnce();
    expect((store.read().stage as Ordered).order.status).toBe("processing");
  });

  test("a payment that the service refuses because the token has expired is a window that timed out, not a refused card", async () => {
    const { pay, orderedNow } = start({
      placeOrder: async () => done(ours),
      payOrder: async () => refused(401, "TOKEN_EXPIRED"),
    });
    await pay();
    expect(orderedNow()).toMatchObject({
      screen: "card",
      submission: "none",
      connection: "timed_out",
      fault: undefined,
    });
  });

  test("a payment whose answer was lost is looked up ever less often, and never said to have failed unseen", async () => {
    const readOrder = vi.fn<CheckoutApi["readOrder"]>(async () => unreachable);
    const { pay, store } = start({
      placeOrder: async () => done(ours),
      payOrder: async () => unreachable,
      readOrder,
    });
    await pay();
    await vi.advanceTimersByTimeAsync(60_000);
    const first = readOrder.mock.calls.length;
    expect(first).toBeGreaterThan(5);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(readOrder.mock.calls.length - first).toBeLessThanOrEqual(4);
    readOrder.mockResolvedValue(refused(401, "TOKEN_EXPIRED"));
    await vi.advanceTimersByTimeAsync(20_000);
    const stage = store.read().stage as Ordered;
    expect(stage).toMatchObject({
      submission: "unknown",
      connection: "timed_out",
      fault: undefined,
    });
  });
});
