import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CheckoutApi } from "../api/calls.ts";
import type { OrderedEvent } from "../machine/events.ts";
import {
  makeAttempt,
  makeInstructions,
  makeOrder,
  makePayment,
  makeQuote,
  makeSession,
} from "../machine/testing.ts";
import { done, makeWorld, refused, unreachable } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An order whose attempt of this number was refused. */
function declinedOn(number: number) {
  const payment = makeAttempt("declined");
  const attempt = payment.attempt && { ...payment.attempt, number };
  return makeOrder({ payment: { ...payment, attempt }, updatedAt: 1_000 + number });
}
const declined = declinedOn(1);
const offersOf = (quoteId: string) => [{ ...makeQuote(100), quoteId }];

function open(api: Partial<CheckoutApi>) {
  const world = makeWorld({ followOrder: () => new Promise(() => {}), ...api });
  const found = { order: declined, session: makeSession(), locale: "en", reopened: true } as const;
  world.boot();
  world.store.dispatch({ area: "checkout", type: "orderFound", ...found });
  const press = async (event: OrderedEvent) => {
    world.store.dispatch({ ...event, area: "ordered" });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { ...world, stage: world.orderedNow, press };
}

const REQUEST = { type: "methodsRequested" } as const;
const CHOOSE = { type: "methodChosen", quoteId: "first" } as const;
const RETRY = { type: "orderedScreenOpened", screen: "card" } as const;

describe("other ways to pay after a refused card", () => {
  test("are requested again before they expire", async () => {
    const offerMethods = vi
      .fn<CheckoutApi["offerMethods"]>()
      .mockResolvedValueOnce(done(offersOf("first")))
      .mockResolvedValueOnce(done(offersOf("second")))
      .mockResolvedValue(unreachable);
    const { stage, press } = open({ offerMethods });
    await press(REQUEST);
    expect(stage().methods).toMatchObject({ status: "open", offers: [{ quoteId: "first" }] });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(stage().methods?.offers[0]?.quoteId).toBe("second");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(stage().methods).toEqual({ status: "unreachable", offers: [] });
  });

  test("belong to one decline", async () => {
    const { stage, press } = open({ offerMethods: async () => done(offersOf("first")) });
    await press(REQUEST);
    await press({ type: "orderRead", order: declinedOn(2) });
    expect(stage().methods).toBeUndefined();
    await press(REQUEST);
    await press(RETRY);
    expect(stage()).toMatchObject({ screen: "card", methods: undefined });
  });

  test("leave no other card to try while the change is on its way", async () => {
    const { stage, press } = open({
      offerMethods: async () => done(offersOf("first")),
      changeMethod: () => new Promise(() => {}),
    });
    await press(REQUEST);
    await press(CHOOSE);
    await press(RETRY);
    expect(stage()).toMatchObject({ screen: "status", methods: { status: "sent" } });
  });

  test.each([
    [refused(409, "QUOTE_EXPIRED"), "refused"],
    [unreachable, "unreachable"],
  ] as const)("report how a change failed: %o", async (answer, status) => {
    const { stage, press } = open({
      offerMethods: async () => done(offersOf("first")),
      changeMethod: async () => answer,
      readOrder: async () => (status === "refused" ? done(declined) : unreachable),
    });
    await press(REQUEST);
    await press(CHOOSE);
    expect(stage().methods).toEqual({ status, offers: [] });
  });

  test("are gone once the order is a transfer, also when only the answer was lost", async () => {
    const instructions = makeInstructions("bank_transfer");
    const payment = makePayment({ type: "bank_transfer", instructions });
    const transfer = makeOrder({ payment, updatedAt: 1_009 });
    const { stage, press } = open({
      offerMethods: async () => done(offersOf("first")),
      changeMethod: async () => unreachable,
      readOrder: async () => done(transfer),
    });
    await press(REQUEST);
    await press(CHOOSE);
    expect(stage()).toMatchObject({ screen: "instructions", methods: undefined });
  });
});

test.each([
  [refused(409, "INVALID_ORDER_STATE"), "refused"],
  [unreachable, "unreachable"],
] as const)("a simulated payment that failed says why: %o", async (answer, simulation) => {
  const { stage, press } = open({ simulatePayment: async () => answer });
  await press({ type: "simulatePressed", payment: "exact" });
  expect(stage().simulation).toBe(simulation);
});
