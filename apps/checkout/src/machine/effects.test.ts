import { describe, expect, test } from "vitest";
import type { Effect } from "./effects.ts";
import type { CheckoutEvent } from "./events.ts";
import type { Choosing, Ordered, Stage } from "./state.ts";
import {
  catalogueFor,
  effectsOf,
  makeAttempt,
  makeChoosing,
  makeInstructions,
  makeOrder,
  makePayment,
  makeQuote,
  makeSession,
  openAs,
  replay,
} from "./testing.ts";

const VALID_UNTIL = 30_000;
const pressContinue: CheckoutEvent = { area: "choosing", type: "advanced" };
const pressPay: CheckoutEvent = { area: "placement", type: "placePressed" };
const kindsOf = (stage: Stage, event: CheckoutEvent): readonly Effect["kind"][] =>
  effectsOf(stage, event).map(({ kind }) => kind);

/** A stage that a quote of 1 BTC was requested and received for. */
function priced(stage: Choosing): Choosing {
  const sequence = stage.quote.sequence + 1;
  const quote = makeQuote(1);
  return replay(
    stage,
    { area: "quote", type: "quoteRetryPressed" },
    { area: "quote", type: "quoteArrived", sequence, quote, validUntil: VALID_UNTIL },
  ).stage as Choosing;
}

const found = (order = makeOrder()): CheckoutEvent => ({
  area: "checkout",
  type: "orderFound",
  session: makeSession(),
  locale: "en",
  order,
  reopened: true,
});
const ordered = (order = makeOrder()): Ordered =>
  replay({ kind: "booting", notice: "none" }, found(order)).stage as Ordered;

describe("opening", () => {
  const booting = { kind: "booting", notice: "unreachable" } as const;

  test("reads the session again on request, or when the device is online again", () => {
    const open = [{ kind: "openCheckout" }];
    expect(effectsOf(booting, { area: "checkout", type: "bootRetryPressed" })).toEqual(open);
    expect(effectsOf(booting, { area: "page", type: "online" })).toEqual(open);
    expect(effectsOf({ ...booting, notice: "slow" }, { area: "page", type: "online" })).toEqual([]);
  });

  test("requests a quote at once for an amount that is already there", () => {
    const effects = effectsOf(booting, {
      area: "checkout",
      type: "booted",
      choosing: makeChoosing(),
    });
    expect(effects).toMatchObject([
      { kind: "requestQuote", sequence: 1, delayMs: 0, request: { baseAmount: 100 } },
    ]);
  });

  test("another operation is opened with the currencies of the present one", () => {
    const stage = makeChoosing();
    expect(
      effectsOf(stage, { area: "operation", type: "operationPicked", operation: "S" }),
    ).toMatchObject([
      { kind: "openOperation", opening: { operation: "S", presets: ["eur", "btc"] } },
    ]);
  });
});

test("a fixed transfer compares the payout methods, then the ways to pay before its review", () => {
  const lock = { operationType: "FF", baseCurrency: "eur", baseAmount: 100, targetCurrency: "jpy" };
  const stage = openAs("FF");
  const world = { ...stage.world, session: makeSession({ lock: lock as never }), offered: ["FF"] };
  const fixed = priced({ ...stage, world, screen: "delivery" } as Choosing);
  expect(effectsOf(fixed, pressContinue)).toMatchObject([
    { kind: "requestQuote", request: { alternatives: "paymentMethods" } },
  ]);
});

describe("the live quote", () => {
  const typed = (text: string): CheckoutEvent => ({
    area: "choosing",
    type: "amountTyped",
    side: "spend",
    text,
  });

  test("is requested after a pause in typing, and not twice for the same amount", () => {
    const stage = priced(makeChoosing());
    expect(effectsOf(stage, typed("7"))).toMatchObject([
      { kind: "requestQuote", sequence: 2, delayMs: 250, request: { baseAmount: 7 } },
    ]);
    expect(effectsOf(stage, typed("100.0"))).toEqual([]);
  });

  test("is cancelled when the amount is not a number", () => {
    expect(effectsOf(priced(makeChoosing()), typed("ten"))).toEqual([{ kind: "cancelQuote" }]);
  });

  test("is refreshed five seconds before it ends, and eight for a review", () => {
    const arrived: CheckoutEvent = {
      area: "quote",
      type: "quoteArrived",
      sequence: 1,
      quote: makeQuote(1),
      validUntil: VALID_UNTIL,
    };
    const loading = replay(makeChoosing(), { area: "quote", type: "quoteRetryPressed" }).stage;
    const refresh = { kind: "refreshQuoteAt", time: 25_000 } as const;
    expect(effectsOf(loading, arrived)).toEqual([{ ...refresh, earlyMs: 0 }]);
    const card = { ...priced(makeChoosing()), screen: "card" } as const;
    expect(effectsOf(card, pressContinue)).toEqual([{ ...refresh, earlyMs: 3_000 }]);
  });

  test("is requested again later after a fault of the line, and not after one of the amount", () => {
    const loading = replay(makeChoosing(), { area: "quote", type: "quoteRetryPressed" }).stage;
    const failed = (kind: "unreachable" | "precision"): CheckoutEvent => ({
      area: "quote",
      type: "quoteFailed",
      sequence: 1,
      fault: { kind },
    });
    expect(effectsOf(loading, failed("unreachable"))).toEqual([
      { kind: "refreshQuoteIn", delayMs: 5_000 },
    ]);
    expect(effectsOf(loading, failed("precision"))).toEqual([]);
  });

  test("catches up when the page is visible or online again", () => {
    const stage = priced(makeChoosing());
    expect(kindsOf(stage, { area: "page", type: "visible" })).toEqual(["refreshQuoteAt"]);
    expect(kindsOf(stage, { area: "page", type: "hidden" })).toEqual([]);
  });
});

describe("an address", () => {
  const stage: Choosing = { ...priced(openAs("CC")), screen: "wallet" };
  const typed = (use: "wallet" | "refund"): CheckoutEvent => ({
    area: "address",
    type: "walletTyped",
    use,
    address: "abc",
  });
  const both = replay(stage, typed("wallet"), typed("refund")).stage;

  test("is checked after a pause in typing", () => {
    expect(effectsOf(stage, typed("wallet"))).toEqual([
      { kind: "scheduleAddressCheck", use: "wallet" },
    ]);
    expect(
      effectsOf(both, { area: "address", type: "addressCheckDue", use: "refund" }),
    ).toMatchObject([{ kind: "lookUpAddress", use: "refund", query: { walletAddress: "abc" } }]);
  });

  test("is checked at once on Continue, and only once", () => {
    expect(kindsOf(both, pressContinue)).toEqual(["lookUpAddress", "lookUpAddress"]);
    expect(effectsOf(replay(both, pressContinue).stage, pressContinue)).toEqual([]);
  });

  test("is not checked on a screen that does not ask for it", () => {
    const amount: Choosing = { ...(both as Choosing), screen: "amount" };
    const due = { area: "address", type: "addressCheckDue", use: "wallet" } as const;
    expect(effectsOf(amount, due)).toEqual([]);
  });
});

test("a payout card is sent on Continue, and a card without a date is not", () => {
  const sale = priced(openAs("S", { screen: "payout" }));
  const delivery = catalogueFor("S").methods[0]?.deliveryMethods?.find(
    ({ type }) => type === "card_push",
  );
  const payoutCard = { ...sale.payoutCard, number: "4000 0000 0000 2701", code: "123" };
  const dated = { ...sale, delivery, payoutCard: { ...payoutCard, expiry: "12/30" } };
  expect(effectsOf(dated, pressContinue)).toMatchObject([
    { kind: "tokenizeCard", request: { card: { number: "4000000000002701", expiryMonth: 12 } } },
  ]);
  expect(effectsOf({ ...sale, delivery, payoutCard }, pressContinue)).toEqual([]);
});

describe("placing an order", () => {
  const review = priced(makeChoosing({ screen: "review" }));
  const placing = replay(review, pressPay).stage;
  const expired = (receive: number): CheckoutEvent => ({
    area: "placement",
    type: "priceExpired",
    quote: makeQuote(receive),
    validUntil: VALID_UNTIL,
  });

  test("names the quote on the screen", () => {
    expect(effectsOf(review, pressPay)).toMatchObject([
      { kind: "placeOrder", request: { quoteId: "quote-1" } },
    ]);
    expect(effectsOf(placing, pressPay)).toEqual([]);
  });

  test("goes on once with a fresh price, and never with a worse one", () => {
    expect(effectsOf(placing, expired(1.5))).toMatchObject([
      { kind: "refreshQuoteAt" },
      { kind: "placeOrder", request: { quoteId: "quote-1.5" } },
    ]);
    expect(kindsOf(replay(placing, expired(1.5)).stage, expired(2))).toEqual(["refreshQuoteAt"]);
    expect(kindsOf(placing, expired(0.5))).toEqual(["refreshQuoteAt"]);
  });

  test("waits for another press when a fresh price changes the amount that was typed", () => {
    const typed = { side: "receive", text: "1" } as const;
    const waiting = { ...placing, amount: typed } as Choosing;
    for (const receive of [0.9999, 1.5]) {
      expect(kindsOf(waiting, expired(receive))).toEqual(["refreshQuoteAt"]);
    }
    const { stage } = replay(waiting, expired(0.9999));
    expect(stage).toMatchObject({ quote: { worseThan: { receive: { amount: 1 } } } });
    expect(effectsOf(stage, pressPay)).toEqual([]);
    expect(effectsOf(waiting, expired(1))).toMatchObject([
      { kind: "refreshQuoteAt" },
      { kind: "placeOrder" },
    ]);
  });

  test("is followed by the payment at once", () => {
    const placed = (type: string): CheckoutEvent => ({
      area: "placement",
      type: "orderPlaced",
      order: makeOrder({ payment: makePayment({ type }) }),
    });
    expect(kindsOf(placing, placed("card"))).toEqual(["cancelQuote", "unfollowOrder", "payByCard"]);
    expect(kindsOf(placing, placed("crypto"))).toEqual([
      "cancelQuote",
      "unfollowOrder",
      "requestInstructions",
    ]);
  });

  test("stops the quotes when the checkout stops", () => {
    const stopped = { area: "checkout", type: "stopped", reason: "token_expired" } as const;
    expect(effectsOf(placing, stopped)).toEqual([{ kind: "cancelQuote" }]);
  });
});

describe("an order", () => {
  const follow = { kind: "followOrder", orderId: 77 };
  const unfollow = { kind: "unfollowOrder" };
  const completed = makeOrder({ status: "completed" });
  const byBank = makePayment({ type: "bank_transfer" });

  test("is followed while it may change", () => {
    const booting = { kind: "booting", notice: "none" } as const;
    expect(effectsOf(booting, found())).toEqual([follow]);
    expect(effectsOf(booting, found(completed))).toEqual([unfollow]);
    const ended: CheckoutEvent = { area: "ordered", type: "orderRead", order: completed };
    expect(effectsOf(ordered(), ended)).toEqual([unfollow]);
  });

  test("requests the instructions that it lacks, and follows once they are here", () => {
    const booting = { kind: "booting", notice: "none" } as const;
    const order = makeOrder({ payment: byBank });
    expect(effectsOf(booting, found(order))).toEqual([
      unfollow,
      { kind: "requestInstructions", order },
    ]);
    const payment = { ...byBank, instructions: makeInstructions("bank_transfer") };
    const answered = makeOrder({ payment });
    expect(
      effectsOf(ordered(order), { area: "ordered", type: "paymentAnswered", order: answered }),
    ).toEqual([follow]);
  });

  test("is followed while the page is visible and online, and again from the start", () => {
    for (const [type, effect] of [
      ["visible", follow],
      ["online", follow],
      ["offline", follow],
      ["hidden", unfollow],
    ] as const) {
      expect(effectsOf(ordered(), { area: "page", type })).toEqual([effect]);
    }
  });

  test("is not followed once its token has expired", () => {
    const expired = {
      area: "ordered",
      type: "connectionChanged",
      connection: "timed_out",
    } as const;
    expect(effectsOf(ordered(), expired)).toEqual([unfollow]);
    expect(effectsOf(replay(ordered(), expired).stage, { area: "page", type: "visible" })).toEqual([
      unfollow,
    ]);
  });

  test("a declined card can be paid again, and a payment on its way cannot", () => {
    const declined = ordered(makeOrder({ payment: makeAttempt("declined") }));
    const typed: CheckoutEvent = {
      area: "ordered",
      type: "cardTyped",
      fields: { number: "4000000000002701", expiry: "12/30", code: "123" },
    };
    const pay: CheckoutEvent = { area: "ordered", type: "payPressed" };
    const again = replay(declined, typed).stage;
    expect(kindsOf(again, pay)).toEqual(["unfollowOrder", "payByCard"]);
    expect(kindsOf(replay(again, pay).stage, pay)).toEqual([]);
  });

  test("is cancelled once, and followed again with the answer", () => {
    const confirm: CheckoutEvent = { area: "cancellation", type: "cancelConfirmed" };
    expect(effectsOf(ordered(), confirm)).toEqual([{ kind: "cancelOrder", orderId: 77 }]);
    const sent = replay(ordered(), confirm).stage;
    expect(effectsOf(sent, confirm)).toEqual([]);
    const answered: CheckoutEvent = {
      area: "cancellation",
      type: "cancelAnswered",
      order: makeOrder(),
      fault: "refused",
    };
    expect(effectsOf(sent, answered)).toEqual([follow]);
  });

  test("saves a refund address without its spaces", () => {
    const typed: CheckoutEvent = {
      area: "refund",
      type: "refundTyped",
      fields: { address: " bc1 q\n", memo: " 7 " },
    };
    const stage = replay(ordered(), typed).stage;
    expect(effectsOf(stage, { area: "refund", type: "refundPressed" })).toEqual([
      {
        kind: "saveRefundAddress",
        orderId: 77,
        request: { refundAddress: "bc1q", refundMemo: "7" },
      },
    ]);
  });

  test("of a used session is opened on request", () => {
    const session = makeSession({ orderId: 77 });
    const used = { kind: "used", session, locale: "en", orderId: 77 } as const;
    expect(effectsOf(used, { area: "checkout", type: "usedOrderPressed", orderId: 77 })).toEqual([
      { kind: "openUsedOrder", orderId: 77 },
    ]);
  });
});
