import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CheckoutApi } from "../api/calls.ts";
import { makeOrder, makeQuote, makeSession } from "../machine/testing.ts";
import { done, makeWorld, refused, unreachable } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const moved = makeOrder({ status: "in_review", statusReason: "rate_moved", updatedAt: 1_001 });
const offerOf = (quoteId: string) => ({ ...makeQuote(100), quoteId, expiresAt: 30 });

function open(api: Partial<CheckoutApi>) {
  const world = makeWorld({ followOrder: () => new Promise(() => {}), ...api });
  const found = { order: moved, session: makeSession(), locale: "en", reopened: true } as const;
  world.boot();
  world.store.dispatch({ area: "checkout", type: "orderFound", ...found });
  const stage = world.orderedNow;
  const press = async (type: "acceptPressed" | "declinePressed" | "offerDue") => {
    world.store.dispatch({ area: "price", type, offer: undefined });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { ...world, stage, press };
}

describe("an order whose price moved", () => {
  test("shows an offer, and another one before it expires", async () => {
    const offerPrice = vi
      .fn<CheckoutApi["offerPrice"]>()
      .mockResolvedValueOnce(done(offerOf("first")))
      .mockResolvedValueOnce(done(offerOf("second")));
    const { stage } = open({ offerPrice });
    expect(stage().price).toEqual({ status: "open", offer: undefined });
    await vi.advanceTimersByTimeAsync(0);
    expect(stage().price).toMatchObject({ status: "open", offer: { quoteId: "first" } });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(stage().price?.offer?.quoteId).toBe("second");
  });

  test("goes on with the customer's yes to the offer that is shown", async () => {
    const processing = { ...moved, status: "processing", statusReason: null } as const;
    const answerPrice = vi
      .fn<CheckoutApi["answerPrice"]>()
      .mockResolvedValue(done({ ...processing, updatedAt: 1_002 }));
    const { stage, press } = open({ offerPrice: async () => done(offerOf("first")), answerPrice });
    await vi.advanceTimersByTimeAsync(0);
    await press("acceptPressed");
    await press("acceptPressed");
    expect(answerPrice.mock.calls).toEqual([[moved.orderId, { quoteId: "first" }]]);
    expect(stage()).toMatchObject({ order: { status: "processing" }, price: undefined });
  });

  test("shows the fresh offer when the accepted one had expired, and waits again", async () => {
    const { problem } = refused(409, "QUOTE_EXPIRED");
    const expired = { ok: false, problem: { ...problem, quote: offerOf("fresh") } } as const;
    const { stage, press } = open({
      offerPrice: async () => done(offerOf("first")),
      answerPrice: async () => expired,
    });
    await vi.advanceTimersByTimeAsync(0);
    await press("acceptPressed");
    expect(stage().price).toMatchObject({ status: "open", offer: { quoteId: "fresh" } });
  });

  test("is refunded with the customer's no, even without an offer", async () => {
    const refunding = { ...moved, status: "refund_pending", updatedAt: 1_002 } as const;
    const answerPrice = vi.fn<CheckoutApi["answerPrice"]>().mockResolvedValue(done(refunding));
    const { stage, press } = open({ offerPrice: async () => unreachable, answerPrice });
    await vi.advanceTimersByTimeAsync(0);
    expect(stage().price?.status).toBe("failed");
    await press("acceptPressed");
    expect(answerPrice).not.toHaveBeenCalled();
    await press("declinePressed");
    expect(answerPrice.mock.calls).toEqual([[moved.orderId, undefined]]);
    expect(stage().order.status).toBe("refund_pending");
  });

  test("asks again when an offer or an answer was lost", async () => {
    const offerPrice = vi
      .fn<CheckoutApi["offerPrice"]>()
      .mockResolvedValueOnce(unreachable)
      .mockResolvedValue(done(offerOf("second")));
    const { stage, press } = open({ offerPrice, answerPrice: async () => unreachable });
    await vi.advanceTimersByTimeAsync(0);
    await press("offerDue");
    expect(stage().price?.offer?.quoteId).toBe("second");
    await press("acceptPressed");
    expect(stage().price?.status).toBe("failed");
  });
});
