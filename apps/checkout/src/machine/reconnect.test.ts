import { describe, expect, test } from "vitest";
import type { CheckoutEvent } from "./events.ts";
import type { CallFault, Ordered } from "./state.ts";
import { effectsOf, makeOrder, makeSession, openAs, replay } from "./testing.ts";

const found = {
  area: "checkout",
  type: "orderFound",
  session: makeSession(),
  locale: "en",
  order: makeOrder({ status: "in_review", statusReason: "rate_moved" }),
  reopened: true,
} as const;

const afterFaults = (fault: CallFault): Ordered => ({
  ...(replay(openAs("B"), found).stage as Ordered),
  connection: "lost",
  methods: { status: fault, offers: [] },
  simulation: fault,
  mail: { status: fault, request: undefined },
  refund: { address: "bc1q", memo: "", withoutMemo: false, status: "idle", fault },
  cancellation: fault,
});
const stageAfter = (stage: Ordered, event: CheckoutEvent) => replay(stage, event).stage as Ordered;

const back = { area: "ordered", type: "connectionChanged", connection: "fine" } as const;
const read = { area: "ordered", type: "orderRead", order: found.order } as const;
const online = { area: "page", type: "online" } as const;

describe.each([
  ["the stream is open", back],
  ["an order was read", read],
  ["the device is online", online],
] as const)("once %s again", (_case, event) => {
  test("no notice of an order says that the connection is lost, and what was typed stays", () => {
    expect(stageAfter(afterFaults("unreachable"), event)).toMatchObject({
      methods: undefined,
      simulation: "none",
      mail: { status: "none" },
      refund: { address: "bc1q", fault: undefined },
      cancellation: "none",
    });
  });

  test("a refusal of the service stays", () => {
    expect(stageAfter(afterFaults("refused"), event)).toMatchObject({
      simulation: "refused",
      mail: { status: "refused" },
      refund: { fault: "refused" },
      cancellation: "refused",
    });
  });

  test("a price that did not arrive is requested again", () => {
    const failed = { ...afterFaults("refused"), price: { status: "failed", offer: undefined } };
    expect(stageAfter(failed as Ordered, event).price?.status).toBe("open");
    expect(effectsOf(failed as Ordered, event)).toContainEqual({
      kind: "requestPrice",
      orderId: 77,
    });
  });
});

describe("before an order, once the device is online again", () => {
  const typed = openAs("B", { screen: "wallet" });
  const unchecked = {
    ...typed,
    wallet: {
      ...typed.wallet,
      address: "bc1q",
      check: "refused",
      fault: { kind: "unreachable" },
    },
  } as const;

  test("an address that nobody could check is checked again", () => {
    expect(replay(unchecked, online).stage).toMatchObject({
      wallet: { check: "checking", fault: undefined },
    });
    expect(effectsOf(unchecked, online)).toContainEqual(
      expect.objectContaining({ kind: "lookUpAddress", use: "wallet" }),
    );
  });

  test("an address that is wrong stays wrong", () => {
    const fault = { kind: "not_an_address" } as const;
    const wrong = { ...unchecked, wallet: { ...unchecked.wallet, fault } };
    expect(replay(wrong, online).stage).toMatchObject({ wallet: { check: "refused", fault } });
  });

  test("no notice says that an operation or the card processor could not be reached", () => {
    const { payoutCard } = typed;
    const stage = openAs("B", {
      switching: { operation: "S", status: "unreachable" },
      payoutCard: { ...payoutCard, fault: "unreachable" },
    });
    expect(replay(stage, online).stage).toMatchObject({
      switching: undefined,
      payoutCard: { fault: undefined },
    });
  });
});

test("a card that the service refused is not called refused any more once another is typed", () => {
  const stage = afterFaults("refused");
  const type = { area: "ordered", type: "cardTyped", fields: { number: "4" } } as const;
  const refused = { ...stage, fault: "payment_refused" } as const;
  expect(stageAfter(refused, type).fault).toBeUndefined();
  const unsent = { ...stage, fault: "payment_not_sent" } as const;
  expect(stageAfter(unsent, type).fault).toBe("payment_not_sent");
});
