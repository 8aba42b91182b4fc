import type { CheckoutOrderData, QuoteData } from "@exchange/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CheckoutApi } from "../api/calls.ts";
import { makeAttempt, makeOrder, makePayment, makeQuote, makeSession } from "../machine/testing.ts";
import { bootReview, done, refused } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const ours = makeOrder({ quote: makeQuote(1) });
const paid = makeOrder({
  status: "processing",
  payment: makeAttempt("captured"),
  updatedAt: 1_001,
});

/** A review that can be paid, and presses of its button. */
function start(api: Partial<CheckoutApi>) {
  const world = bootReview(api);
  const pay = async (): Promise<void> => {
    world.store.dispatch({ area: "placement", type: "placePressed" });
    await vi.advanceTimersByTimeAsync(5_000);
  };
  return { ...world, pay };
}

describe("an order that was placed after all, before a correction,", () => {
  const USED = refused(409, "SESSION_EXPIRED");

  /** Pays twice, with a correction in between. The first order exists by the second time. */
  async function payTwice(
    correct: (world: ReturnType<typeof start>) => void,
    order: CheckoutOrderData = ours,
  ) {
    const payOrder = vi.fn(async () => done(paid));
    const world = start({
      placeOrder: vi
        .fn<CheckoutApi["placeOrder"]>()
        .mockResolvedValueOnce(refused(503, "INTERNAL_ERROR"))
        .mockResolvedValue(USED),
      readSession: vi
        .fn<CheckoutApi["readSession"]>()
        .mockResolvedValueOnce(done(makeSession()))
        .mockResolvedValue(done(makeSession({ orderId: 77 }))),
      payOrder,
      readOrder: async () => done(order),
    });
    await world.pay();
    expect(world.choosingNow()).toMatchObject({ fault: "not_placed" });
    correct(world);
    await world.pay();
    return { ...world, payOrder };
  }
  const reprice = ({ store, choosingNow }: ReturnType<typeof start>, quote: QuoteData): void => {
    const sequence = choosingNow().quote.sequence + 1;
    store.dispatch({ area: "quote", type: "quoteRetryPressed" });
    store.dispatch({ area: "quote", type: "quoteArrived", sequence, quote, validUntil: 30_000 });
    store.dispatch({ area: "quote", type: "priceAccepted" });
  };
  const retype = ({ store }: ReturnType<typeof start>): void =>
    store.dispatch({
      area: "address",
      use: "wallet",
      type: "walletTyped",
      address: "bc1corrected",
    });

  test("is shown and not paid when its address was corrected under the same price", async () => {
    const { payOrder, orderedNow } = await payTwice(retype);
    expect(payOrder).not.toHaveBeenCalled();
    expect(orderedNow()).toMatchObject({ screen: "card", fault: "earlier_order", order: ours });
  });

  test("is not paid when its address was corrected under another price", async () => {
    const { payOrder, orderedNow } = await payTwice((world) => {
      retype(world);
      reprice(world, makeQuote(1, { quoteId: "another" }));
    });
    expect(payOrder).not.toHaveBeenCalled();
    expect(orderedNow()).toMatchObject({ screen: "card", fault: "earlier_order" });
  });

  test("is not paid when its amount was corrected", async () => {
    const { payOrder, orderedNow } = await payTwice((world) => {
      const typed = { type: "amountTyped", side: "spend", text: "10" } as const;
      world.store.dispatch({ area: "choosing", ...typed });
      const spend = { amount: 10, currencyCode: "EUR", currencyReference: "eur" };
      reprice(world, makeQuote(0.1, { spend }));
    });
    expect(payOrder).not.toHaveBeenCalled();
    expect(orderedNow()).toMatchObject({ screen: "card", fault: "earlier_order" });
  });

  test("requests no instructions until the customer has seen it", async () => {
    const byBank = makeOrder({
      quote: makeQuote(1),
      payment: makePayment({ type: "bank_transfer" }),
    });
    const { payOrder, store, orderedNow } = await payTwice(retype, byBank);
    expect(payOrder).not.toHaveBeenCalled();
    expect(orderedNow()).toMatchObject({ screen: "instructions", fault: "earlier_order" });
    store.dispatch({ area: "ordered", type: "payPressed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(payOrder).toHaveBeenCalledOnce();
  });

  test("is paid when nothing but the price changed", async () => {
    const { payOrder } = await payTwice((world) =>
      reprice(world, makeQuote(0.9, { quoteId: "another" })),
    );
    expect(payOrder).toHaveBeenCalledOnce();
  });
});
