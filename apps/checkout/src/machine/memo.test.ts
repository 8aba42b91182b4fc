import { describe, expect, test } from "vitest";
import { addressChecks } from "../screens/wallet-checks.ts";
import { walletOf } from "./drafts.ts";
import type { CheckoutEvent } from "./events.ts";
import { cardPaymentFor, orderFor, refundRequestFor } from "./requests.ts";
import type { Choosing } from "./state.ts";
import { CARD, makeChoosing, makeCurrency, makeQuote, makeSession, replay } from "./testing.ts";

const XRP = {
  ...makeCurrency({ id: 105, code: "XRP", networkCode: "xrpl" }),
  memo: "optional" as const,
};

/** The wallet screen of a coin with tags, with an accepted address. */
function onWallet(): Choosing {
  const stage = makeChoosing({ screen: "wallet", receive: XRP });
  return {
    ...stage,
    quote: { ...stage.quote, quote: makeQuote(1) },
    wallet: { ...stage.wallet, address: "rAddress", check: "accepted" },
  };
}

const typed = (memo: string): CheckoutEvent => ({
  area: "address",
  type: "memoTyped",
  use: "wallet",
  memo,
});
const WAIVED: CheckoutEvent = {
  area: "address",
  type: "memoWaived",
  use: "wallet",
  withoutMemo: true,
};
const after = (...events: CheckoutEvent[]): Choosing =>
  replay(onWallet(), ...events).stage as Choosing;
const wrongOf = (stage: Choosing) =>
  addressChecks(stage).flatMap(({ id, error }) => (error ? [id] : []));

describe("contract (h): the tag of an address", () => {
  test("is typed, or the customer says that the address needs none", () => {
    expect(wrongOf(after())).toEqual(["wallet-memo"]);
    expect(wrongOf(after(typed("7")))).toEqual([]);
    expect(wrongOf(after(WAIVED))).toEqual([]);
  });

  test("is in the order, or the customer's word is", () => {
    expect(orderFor(after(typed(" 7 ")))).toMatchObject({ walletAddress: "rAddress", memo: "7" });
    expect(orderFor(after(typed("7")))).not.toHaveProperty("withoutMemo");
    expect(orderFor(after(typed("7"), WAIVED))).toMatchObject({ withoutMemo: true });
    expect(orderFor(after(typed("7"), WAIVED))).not.toHaveProperty("memo");
    expect(orderFor(after(WAIVED, typed("8")))).not.toHaveProperty("withoutMemo");
  });

  test("goes with a refund address too", () => {
    const draft = { address: " rBack ", memo: "", status: "idle", fault: undefined } as const;
    expect(refundRequestFor({ ...draft, withoutMemo: true })).toEqual({
      refundAddress: "rBack",
      refundWithoutMemo: true,
    });
    expect(refundRequestFor({ ...draft, memo: "7", withoutMemo: false })).toEqual({
      refundAddress: "rBack",
      refundMemo: "7",
    });
  });
});

test("S6: a locked memo fills the form", () => {
  const session = makeSession({ lock: { walletAddress: "rShop", memo: "7" } });
  expect(walletOf(session, "rPage")).toMatchObject({ address: "rShop", memo: "7" });
  const without = makeSession({ lock: { walletAddress: "rShop", withoutMemo: true } });
  expect(walletOf(without, undefined)).toMatchObject({ memo: "", withoutMemo: true });
});

test("contract (g): no postal code is sent from a country without them", () => {
  const postalCodeOf = (countryCode: string) =>
    cardPaymentFor({ ...CARD, countryCode })?.billingAddress.postalCode;
  expect(postalCodeOf("HK")).toBe("");
  expect(postalCodeOf("DE")).toBe("2");
});
