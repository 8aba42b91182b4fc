import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import type { ScreeningSubject } from "../../domain/ports/screener.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { makeOrderWorld, ORDERS, type OrderWorld, type WantedOrder } from "../../testing/orders.ts";
import { sandboxAddress } from "../../testing/sandbox-addresses.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { cancelOrder } from "./cancel.ts";
import { holdOrder } from "./hold.ts";
import { payOrder } from "./pay.ts";
import { recordRefundAddress } from "./record-refund-address.ts";
import { refundOrder } from "./refund.ts";
import { releaseOrder } from "./release.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

const buyTo = (walletAddress: string): WantedOrder => ({
  ...ORDERS.buyByBank,
  request: { walletAddress },
});
const SANCTIONED = sandboxAddress("bitcoin", "sanctioned");
const LATER = sandboxAddress("bitcoin", "sanctioned_later");

describe("an order is screened before its money", () => {
  test.each<[string, WantedOrder, string]>([
    ["wallet address", buyTo(SANCTIONED), `address ${SANCTIONED}`],
    [
      "refund address",
      {
        ...ORDERS.sell,
        request: { ...ORDERS.sell.request, refundAddress: sandboxAddress("evm", "sanctioned") },
      },
      `address ${sandboxAddress("evm", "sanctioned")}`,
    ],
    [
      "bank beneficiary",
      {
        ...ORDERS.transfer,
        request: {
          payout: { ...ORDERS.transfer.request.payout, accountHolder: "Ivan Sanctioned" },
        },
      },
      "beneficiary",
    ],
    [
      "address with its memo",
      {
        ...buyTo("rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf"),
        receive: "xrp",
        request: { walletAddress: "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf", memo: "90909" },
      },
      "address rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf memo 90909",
    ],
    [
      "account that an X-address encodes",
      { ...buyTo("X7vPZdia4vWxyZ35oxtsirub7EUteyMWbZBsPDTZaH8zcYD"), receive: "xrp" },
      `address ${sandboxAddress("xrp", "sanctioned")}`,
    ],
    [
      "tag that an X-address encodes",
      { ...buyTo("XVLhHMPHU98es4dbozjVtdWzVrDjtVoVzmGxd9UhJTsHK63"), receive: "xrp" },
      "address rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf memo 90909",
    ],
    [
      "customer's name with an invisible character",
      {
        ...ORDERS.buyByBank,
        request: { ...ORDERS.buyByBank.request, customer: { lastName: "Sanc\u200btioned" } },
      },
      "customer",
    ],
    [
      "bank beneficiary with a no-break space",
      {
        ...ORDERS.transfer,
        request: {
          payout: { ...ORDERS.transfer.request.payout, accountHolder: "Ivan\u00a0Sanctioned" },
        },
      },
      "beneficiary",
    ],
  ])("a hit of its %s holds it unpaid", async (_what, wanted, hit) => {
    const view = await world.order(wanted);
    expect(view.order).toMatchObject({ status: "in_review", statusReason: "screening_hit" });
    expect(view.instruction).toBeUndefined();
    expect(view.timeline.at(-1)?.screeningHits).toEqual([hit]);
  });

  test("a released order is paid, and not held for what was reviewed", async () => {
    const view = await world.order(buyTo(SANCTIONED));
    await releaseOrder(world.deps, keyOf(view));
    const { sessionId } = view.order;
    const payment = { type: "bank_transfer" } as const;
    const paying = await payOrder(world.deps, { ...keyOf(view), sessionId, payment });
    await world.pay(paying);
    await world.untilStatus(view, "completed");
  });

  test("a cancelled hold is not a review: late coins are not refunded to the address", async () => {
    const { payout } = ORDERS.sell.request;
    const view = await world.order({ ...ORDERS.sell, request: { payout } });
    const refundAddress = sandboxAddress("evm", "sanctioned");
    await recordRefundAddress(world.deps, {
      ...keyOf(view),
      to: { refundAddress },
    });
    const payment = { type: "crypto" } as const;
    const { sessionId } = view.order;
    const held = await payOrder(world.deps, { ...keyOf(view), sessionId, payment });
    expect(held.order.statusReason).toBe("screening_hit");
    await cancelOrder(world.deps, { ...keyOf(view), by: "operator" });
    await world.pay(view);
    await world.until(view, ({ order }) => order.statusReason === "late_payment");
    await refundOrder(world.deps, { ...keyOf(view), by: "merchant" });
    const again = await world.until(
      view,
      ({ order, timeline }) =>
        order.status === "in_review" && timeline.at(-1)?.screeningHits !== null,
    );
    expect(again.refunds).toMatchObject([{ state: "void" }]);
  });
});

test("an order is screened again before its payout", async () => {
  const view = await world.order(buyTo(LATER));
  expect(view.order.status).toBe("awaiting_payment");
  await world.pay(view);
  const held = await world.untilStatus(view, "in_review");
  expect(held.order.statusReason).toBe("screening_hit");
  expect(held.payout).toBeUndefined();
});

test("a payout that is made anew after a rejection is screened first", async () => {
  let listed: readonly ScreeningSubject[] = [];
  const screener = { name: "listing", screen: () => Promise.resolve(listed) };
  const listing = await makeOrderWorld({ screener });
  const payout = { ...ORDERS.sell.request.payout, accountHolder: "Rejected Payout" };
  const request = { ...ORDERS.sell.request, payout };
  const view = await listing.order({ ...ORDERS.sell, request });
  await listing.pay(view);
  await listing.until(view, ({ order }) => order.statusReason === "delivery_rejected");
  listed = [{ kind: "beneficiary", name: payout.accountHolder }];
  await releaseOrder(listing.deps, keyOf(view));
  const held = await listing.until(view, ({ order }) => order.status === "in_review");
  expect(held.order.statusReason).toBe("screening_hit");
  expect(held.payout).toMatchObject({ state: "created", releasedAt: null });
  await listing.close();
});

test("a refund of an order held by screening is the operator's only", async () => {
  const view = await world.order(buyTo(LATER));
  await world.pay(view);
  await world.untilStatus(view, "in_review");
  const refund = (by: "merchant" | "operator") => refundOrder(world.deps, { ...keyOf(view), by });
  await expect(refund("merchant")).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
  expect((await world.read(view)).order.status).toBe("in_review");
  await refund("operator");
  await world.untilStatus(view, "refunded");
});

test("a rejected refund leaves an order held by screening to the operator", async () => {
  const view = await world.order(ORDERS.buyByBank);
  await holdOrder(world.deps, { ...keyOf(view), holdReason: "screening_hit" });
  await world.pay(view, { returns: "rejected" });
  await world.until(view, ({ order }) => (order.receivedUnits ?? 0n) > 0n);
  await refundOrder(world.deps, { ...keyOf(view), by: "operator" });
  const back = await world.until(view, ({ refunds }) => refunds[0]?.state === "void");
  expect(back.order).toMatchObject({ status: "in_review", statusReason: "screening_hit" });
  await expect(refundOrder(world.deps, { ...keyOf(view), by: "merchant" })).rejects.toMatchObject({
    code: "INVALID_ORDER_STATE",
  });
});

test("a payment waits while the screener does not answer", async () => {
  const silent = { name: "silent", screen: () => Promise.reject(new Error("no answer")) };
  const view = await world.order(ORDERS.buyByBank);
  const payment = { type: "bank_transfer" } as const;
  const paying = payOrder(
    { ...world.deps, screener: silent },
    { ...keyOf(view), sessionId: view.order.sessionId, payment },
  );
  await expect(paying).rejects.toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
});
