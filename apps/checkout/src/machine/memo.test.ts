import { describe, expect, test } from "vitest";
import { addressChecks } from "../screens/wallet-checks.ts";
import { walletOf } from "./drafts.ts";
import type { CheckoutEvent } from "./events.ts";
import { cardPaymentFor, orderFor, refundRequestFor } from "./requests.ts";
import type { Choosing, Ordered } from "./state.ts";
import {
  CARD,
  makeChoosing,
  makeCurrency,
  makeOrder,
  makeQuote,
  makeSession,
  replay,
} from "./testing.ts";

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

  test("ends the wait of Continue when it or the network changes", () => {
    const network: CheckoutEvent = {
      area: "address",
      type: "networkPicked",
      use: "wallet",
      networkCode: "xrpl",
    };
    const { wallet } = onWallet();
    const waiting: Choosing = {
      ...onWallet(),
      continuePending: true,
      wallet: { ...wallet, memo: "42", check: "checking" },
    };
    const accepted: CheckoutEvent = { area: "address", type: "walletAccepted", use: "wallet" };
    expect(replay(waiting, accepted).stage).toMatchObject({ screen: "card" });
    for (const change of [typed("4"), WAIVED, network]) {
      const stage = replay(waiting, change, accepted).stage;
      expect(stage).toMatchObject({ screen: "wallet", continuePending: false });
    }
  });

  const addressed = (address: string): CheckoutEvent => ({
    area: "address",
    type: "walletTyped",
    use: "wallet",
    address,
  });
  const letters = (address: string): CheckoutEvent[] =>
    Array.from(address, (_, index) => addressed(address.slice(0, index + 1)));

  test("is asked for again when the address is replaced", () => {
    const none = { memo: "", withoutMemo: false };
    expect(after(WAIVED, addressed("rExchange")).wallet).toMatchObject(none);
    expect(after(typed("7"), addressed("rExchange")).wallet).toMatchObject(none);
    expect(after(WAIVED, addressed(""), addressed("rExchange")).wallet).toMatchObject(none);
    expect(after(typed("7"), addressed("")).wallet).toMatchObject(none);
  });

  test("stays when a letter is corrected, and the customer's word does not", () => {
    for (const corrected of ["rAddres", "rAdress", "rBddress", "rAdddress"]) {
      expect(after(typed("7"), addressed(corrected)).wallet.memo).toBe("7");
      expect(after(WAIVED, addressed(corrected)).wallet.withoutMemo).toBe(false);
    }
  });

  test("may be given before the address is typed or pasted", () => {
    const empty = after(addressed(""));
    for (const events of [letters("rLater"), [addressed("rLater")]]) {
      expect(replay(empty, WAIVED, ...events).stage).toMatchObject({
        wallet: { withoutMemo: true },
      });
      expect(replay(empty, typed("7"), ...events).stage).toMatchObject({ wallet: { memo: "7" } });
    }
  });

  test("is kept where the shop locked it", () => {
    const stage = after(WAIVED);
    const session = makeSession({ lock: { withoutMemo: true } });
    const locked: Choosing = { ...stage, world: { ...stage.world, session } };
    const { wallet } = replay(locked, addressed("rExchange")).stage as Choosing;
    expect(wallet.withoutMemo).toBe(true);
  });

  test("of a refund address is asked for again too", () => {
    const order = makeOrder({ status: "in_review" });
    const found = { order, session: makeSession(), locale: "en", reopened: true } as const;
    const fields = (typedFields: object): CheckoutEvent => ({
      area: "refund",
      type: "refundTyped",
      fields: typedFields,
    });
    const { refund } = replay(
      makeChoosing(),
      { area: "checkout", type: "orderFound", ...found },
      fields({ address: "rBack" }),
      fields({ memo: "", withoutMemo: true }),
      fields({ address: "rExchange" }),
    ).stage as Ordered;
    expect(refund).toMatchObject({ address: "rExchange", withoutMemo: false });
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

test("a locked memo fills the form", () => {
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
