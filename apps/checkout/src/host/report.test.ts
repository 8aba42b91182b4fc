import { expect, test } from "vitest";
import type { CheckoutEvent } from "../machine/events.ts";
import { reduce } from "../machine/reduce.ts";
import type { CheckoutState, Choosing } from "../machine/state.ts";
import { makeInstructions, makeOrder, makePayment, openAs } from "../machine/testing.ts";
import { eventsOf, snapshotOf } from "./report.ts";

const heard = (state: CheckoutState, event: CheckoutEvent): readonly string[] =>
  eventsOf({ previous: state, next: reduce(state, event).state });
const at = (stage: Choosing): CheckoutState => ({ stage, exit: "none" });
const next: CheckoutEvent = { area: "choosing", type: "advanced" };

test("leaving a screen by Continue is reported, leaving it by Back is not", () => {
  const buy = openAs("B");
  const ready = { ...buy.quote, status: "ready" } as const;
  expect(heard(at({ ...buy, screen: "method", quote: ready }), next)).toContain("methodSelected");
  const wallet = { ...buy.wallet, address: "abc", check: "accepted" } as const;
  expect(heard(at({ ...buy, screen: "wallet", wallet }), next)).toContain("walletAccepted");
  const swap = { ...openAs("CC"), screen: "wallet", wallet } as const;
  expect(heard(at(swap), next)).toContain("walletAccepted");
  expect(heard(at(swap), { area: "choosing", type: "wentBack" })).toEqual(["screenChanged"]);
});

test("only a card payment is submitted: fetching payment instructions pays nothing", () => {
  const placed = (type: string) =>
    heard(at(openAs("B")), {
      area: "placement",
      type: "orderPlaced",
      order: makeOrder({ payment: makePayment({ type }) }),
    });
  expect(placed("card")).toContain("paymentSubmitted");
  expect(placed("bank_transfer")).toContain("orderPlaced");
  expect(placed("bank_transfer")).not.toContain("paymentSubmitted");
});

test("an order found when the checkout opens again is reported as placed", () => {
  const { world } = openAs("B");
  const booting: CheckoutState = { stage: { kind: "booting" }, exit: "none" } as CheckoutState;
  const found = { session: world.session, locale: world.locale, order: makeOrder() };
  const events = heard(booting, {
    area: "checkout",
    type: "orderFound",
    ...found,
    reopened: true,
  } as CheckoutEvent);
  expect(events).toContain("orderPlaced");
});

test("no snapshot of an order contains an account, an address or a card", () => {
  const instructions = { ...makeInstructions("crypto"), walletAddress: "secret-address" };
  const order = makeOrder({
    payment: makePayment({ type: "crypto", instructions }),
    refundAddress: "secret-refund",
    delivery: {
      ...makeOrder().delivery,
      walletAddress: "secret-wallet",
      fields: [{ name: "iban", label: "IBAN", value: "secret-iban" }],
    },
  });
  const stage = openAs("S", { payout: { iban: "secret-iban" } });
  const state = reduce(at(stage), { area: "placement", type: "orderPlaced", order }).state;
  expect(JSON.stringify([snapshotOf(at(stage)), snapshotOf(state)])).not.toContain("secret");
});
