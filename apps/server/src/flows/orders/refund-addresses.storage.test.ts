import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { insertAddressApproval } from "../../storage/orders/refund-address-approvals.ts";
import { listOperatorPayouts } from "../../storage/payouts/operator-payouts.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { ETHEREUM, makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { sandboxAddress } from "../../testing/sandbox-addresses.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { approvePayout } from "../payouts/approve.ts";
import { approveRefundAddress } from "./approve-refund-address.ts";
import { maskAddress } from "./operator-action.ts";
import { recordRefundAddress } from "./record-refund-address.ts";
import { type RefundOrder, refundOrder } from "./refund.ts";
import { releaseOrder } from "./release.ts";

const OTHER = "0xde709f2102306220921060314715629080e2fb77";
const ATTACKER = "0x27b1fdb04752bbc536007a920d24acb045561c26";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

/** An order that waits in review with a part of its coins. */
async function underpaid(refundAddress: string | undefined): Promise<OrderView> {
  const { refundAddress: _given, ...request } = ORDERS.sell.request;
  const given = refundAddress === undefined ? {} : { refundAddress };
  const placed = await world.order({ ...ORDERS.sell, request: { ...request, ...given } });
  await world.pay(placed, { units: 5n });
  return world.untilStatus(placed, "in_review");
}

const refund = (view: OrderView, command: Partial<RefundOrder> = {}) =>
  refundOrder(world.deps, { ...keyOf(view), by: "merchant", ...command });
const customer = (view: OrderView, refundAddress: string) =>
  recordRefundAddress(world.deps, { ...keyOf(view), to: { refundAddress } });
const approve = (
  view: OrderView,
  refundAddress: string,
  {
    person = "anna",
    account = person,
  }: { readonly person?: string; readonly account?: string } = {},
) =>
  approveRefundAddress(
    { ...world.deps, environment: "prod" },
    { ...keyOf(view), operator: operatorNamed(person, account), to: { refundAddress } },
  );

const SENT_TO = statement(
  "test_refund_addresses",
  "select address, state from payout_intents where order_id = $1 and purpose <> 'payout' order by created_at",
);
const sentTo = ({ order }: OrderView) => world.database.query(SENT_TO, [String(order.id)]);

const EVENTS = statement(
  "test_order_updates",
  "select count(*)::int as count from events where order_id = $1 and event_type = 'OrderUpdated'",
);
async function updatesOf({ order }: OrderView): Promise<number> {
  const [row] = await world.database.query<{ count: number }>(EVENTS, [String(order.id)]);
  return row?.count ?? 0;
}

describe("the merchant and the operator cannot redirect a refund", () => {
  test.each(["merchant", "operator"] as const)("the %s alone is refused", async (by) => {
    const held = await underpaid(ETHEREUM);
    await expect(refund(held, { by, refundAddress: ATTACKER })).rejects.toMatchObject({
      code: "INVALID_ORDER_STATE",
    });
    await refund(held, { by });
    await world.untilStatus(held, "refunded");
    expect(await sentTo(held)).toEqual([{ address: ETHEREUM, state: "confirmed" }]);
  });

  test("the address of the order may be named again", async () => {
    const held = await underpaid(ETHEREUM);
    await refund(held, { refundAddress: ETHEREUM });
    await world.untilStatus(held, "refunded");
    expect(await sentTo(held)).toEqual([{ address: ETHEREUM, state: "confirmed" }]);
  });

  test("the merchant sets an address where there is none, once, and the timeline says so", async () => {
    const held = await underpaid(undefined);
    await refund(held, { refundAddress: OTHER, amount: { units: 2n, scale: 18 } });
    const rest = await world.untilStatus(held, "in_review");
    expect(rest.timeline.map(({ note }) => note)).toContain(
      "the merchant gave a refund address and asked for a refund",
    );
    await expect(refund(rest, { refundAddress: ATTACKER })).rejects.toMatchObject({
      code: "INVALID_ORDER_STATE",
    });
    await refund(rest);
    await world.untilStatus(held, "refunded");
    expect(await sentTo(held)).toEqual([
      { address: OTHER, state: "confirmed" },
      { address: OTHER, state: "confirmed" },
    ]);
  });
});

describe("another refund address needs the customer's request and two approvals of the operator", () => {
  test("the customer may request another one ten times a day, because each is in every answer with the order", async () => {
    const held = await underpaid(ETHEREUM);
    for (let request = 0; request < 10; request += 1) {
      await customer(held, request % 2 === 0 ? OTHER : ATTACKER);
    }
    const before = await updatesOf(held);
    await expect(customer(held, OTHER)).rejects.toMatchObject({
      code: "INVALID_ORDER_STATE",
      message:
        "Another refund address was requested 10 times for this order within a day. Try again tomorrow.",
    });
    expect(await updatesOf(held)).toBe(before);
    // The customer may still keep the first one.
    expect((await customer(held, ETHEREUM)).order.requestedRefundAddress).toBeNull();
  });

  test("the customer's request alone changes nothing, and is in the timeline with an event", async () => {
    const held = await underpaid(ETHEREUM);
    const before = await updatesOf(held);
    const afterRequest = await customer(held, OTHER);
    expect(afterRequest.order).toMatchObject({
      status: "in_review",
      heldFrom: held.order.heldFrom,
      refundAddress: ETHEREUM,
      requestedRefundAddress: OTHER,
    });
    expect(afterRequest.timeline.at(-1)).toMatchObject({
      status: "in_review",
      statusReason: "underpaid",
      actor: "customer",
      note: "the customer asked for another refund address; the operator decides",
    });
    expect(await updatesOf(held)).toBe(before + 1);
    await refund(held);
    await world.untilStatus(held, "refunded");
    expect(await sentTo(held)).toEqual([{ address: ETHEREUM, state: "confirmed" }]);
  });

  test("two people approve exactly the address that the customer asked for", async () => {
    const held = await underpaid(ETHEREUM);
    await expect(approve(held, OTHER)).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
    await customer(held, OTHER);
    await expect(approve(held, ATTACKER)).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
    const before = await updatesOf(held);
    const first = await approve(held, OTHER);
    expect(first).toMatchObject({
      approvalsMissing: 1,
      view: { order: { refundAddress: ETHEREUM, requestedRefundAddress: OTHER } },
    });
    const second = await approve(held, OTHER, { person: "ben" });
    expect(second.approvalsMissing).toBe(0);
    expect(second.view.order).toMatchObject({ refundAddress: OTHER, requestedRefundAddress: null });
    expect(second.view.timeline.at(-1)).toMatchObject({ actor: "operator", status: "in_review" });
    expect(await updatesOf(held)).toBe(before + 1);
    const subject = String(held.order.id);
    const action = "approve_refund_address";
    const details = { address: maskAddress(OTHER), memo: null };
    expect(await listControlChanges(world.database, { limit: 9, subject })).toMatchObject([
      {
        ...{ person: "ben", action, details },
        before: { status: "in_review", refundAddress: maskAddress(ETHEREUM) },
        after: { status: "in_review", refundAddress: maskAddress(OTHER) },
      },
      { person: "ben", action, details, after: { approvedBy: ["anna", "ben"] } },
      { person: "anna", action, details, before: { approvedBy: [] } },
    ]);
    await refund(held);
    await world.untilStatus(held, "refunded");
    expect(await sentTo(held)).toEqual([{ address: OTHER, state: "confirmed" }]);
  });

  test("concurrent approvals by one person or one account count once", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    const people = ["anna", "anna", "ben"].map((person) => ({ person, account: "root" }));
    const all = await Promise.allSettled(people.map((who) => approve(held, OTHER, who)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    await expect(approve(held, OTHER, { person: "ben", account: "root" })).rejects.toThrow(
      "Another person must approve it, from their own account",
    );
    expect((await customer(held, OTHER)).order.refundAddress).toBe(ETHEREUM);
  });

  test("two people who approve at the same moment set the address", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    const both = await Promise.all([approve(held, OTHER), approve(held, OTHER, { person: "ben" })]);
    expect(both.map(({ approvalsMissing }) => approvalsMissing)).toContain(0);
    expect((await world.read(held)).order.refundAddress).toBe(OTHER);
  });

  test("approvals end with the request that they are for", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    await approve(held, OTHER);
    await customer(held, ETHEREUM);
    await customer(held, OTHER);
    expect(await approve(held, OTHER, { person: "ben" })).toMatchObject({ approvalsMissing: 1 });
    expect(await approve(held, OTHER)).toMatchObject({ approvalsMissing: 0 });
    // It was the address once before, with two approvals.
    for (const address of [ETHEREUM, OTHER]) {
      await customer(held, address);
      expect(await approve(held, address, { person: "carla" })).toMatchObject({
        approvalsMissing: 1,
      });
      if (address === ETHEREUM) await approve(held, address);
    }
    expect((await world.read(held)).order.refundAddress).toBe(ETHEREUM);
  });

  test("an approval of one address does not count for another", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    await approve(held, OTHER);
    await customer(held, ATTACKER);
    expect(await approve(held, ATTACKER, { person: "ben" })).toMatchObject({ approvalsMissing: 1 });
    await expect(approve(held, OTHER, { person: "ben" })).rejects.toThrow("asked for 0x27b1");
  });

  test("a repeated approval sets the address after a crash between the second approval and the change", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    await approve(held, OTHER);
    const requested = { orderId: held.order.id, refundAddress: OTHER, refundMemo: null };
    await world.database.transaction((tx) =>
      insertAddressApproval(tx, requested, operatorNamed("ben")),
    );
    const { view } = await approve(held, OTHER, { person: "ben" });
    expect(view.order.refundAddress).toBe(OTHER);
  });

  test("the database refuses the address with the approval of one person", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    await approve(held, OTHER);
    const force = statement(
      "test_force_refund",
      "update orders set refund_address = requested_refund_address, version = version + 1 where id = $1",
    );
    const forced = world.database.query(force, [String(held.order.id)]);
    await expect(forced).rejects.toThrow("two people approved it");
  });

  test("the customer's own address again withdraws the request", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    expect((await customer(held, ETHEREUM)).order.requestedRefundAddress).toBeNull();
    await expect(approve(held, OTHER)).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
    const again = await customer(held, ETHEREUM);
    expect(again.timeline.filter(({ actor }) => actor === "customer")).toHaveLength(3);
  });

  test("the database refuses any other replacement", async () => {
    const held = await underpaid(ETHEREUM);
    await customer(held, OTHER);
    const steal = statement(
      "test_steal_refund",
      "update orders set refund_address = $2, version = version + 1 where id = $1",
    );
    const stolen = world.database.query(steal, [String(held.order.id), ATTACKER]);
    await expect(stolen).rejects.toThrow("replaced only as the customer asked");
  });
});

describe("a refund is screened when it is sent", () => {
  const TAINTED = sandboxAddress("evm", "sanctioned_later");

  test("a hit holds the order for the operator, and nothing is sent", async () => {
    const held = await underpaid(TAINTED);
    expect(held.order.statusReason).toBe("underpaid");
    await refund(held);
    const hit = await world.until(
      held,
      ({ order }) => order.status === "in_review" && order.statusReason === "screening_hit",
    );
    expect(hit.timeline.at(-1)).toMatchObject({
      note: "the refund is held for a person: screening hit",
      screeningHits: [`address ${TAINTED}`],
    });
    expect(await sentTo(held)).toEqual([{ address: TAINTED, state: "void" }]);
    await expect(refund(held)).rejects.toMatchObject({
      code: "INVALID_ORDER_STATE",
      message: "This order is held for compliance; only an operator can refund it.",
    });
    await refund(held, { by: "operator" });
    await world.untilStatus(held, "refunded");
    expect(await sentTo(held)).toEqual([
      { address: TAINTED, state: "void" },
      { address: TAINTED, state: "confirmed" },
    ]);
  });

  test("the operator's review of one address does not cover another", async () => {
    const held = await underpaid(TAINTED);
    await refund(held, { by: "operator", amount: { units: 2n, scale: 18 } });
    await world.until(held, ({ order }) => order.statusReason === "screening_hit");
    const other = sandboxAddress("evm", "sanctioned");
    await customer(held, other);
    await approve(held, other);
    await approve(held, other, { person: "ben" });
    await refund(held, { by: "operator" });
    const again = await world.until(
      held,
      ({ order, timeline }) =>
        order.status === "in_review" && timeline.at(-1)?.screeningHits?.[0] === `address ${other}`,
    );
    expect((await sentTo(again)).map((one) => (one as { state: string }).state)).toEqual([
      "void",
      "void",
    ]);
  });

  test("an excess refund waits for two approvals, because its order has ended", async () => {
    const { payout } = ORDERS.sell.request;
    const placed = await world.order({ ...ORDERS.sell, request: { payout } });
    await world.pay(placed, { units: placed.order.spendUnits * 2n });
    const held = await world.untilStatus(placed, "in_review");
    await releaseOrder(world.deps, keyOf(held));
    await world.untilStatus(placed, "completed");
    const given = await customer(placed, TAINTED);
    expect(given.timeline.at(-1)).toMatchObject({ status: "completed", actor: "customer" });
    const intentId = found(given.refunds[0]).id;
    const waits = async () => {
      const listed = { which: "waiting", merchantId: undefined, limit: 20 } as const;
      const waiting = await listOperatorPayouts(world.database, listed);
      return waiting.find(({ intent }) => intent.id === intentId);
    };
    await vi.waitFor(async () => {
      const { waitsFor, wait } = (await waits()) ?? {};
      expect(waitsFor).toContain(TAINTED);
      expect(wait).toMatchObject({ code: "screening_hit", limitCents: null });
    }, 60_000);
    for (const by of [operatorNamed("anna"), operatorNamed("ben")])
      await approvePayout(world.deps, { intentId, by });
    await world.hurry(placed);
    await world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
  });
});
