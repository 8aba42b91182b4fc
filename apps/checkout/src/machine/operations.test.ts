import { describe, expect, test } from "vitest";
import type { CheckoutEvent } from "./events.ts";
import { openChoosing } from "./open.ts";
import type { Choosing } from "./state.ts";
import { stepsOf } from "./steps.ts";
import { catalogueFor, makeQuote, makeSession, openAs, replay } from "./testing.ts";
import { deliveriesFor, methodsFor } from "./ways.ts";

const after = (choosing: Choosing, ...events: CheckoutEvent[]): Choosing =>
  replay(choosing, ...events).stage as Choosing;
const requested: CheckoutEvent = { area: "quote", type: "quoteRetryPressed" };
const ready = (stage: Choosing): Choosing =>
  after(stage, requested, {
    area: "quote",
    type: "quoteArrived",
    sequence: 1,
    quote: makeQuote(1),
    validUntil: 1,
  });
const next: CheckoutEvent = { area: "choosing", type: "advanced" };
const ADDRESS = { area: "address", type: "walletTyped", address: "abc" } as const;

describe("the steps of an operation", () => {
  test("are the ones that the operation needs", () => {
    expect(stepsOf(openAs("B"))).toEqual(["amount", "method", "wallet", "card", "review"]);
    expect(stepsOf(openAs("S"))).toEqual(["amount", "delivery", "payout", "review"]);
    expect(stepsOf(openAs("CC"))).toEqual(["amount", "wallet", "review"]);
    expect(stepsOf(openAs("FF"))).toEqual([
      "amount",
      "method",
      "delivery",
      "payout",
      "card",
      "review",
    ]);
  });

  test("leave the card out of a payment by bank transfer", () => {
    const stage = openAs("B");
    const sepa = methodsFor(stage).find(({ reference }) => reference === "sepa");
    if (!sepa) throw new Error("the test catalogue has no bank transfer");
    const steps = stepsOf(after(stage, { area: "choosing", type: "methodPicked", method: sepa }));
    expect(steps).toEqual(["amount", "method", "wallet", "review"]);
  });

  test("wait for the price of the picked method", () => {
    const onMethod = after(ready(openAs("B")), next);
    expect(onMethod.screen).toBe("method");
    const asking = after(onMethod, requested, next);
    expect(asking).toMatchObject({ screen: "method", continuePending: true });
    const priced = {
      area: "quote",
      type: "quoteArrived",
      sequence: 3,
      quote: makeQuote(1),
      validUntil: 1,
    } as const;
    expect(after(asking, priced)).toMatchObject({ screen: "wallet", continuePending: false });
    const failed = {
      area: "quote",
      type: "quoteFailed",
      sequence: 3,
      fault: { kind: "unavailable" },
    } as const;
    expect(after(asking, failed, next)).toMatchObject({ screen: "method", continuePending: false });
  });
});

describe("the addresses of a swap", () => {
  const onWallet = after(ready(openAs("CC")), next);

  test("the refund address may stay empty, the wallet address may not", () => {
    const out = after(
      onWallet,
      { ...ADDRESS, use: "wallet" },
      { area: "address", type: "addressCheckDue", use: "wallet" },
      { area: "address", type: "walletAccepted", use: "wallet" },
    );
    expect(after(out, next).screen).toBe("review");
    expect(after(onWallet, next)).toMatchObject({ screen: "wallet", continuePending: true });
  });

  test("Continue waits for both checks in either order", () => {
    const typed = after(
      onWallet,
      { ...ADDRESS, use: "wallet" },
      { ...ADDRESS, use: "refund" },
      next,
    );
    const one = after(typed, { area: "address", type: "walletAccepted", use: "refund" });
    expect(one).toMatchObject({ screen: "wallet", continuePending: true });
    expect(after(one, { area: "address", type: "walletAccepted", use: "wallet" }).screen).toBe(
      "review",
    );
  });

  test("a refused refund address keeps the customer on the screen", () => {
    const refused = {
      area: "address",
      type: "walletRefused",
      use: "refund",
      fault: { kind: "not_an_address" },
    } as const;
    const typed = after(
      onWallet,
      { ...ADDRESS, use: "wallet" },
      { ...ADDRESS, use: "refund" },
      next,
    );
    const stage = after(typed, { area: "address", type: "walletAccepted", use: "wallet" }, refused);
    expect(stage).toMatchObject({ screen: "wallet", continuePending: false });
  });
});

test("a swap never spends a coin that is only paid out", () => {
  const { currencies, methods } = catalogueFor("CC");
  const cryptoCurrencies = currencies.cryptoCurrencies.map((coin) =>
    coin.reference === "usdt-tron" ? { ...coin, paidOutOnly: true as const } : coin,
  );
  const session = makeSession({ operationTypes: ["CC"] });
  const options = { baseCurrency: "usdt-tron", targetCurrency: "usdt-tron" };
  const stage = openChoosing(
    { session, options, operation: "CC", locale: "en" },
    { currencies: { ...currencies, cryptoCurrencies }, methods },
  );
  expect(stage?.receive.reference).toBe("usdt-tron");
  const { spendCurrencies = [], ignored } = stage?.world ?? {};
  expect(spendCurrencies.map(({ id }) => id)).toEqual([101, 102]);
  expect(ignored).toEqual(["usdt-tron"]);
});

test("another coin unsets the address check of its side only", () => {
  const swap = openAs("CC");
  const other = swap.world.spendCurrencies.find(
    ({ id }) => id !== swap.spend.id && id !== swap.receive.id,
  );
  if (!other) throw new Error("the test catalogue has only two coins");
  const checked = { ...swap.wallet, address: "abc", check: "accepted" as const };
  const stage: Choosing = { ...swap, wallet: checked, refund: checked };
  const picked = { area: "choosing", type: "currencyPicked", currency: other } as const;
  const sold = after({ ...stage, picking: "spend" }, picked);
  expect([sold.wallet.check, sold.refund.check]).toEqual(["accepted", "unchecked"]);
  const bought = after({ ...stage, picking: "receive" }, picked);
  expect([bought.wallet.check, bought.refund.check]).toEqual(["unchecked", "accepted"]);
});

test("an address that was checked for the coin before is not accepted for another one", () => {
  const checking = after(
    ready(openAs("B")),
    next,
    next,
    { ...ADDRESS, use: "wallet" },
    { area: "address", type: "addressCheckDue", use: "wallet" },
  );
  expect(checking).toMatchObject({ screen: "wallet", wallet: { check: "checking" } });
  const other = checking.world.receiveCurrencies.find(({ id }) => id !== checking.receive.id);
  if (!other) throw new Error("the test catalogue has one coin");
  const accepted = { area: "address", type: "walletAccepted", use: "wallet" } as const;
  const picked = { area: "choosing", type: "currencyPicked", currency: other } as const;
  const late = after({ ...checking, picking: "receive" }, picked, accepted);
  expect(late).toMatchObject({ receive: { id: other.id }, wallet: { check: "unchecked" } });
});

describe("a payout card", () => {
  const sale = ready(openAs("S"));
  const card = deliveriesFor(sale).find(({ type }) => type === "card_push");
  if (!card) throw new Error("the test catalogue has no payout to a card");
  const onPayout: Choosing = { ...sale, screen: "payout", delivery: card };
  const typed = { number: "4000000000002701", expiry: "12/30", code: "123" };
  const token = { cardToken: "tok_12345678", brand: "Visa", lastFour: "2701" };

  test("continues once the processor has it, and its number is forgotten", () => {
    const waiting = after(
      onPayout,
      { area: "payout", type: "payoutCardTyped", fields: typed },
      next,
    );
    expect(waiting).toMatchObject({ screen: "payout", continuePending: true });
    const stage = after(waiting, {
      area: "payout",
      type: "payoutCardTokenized",
      number: typed.number,
      token,
    });
    expect(stage).toMatchObject({ screen: "review", payoutCard: { number: "", code: "", token } });
  });

  test("a refused card stays in the form", () => {
    const waiting = after(
      onPayout,
      { area: "payout", type: "payoutCardTyped", fields: typed },
      next,
    );
    const stage = after(waiting, { area: "payout", type: "payoutCardRefused", fault: "refused" });
    expect(stage).toMatchObject({ screen: "payout", continuePending: false, payoutCard: typed });
  });
});

describe("another operation", () => {
  const picked: CheckoutEvent = { area: "operation", type: "operationPicked", operation: "S" };

  test("replaces the present one, whose late prices are dropped", () => {
    const asking = after(openAs("B"), requested, picked);
    expect(asking).toMatchObject({ world: { operation: "B" }, switching: { operation: "S" } });
    const opened = after(asking, {
      area: "operation",
      type: "operationOpened",
      choosing: openAs("S"),
    });
    expect(opened.world.operation).toBe("S");
    const late = {
      area: "quote",
      type: "quoteArrived",
      sequence: 1,
      quote: makeQuote(1),
      validUntil: 1,
    } as const;
    expect(after(opened, late).quote.quote).toBeUndefined();
  });

  test("opens only if it was the last pick", () => {
    const other: CheckoutEvent = { area: "operation", type: "operationPicked", operation: "CC" };
    const opened = { area: "operation", type: "operationOpened", choosing: openAs("S") } as const;
    expect(after(openAs("B"), picked, other, opened).world.operation).toBe("B");
  });

  test("that cannot be opened changes nothing else", () => {
    const stage = after(openAs("B"), picked, {
      area: "operation",
      type: "operationFailed",
      operation: "S",
      status: "unavailable",
    });
    expect(stage).toMatchObject({
      world: { operation: "B" },
      switching: { status: "unavailable" },
    });
    expect(
      after(stage, { area: "operation", type: "operationPicked", operation: "B" }).switching,
    ).toBeUndefined();
  });

  test("holds Continue back until it has opened", () => {
    expect(after(ready(openAs("B")), picked, next).screen).toBe("amount");
  });
});
