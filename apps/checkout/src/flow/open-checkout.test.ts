import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CheckoutApi } from "../api/calls.ts";
import { speak, spokenLocale } from "../copy/speech.ts";
import { makeOrder, makeSession } from "../machine/testing.ts";
import { openCheckout } from "./open-checkout.ts";
import { done, makeWorld, refused, unreachable } from "./testing.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The page of a used session, where the customer presses the link to its order. */
async function see(readOrder: CheckoutApi["readOrder"]) {
  const { store } = makeWorld({ readOrder });
  const session = makeSession({ orderId: 77 });
  store.dispatch({ area: "checkout", type: "sessionFoundUsed", session, locale: "en" });
  store.dispatch({ area: "checkout", type: "usedOrderPressed", orderId: 77 });
  await vi.advanceTimersByTimeAsync(2_000);
  return store.read().stage;
}

test("the order opens as soon as it can be read", async () => {
  const readOrder = vi
    .fn<CheckoutApi["readOrder"]>()
    .mockResolvedValueOnce(unreachable)
    .mockResolvedValue(done(makeOrder({ status: "processing" })));
  expect(await see(readOrder)).toMatchObject({ kind: "ordered", screen: "status", reopened: true });
});

test("an expired token is reported", async () => {
  const stage = await see(async () => refused(401, "TOKEN_EXPIRED"));
  expect(stage).toMatchObject({ kind: "stopped", reason: "token_expired" });
});

test("a forbidden order is read once, and the page stays", async () => {
  const readOrder = vi.fn(async () => refused(403, "INSUFFICIENT_SCOPE"));
  expect(await see(readOrder)).toMatchObject({ kind: "used", orderId: 77 });
  expect(readOrder).toHaveBeenCalledOnce();
});

test("the page's language is spoken before the session has been read", async () => {
  await speak("en");
  const api = { readSession: () => new Promise(() => {}) } as unknown as CheckoutApi;
  const { store, page } = makeWorld(api);
  void openCheckout({ store, api, page, readDraft: async () => undefined }, { locale: "de" });
  await vi.waitFor(() => expect(spokenLocale()).toBe("de"));
  await speak("en");
});
