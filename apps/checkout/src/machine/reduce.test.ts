import { describe, expect, test } from "vitest";
import type { CheckoutEvent } from "./events.ts";
import { chooseOperation, offeredOperations, openChoosing } from "./open.ts";
import { reduce } from "./reduce.ts";
import { isRefused } from "./reduce-placement.ts";
import { changedSides } from "./reduce-quote.ts";
import { quoteRequestFor } from "./requests.ts";
import type { Choosing, Ordered } from "./state.ts";
import {
  CATALOGUE,
  catalogueFor,
  makeAttempt,
  makeChoosing,
  makeOrder,
  makeQuote,
  makeSession,
  openAs,
  replay,
} from "./testing.ts";
import { deliveriesFor } from "./ways.ts";

const choosingAfter = (choosing: Choosing, ...events: CheckoutEvent[]): Choosing =>
  replay(choosing, ...events).stage as Choosing;
const pay: CheckoutEvent = { area: "placement", type: "placePressed" };
const requested: CheckoutEvent = { area: "quote", type: "quoteRetryPressed" };
const arrived = (sequence: number, receive: number): CheckoutEvent => ({
  area: "quote",
  type: "quoteArrived",
  sequence,
  quote: makeQuote(receive),
  validUntil: 30_000,
});

/** The stage after another price. */
const priced = (stage: Choosing, receive: number): Choosing =>
  choosingAfter(stage, requested, arrived(stage.quote.sequence + 1, receive));

describe("the live quote", () => {
  test("an answer to an older request is dropped", () => {
    const stage = choosingAfter(makeChoosing(), requested, requested, arrived(1, 0.5));
    expect(stage.quote).toMatchObject({ status: "loading", quote: undefined });
    expect(choosingAfter(stage, arrived(2, 0.7)).quote.quote?.receive.amount).toBe(0.7);
  });

  test("a failure of an older request is dropped too", () => {
    const late = {
      area: "quote",
      type: "quoteFailed",
      sequence: 1,
      fault: { kind: "unreachable" },
    } as const;
    expect(choosingAfter(makeChoosing(), requested, requested, late).quote.status).toBe("loading");
  });

  test("the last quote stays while a new one is loading", () => {
    const stage = choosingAfter(makeChoosing(), requested, arrived(1, 0.5), requested);
    expect(stage.quote).toMatchObject({ status: "loading", quote: { receive: { amount: 0.5 } } });
  });

  test("Continue waits for the quote", () => {
    const waiting = choosingAfter(makeChoosing(), requested, {
      area: "choosing",
      type: "advanced",
    });
    expect(waiting).toMatchObject({ screen: "amount", continuePending: true });
    expect(choosingAfter(waiting, arrived(1, 0.5))).toMatchObject({ screen: "method" });
  });

  test("typing after Continue cancels it", () => {
    const typed = { area: "choosing", type: "amountTyped", side: "spend", text: "7" } as const;
    const stage = choosingAfter(
      makeChoosing(),
      requested,
      { area: "choosing", type: "advanced" },
      typed,
      arrived(1, 1),
    );
    expect(stage.screen).toBe("amount");
  });
});

describe("a price that changes on review", () => {
  const review = choosingAfter(makeChoosing(), requested, arrived(1, 1));
  const onReview: Choosing = { ...review, screen: "review" };

  test("must be accepted when it is worse by more than a thousandth", () => {
    const worse = choosingAfter(onReview, requested, arrived(2, 0.9989));
    expect(worse.quote.worseThan?.receive.amount).toBe(1);
    expect(choosingAfter(worse, pay).submission).toBe("none");
    expect(choosingAfter(worse, { area: "quote", type: "priceAccepted" }, pay).submission).toBe(
      "sent",
    );
  });

  test("needs no acceptance when it is better or hardly worse", () => {
    for (const receive of [0.999, 1, 1.5]) {
      const stage = choosingAfter(onReview, requested, arrived(2, receive));
      expect(stage.quote.worseThan).toBeUndefined();
    }
  });

  test("is compared with the price the customer saw, not with an unaccepted one", () => {
    const sliding = [0.9985, 0.998, 0.9975].flatMap((receive, index) => [
      requested,
      arrived(index + 2, receive),
    ]);
    const stage = choosingAfter(onReview, ...sliding);
    expect(stage.quote.worseThan?.receive.amount).toBe(1);
    expect(priced(stage, 1).quote.worseThan).toBeUndefined();
  });

  const changes = (...prices: readonly number[]): CheckoutEvent[] =>
    prices.flatMap((receive, index) => [requested, arrived(index + 2, receive)]);

  test("must be accepted when many small steps add up", () => {
    const slid = choosingAfter(onReview, ...changes(0.9995, 0.999, 0.9985));
    expect(slid.quote.worseThan?.receive.amount).toBe(1);
    const risen = choosingAfter(onReview, ...changes(1.1, 1.0995, 1.099, 1.0985));
    expect(risen.quote.worseThan?.receive.amount).toBe(1.1);
  });

  test("is compared with the accepted price, or with the first price of the review", () => {
    const accepted = choosingAfter(onReview, ...changes(0.9), {
      area: "quote",
      type: "priceAccepted",
    });
    expect(priced(accepted, 0.9).quote.worseThan).toBeUndefined();
    const slid = choosingAfter(onReview, ...changes(0.9995), {
      area: "choosing",
      type: "wentBack",
    });
    const again: Choosing = { ...slid, screen: "review" };
    expect(priced(again, 0.9989).quote.worseThan).toBeUndefined();
  });

  test("names the amounts that changed, and no other", () => {
    const spend = { amount: 100.2, currencyCode: "EUR", currencyReference: "eur" };
    expect(changedSides(makeQuote(1), makeQuote(0.9))).toEqual(["receive"]);
    expect(changedSides(makeQuote(1), makeQuote(1, { spend }))).toEqual(["spend"]);
    expect(changedSides(makeQuote(1), makeQuote(0.9, { spend }))).toEqual(["receive", "spend"]);
  });

  test("is worse when the same coins cost more", () => {
    const dearer = makeQuote(1, {
      spend: { amount: 100.2, currencyCode: "EUR", currencyReference: "eur" },
    });
    const event = {
      area: "quote",
      type: "quoteArrived",
      sequence: 2,
      quote: dearer,
      validUntil: 1,
    } as const;
    expect(choosingAfter(onReview, requested, event).quote.worseThan).toBeDefined();
  });
});

describe("placing an order", () => {
  const ready = choosingAfter(makeChoosing({ screen: "review" }), requested, arrived(1, 1));

  test("is not possible at an old price that the service no longer gives", () => {
    const failed = (kind: "unavailable" | "unsupported_pair"): Choosing =>
      choosingAfter(ready, requested, {
        area: "quote",
        type: "quoteFailed",
        sequence: 2,
        fault: { kind },
      });
    const refused = failed("unsupported_pair");
    expect(isRefused(refused)).toBe(true);
    expect(choosingAfter(refused, pay).submission).toBe("none");
    // The next attempt may bring a price, and this one is still held.
    const waiting = failed("unavailable");
    expect(isRefused(waiting)).toBe(false);
    expect(choosingAfter(waiting, pay).submission).toBe("sent");
  });

  test("starts once, however often Pay is pressed", () => {
    const once = replay(ready, { area: "placement", type: "placePressed" });
    const twice = reduce(once, { area: "placement", type: "placePressed" });
    expect(twice.state).toBe(once);
    expect(twice.effects).toEqual([]);
  });

  test("nothing the customer types changes it", () => {
    const placing = replay(ready, { area: "placement", type: "placePressed" });
    const typed = { area: "address", type: "walletTyped", use: "wallet", address: "evil" } as const;
    expect(reduce(placing, typed).state).toBe(placing);
    expect(reduce(placing, { area: "choosing", type: "wentBack" }).state).toBe(placing);
  });

  test("continues with the payment as soon as the order is placed", () => {
    const { stage } = replay(
      ready,
      { area: "placement", type: "placePressed" },
      { area: "placement", type: "orderPlaced", order: makeOrder() },
    );
    expect(stage).toMatchObject({ kind: "ordered", submission: "sent", screen: "authentication" });
  });
});

describe("an order", () => {
  const paying = replay(makeChoosing(), {
    area: "placement",
    type: "orderPlaced",
    order: makeOrder(),
  }).stage as Ordered;
  const after = (...events: CheckoutEvent[]): Ordered => replay(paying, ...events).stage as Ordered;

  test("shows the bank's check, then its status", () => {
    const payment = makeAttempt("challenge");
    const pending = makeOrder({ status: "payment_pending", payment });
    const checking = after({ area: "ordered", type: "paymentAnswered", order: pending });
    expect(checking.screen).toBe("authentication");
    const done = makeOrder({ status: "completed", updatedAt: 1_005 });
    const { stage } = replay(checking, { area: "ordered", type: "orderRead", order: done });
    expect(stage).toMatchObject({ screen: "status" });
  });

  test("forgets the card's secrets once they are answered", () => {
    const typed = { number: "4000000000002701", code: "123", expiry: "12/30", city: "Bonn" };
    const stage = after(
      { area: "ordered", type: "cardTyped", fields: typed },
      { area: "ordered", type: "paymentAnswered", order: makeOrder({ status: "processing" }) },
    );
    expect(stage.card).toMatchObject({ number: "", code: "", expiry: "", city: "Bonn" });
  });

  test("stays on the card form while a new card is typed", () => {
    const declined = makeOrder({ payment: makeAttempt("declined") });
    const stage = after(
      { area: "ordered", type: "paymentAnswered", order: declined },
      { area: "ordered", type: "orderedScreenOpened", screen: "card" },
      { area: "ordered", type: "orderRead", order: { ...declined, updatedAt: 1_010 } },
    );
    expect(stage.screen).toBe("card");
  });

  test("an older answer does not undo a newer one", () => {
    const stage = after(
      {
        area: "ordered",
        type: "paymentAnswered",
        order: makeOrder({ status: "sending", updatedAt: 1_010 }),
      },
      {
        area: "ordered",
        type: "orderRead",
        order: makeOrder({ status: "processing", updatedAt: 1_005 }),
      },
    );
    expect(stage.order.status).toBe("sending");
  });

  test("is not paid twice at once", () => {
    expect(after({ area: "ordered", type: "payPressed" })).toBe(paying);
  });
});

describe("opening", () => {
  const open = (lock: object, options: object = {}) =>
    openChoosing(
      { session: makeSession({ lock }), options, operation: "B", locale: "en" },
      CATALOGUE,
    );

  test("a locked term takes precedence over the page's options", () => {
    const stage = open(
      { baseCurrency: "JPY", baseAmount: 5000, walletAddress: "locked" },
      { baseCurrency: "EUR", baseAmount: 1, walletAddress: "other" },
    );
    expect(stage).toMatchObject({
      spend: { code: "JPY" },
      amount: { side: "spend", text: "5,000" },
      wallet: { address: "locked" },
    });
  });

  test("a code names the coin's first network, a reference or a locked network its own", () => {
    expect(open({}, { targetCurrency: "usdt" })?.receive.id).toBe(102);
    expect(open({}, { targetCurrency: "USDT-TRON" })?.receive.id).toBe(103);
    expect(open({ targetCurrency: "USDT", networkCode: "tron" })?.receive.id).toBe(103);
  });

  test("unknown names are ignored and reported", () => {
    const stage = open({}, { targetCurrency: "NOPE", paymentMethod: "cheque" });
    expect(stage).toMatchObject({ receive: { code: "BTC" }, method: { reference: "card" } });
    expect(stage?.world.ignored).toEqual(["cheque", "NOPE"]);
  });

  test("the amount to pay takes precedence over the amount to receive", () => {
    expect(open({}, { baseAmount: 50, targetAmount: 2 })?.amount.side).toBe("spend");
    expect(open({}, { targetAmount: 2 })?.amount).toEqual({ side: "receive", text: "2" });
  });

  test("(b): the merchant's default amount applies to its default currency, unless the page names one", () => {
    const defaults = {
      baseCurrency: "eur",
      targetCurrency: "btc",
      baseAmount: 75,
      targetAmount: 3,
    };
    const opened = (options: object, change: object = {}) =>
      openChoosing(
        {
          session: makeSession({ defaults: { ...defaults, ...change } }),
          options,
          operation: "B",
          locale: "en",
        },
        CATALOGUE,
      )?.amount;
    expect(opened({})).toEqual({ side: "spend", text: "75" });
    expect(opened({ baseAmount: 50 })).toEqual({ side: "spend", text: "50" });
    expect(opened({ targetAmount: 2 })).toEqual({ side: "receive", text: "2" });
    expect(opened({}, { baseAmount: undefined })).toEqual({ side: "receive", text: "3" });
    expect(opened({ baseCurrency: "JPY" })).toEqual({ side: "receive", text: "3" });
  });

  test("a locked currency that is not offered cannot be opened", () => {
    expect(open({ targetCurrency: "NOPE" })).toBeUndefined();
  });

  test("a locked payment method is kept: only the currencies that it takes are offered", () => {
    const [card, sepa] = CATALOGUE.methods;
    if (!card || !sepa) throw new Error("the test catalogue lacks a method");
    const catalogue = { ...CATALOGUE, methods: [card, { ...sepa, currencyCodes: ["EUR"] }] };
    const session = makeSession({
      defaults: { baseCurrency: "jpy", targetCurrency: "btc" },
      lock: { paymentMethod: "sepa" },
    });
    const opening = { session, options: {}, operation: "B", locale: "en" } as const;
    const stage = openChoosing(opening, catalogue);
    if (!stage) throw new Error("it did not open");
    expect(stage).toMatchObject({ spend: { code: "EUR" }, method: { reference: "sepa" } });
    for (const currency of stage.world.spendCurrencies) {
      const picked = choosingAfter(
        { ...stage, picking: "spend" },
        { area: "choosing", type: "currencyPicked", currency },
      );
      expect(picked.method.reference).toBe("sepa");
    }
    const yen = makeSession({ lock: { paymentMethod: "sepa", baseCurrency: "JPY" } });
    expect(openChoosing({ ...opening, session: yen }, catalogue)).toBeUndefined();
  });

  test("coins are received on the locked network only, with any coin picked", () => {
    const bought = open({ networkCode: "tron" }, { targetCurrency: "BTC" });
    expect(bought?.receive.id).toBe(103);
    expect(bought?.world.receiveCurrencies.map(({ id }) => id)).toEqual([103]);
    const session = makeSession({ operationTypes: ["CC"], lock: { networkCode: "Bitcoin" } });
    const swap = openChoosing(
      { session, options: {}, operation: "CC", locale: "en" },
      catalogueFor("CC"),
    );
    expect(swap?.world.receiveCurrencies.map(({ id }) => id)).toEqual([101]);
    expect(swap?.spend.code).toBe("USDT");
  });

  test("a locked network without coins cannot be opened, and does not bind a sale", () => {
    expect(open({ networkCode: "solana" })).toBeUndefined();
    const session = makeSession({ operationTypes: ["S"], lock: { networkCode: "solana" } });
    const opening = { session, options: {}, operation: "S", locale: "en" } as const;
    expect(openChoosing(opening, catalogueFor("S"))?.world.receiveCurrencies).toHaveLength(2);
  });

  test("no card form opens in production", () => {
    const session = makeSession({ environment: "prod" });
    const opening = { session, options: {}, operation: "B", locale: "en" } as const;
    const cards = { ...CATALOGUE, methods: CATALOGUE.methods.slice(0, 1) };
    expect(openChoosing(opening, cards)).toBeUndefined();
    expect(openChoosing(opening, CATALOGUE)?.method.reference).toBe("sepa");
    const sale = openChoosing({ ...opening, operation: "S" }, catalogueFor("S"));
    expect(sale && deliveriesFor(sale).map(({ reference }) => reference)).toEqual(["sepa", "wire"]);
  });

  test("an operation is offered if the service has it and no other is locked", () => {
    const offered = makeSession({ operationTypes: ["FF", "B", "S"] });
    expect(offeredOperations(offered)).toEqual(["B", "S", "FF"]);
    expect(chooseOperation(offered, { operationType: "S" })).toBe("S");
    expect(chooseOperation(offered, { operationType: "CC" })).toBe("B");
    const locked = { ...offered, lock: { operationType: "S" as const } };
    expect(chooseOperation(locked, { operationType: "B" })).toBe("S");
    const lacking = { ...offered, lock: { operationType: "CC" as const } };
    expect(chooseOperation(lacking, { operationType: "B" })).toBeUndefined();
  });

  test("each operation opens with two different currencies of its own kinds", () => {
    const kinds = (["B", "S", "CC", "FF"] as const).map((operation) => {
      const { spend, receive } = openAs(operation);
      expect(spend.id).not.toBe(receive.id);
      return spend.type + receive.type;
    });
    expect(kinds).toEqual(["FC", "CF", "CC", "FF"]);
  });

  test("the cheapest delivery is chosen, and one that fits after a change of currency", () => {
    const sale = openAs("S");
    expect(sale).toMatchObject({ receive: { code: "EUR" }, delivery: { reference: "sepa" } });
    const yen = CATALOGUE.currencies.fiatCurrencies[1];
    if (!yen) throw new Error("the test catalogue has no yen");
    const picking = { ...sale, picking: "receive" as const };
    const moved = choosingAfter(picking, {
      area: "choosing",
      type: "currencyPicked",
      currency: yen,
    });
    expect(moved.delivery?.reference).toBe("card_push");
  });
});

test("a quote is requested for exactly the typed amount, if it is usable", () => {
  const typed = (text: string, side: "spend" | "receive" = "spend") =>
    quoteRequestFor(makeChoosing({ amount: { side, text } }));
  expect(typed("1,234.50")).toMatchObject({ baseAmount: 1234.5, baseCurrencyId: 1 });
  expect(typed("0.00000001", "receive")).toMatchObject({ targetAmount: 1e-8 });
  for (const text of ["", "0", "abc", "1.234567", "1234567890123456"]) {
    expect(typed(text)).toBeUndefined();
  }
});
