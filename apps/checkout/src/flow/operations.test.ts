import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CheckoutApi } from "../api/calls.ts";
import { orderFor } from "../machine/requests.ts";
import type { Choosing } from "../machine/state.ts";
import {
  catalogueFor,
  makeInstructions,
  makeOrder,
  makePayment,
  makeQuote,
  makeSession,
  openAs,
} from "../machine/testing.ts";
import { done, makeWorld, refused, unreachable } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const quoted = (stage: Choosing, change: Partial<Choosing> = {}): Choosing => ({
  ...stage,
  screen: "review",
  quote: { ...stage.quote, status: "ready", quote: makeQuote(1), validUntil: 30_000 },
  ...change,
});
const byBank = makePayment({ type: "bank_transfer" });
const waiting = makeOrder({ payment: byBank });
const instructed = makeOrder({
  payment: { ...byBank, instructions: makeInstructions("bank_transfer") },
  updatedAt: 1_001,
});
const found = {
  area: "checkout",
  type: "orderFound",
  session: makeSession(),
  locale: "en",
  reopened: true,
} as const;

describe("an order names its destinations", () => {
  const address = { ...openAs("CC").wallet, address: "abc", memo: "7" };

  test("a purchase names a wallet and no account", () => {
    const stage = quoted(openAs("B"), { wallet: address });
    expect(orderFor(stage)).toEqual({
      quoteId: "quote-1",
      walletAddress: "abc",
      networkCode: "bitcoin",
    });
  });

  test("a sale names an account, and a refund address if one was typed", () => {
    const payout = { iban: "DE89 3704 0044 0532 0130 00" };
    const sale = quoted(openAs("S"), { payout });
    const account = { iban: "DE89370400440532013000" };
    expect(orderFor(sale)).toEqual({ quoteId: "quote-1", payout: account });
    const spend = { ...sale.spend, memo: "optional" as const };
    expect(orderFor({ ...sale, spend, refund: address })).toMatchObject({
      refundAddress: "abc",
      refundMemo: "7",
    });
    expect(orderFor({ ...sale, refund: address })).not.toHaveProperty("refundMemo");
  });

  test("a transfer names neither a wallet nor a refund address", () => {
    const stage = quoted(openAs("FF"), { wallet: address, refund: address });
    expect(Object.keys(orderFor(stage) ?? {})).toEqual(["quoteId", "payout"]);
  });

  test("refused payout details are distinguished from other refusals", async () => {
    const problem = refused(400, "INVALID_INPUT", [{ path: "body.payout.iban", issue: "wrong" }]);
    const world = makeWorld({ placeOrder: async () => problem }, quoted(openAs("S")));
    world.boot();
    world.store.dispatch({ area: "placement", type: "placePressed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(world.choosingNow().fault).toBe("payout_refused");
  });
});

describe("requesting payment instructions", () => {
  function start(api: Partial<CheckoutApi>) {
    const world = makeWorld(api);
    world.store.dispatch({ ...found, order: waiting });
    return world;
  }

  test("a lost answer is requested again", async () => {
    const payOrder = vi
      .fn<CheckoutApi["payOrder"]>()
      .mockResolvedValueOnce(unreachable)
      .mockResolvedValue(done(instructed));
    const { orderedNow } = start({ payOrder });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(payOrder.mock.calls).toEqual([
      [77, { type: "bank_transfer" }],
      [77, { type: "bank_transfer" }],
    ]);
    expect(orderedNow()).toMatchObject({ submission: "none", order: instructed });
  });

  test("a refusal for an order that has changed shows its new status", async () => {
    const expired = makeOrder({ status: "expired", payment: byBank });
    const { orderedNow } = start({
      payOrder: async () => refused(409, "INVALID_ORDER_STATE"),
      readOrder: async () => done(expired),
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(orderedNow()).toMatchObject({ screen: "status", order: { status: "expired" } });
  });

  test("an unavailable provider is reported, and tried again on request", async () => {
    const payOrder = vi
      .fn<CheckoutApi["payOrder"]>()
      .mockResolvedValueOnce(refused(503, "PROVIDER_UNAVAILABLE"))
      .mockResolvedValue(done(instructed));
    const { store, orderedNow } = start({ payOrder, readOrder: async () => done(waiting) });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(orderedNow()).toMatchObject({ fault: "no_instructions", submission: "none" });
    expect(payOrder).toHaveBeenCalledOnce();
    store.dispatch({ area: "ordered", type: "payPressed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(orderedNow()).toMatchObject({ fault: undefined, order: instructed });
  });
});

describe("cancelling", () => {
  async function cancel(api: Partial<CheckoutApi>) {
    const world = makeWorld(api);
    world.store.dispatch({ ...found, order: instructed });
    world.store.dispatch({ area: "cancellation", type: "cancelRequested" });
    world.store.dispatch({ area: "cancellation", type: "cancelConfirmed" });
    await vi.advanceTimersByTimeAsync(0);
    return world.orderedNow();
  }
  const cancelled = makeOrder({ status: "cancelled", payment: byBank, updatedAt: 1_002 });

  test("whose answer was lost reads the order", async () => {
    const cancelOrder = async () => unreachable;
    const worked = await cancel({ cancelOrder, readOrder: async () => done(cancelled) });
    expect(worked).toMatchObject({ order: { status: "cancelled" }, cancellation: "none" });
  });

  test("is refused only by the order's status, and may be tried again after any other fault", async () => {
    const late = refused(409, "INVALID_ORDER_STATE");
    const busy = refused(429, "RATE_LIMITED");
    const down = refused(503, "INTERNAL_ERROR");
    for (const readOrder of [async () => done(instructed), async () => unreachable]) {
      expect((await cancel({ cancelOrder: async () => late, readOrder })).cancellation).toBe(
        "refused",
      );
      for (const fault of [busy, down, unreachable]) {
        const failed = await cancel({ cancelOrder: async () => fault, readOrder });
        expect(failed).toMatchObject({ screen: "instructions", cancellation: "unreachable" });
      }
    }
  });
});

describe("a payout card", () => {
  const card = catalogueFor("S").methods[0]?.deliveryMethods?.find(
    ({ type }) => type === "card_push",
  );
  const typed = { number: "4000 0000 0000 2701", expiry: "12/30", code: "123" };

  function start(tokenizeCard: CheckoutApi["tokenizeCard"]) {
    const sale = openAs("S", { screen: "payout", payout: { accountHolder: " Ada " } });
    const world = makeWorld({ tokenizeCard }, { ...sale, delivery: card });
    world.boot();
    world.store.dispatch({ area: "payout", type: "payoutCardTyped", fields: typed });
    world.store.dispatch({ area: "choosing", type: "advanced" });
    return world;
  }

  test("is sent once, on Continue, and leaves only its token", async () => {
    const token = { cardToken: "tok_12345678", brand: "Visa", lastFour: "2701" };
    const tokenizeCard = vi.fn<CheckoutApi["tokenizeCard"]>(async () => done(token));
    const { choosingNow, store } = start(tokenizeCard);
    store.dispatch({ area: "choosing", type: "advanced" });
    await vi.advanceTimersByTimeAsync(0);
    expect(tokenizeCard.mock.calls).toEqual([
      [
        {
          card: {
            number: "4000000000002701",
            expiryMonth: 12,
            expiryYear: 2030,
            cvv: "123",
            holderName: "Ada",
          },
        },
      ],
    ]);
    expect(choosingNow()).toMatchObject({ screen: "review", payoutCard: { number: "" } });
    expect(JSON.stringify(store.read())).not.toContain("4000 0000 0000 2701");
  });

  test("a token that arrives after another number was typed is dropped", async () => {
    let answer: (value: Awaited<ReturnType<CheckoutApi["tokenizeCard"]>>) => void = () => {};
    const { choosingNow, store } = start(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    store.dispatch({
      area: "payout",
      type: "payoutCardTyped",
      fields: { number: "5200000000002235" },
    });
    answer(done({ cardToken: "tok_12345678", brand: "Visa", lastFour: "2701" }));
    await vi.advanceTimersByTimeAsync(0);
    expect(choosingNow().payoutCard).toMatchObject({
      token: undefined,
      number: "5200000000002235",
    });
  });

  test("distinguishes a refusal from a lost line", async () => {
    const wrong = start(async () => refused(400, "INVALID_INPUT"));
    const lost = start(async () => unreachable);
    await vi.advanceTimersByTimeAsync(0);
    expect(wrong.choosingNow().payoutCard.fault).toBe("refused");
    expect(lost.choosingNow().payoutCard.fault).toBe("unreachable");
  });
});

test("a refund address is checked on the network of the sent coins", async () => {
  const lookUpWallet = vi.fn<CheckoutApi["lookUpWallet"]>(async () => unreachable);
  const world = makeWorld({ lookUpWallet }, openAs("S", { screen: "payout" }));
  world.boot();
  world.store.dispatch({ area: "address", type: "walletTyped", use: "refund", address: "bc1q" });
  await vi.advanceTimersByTimeAsync(400);
  expect(lookUpWallet.mock.calls.map(([query]) => query)).toEqual([
    { walletAddress: "bc1q", currencyCode: "BTC", networkCode: "bitcoin" },
  ]);
  expect(world.choosingNow().refund.fault).toEqual({ kind: "unreachable" });
});

test("a refund address typed after the order is sent without its spaces", async () => {
  const saveRefundAddress = vi.fn<CheckoutApi["saveRefundAddress"]>(async () => done(instructed));
  const world = makeWorld({ saveRefundAddress });
  world.store.dispatch({ ...found, order: instructed });
  world.store.dispatch({ area: "refund", type: "refundTyped", fields: { address: " bc1 q\n" } });
  world.store.dispatch({ area: "refund", type: "refundPressed" });
  world.store.dispatch({ area: "refund", type: "refundPressed" });
  await vi.advanceTimersByTimeAsync(0);
  expect(saveRefundAddress.mock.calls).toEqual([[77, { refundAddress: "bc1q" }]]);
});
