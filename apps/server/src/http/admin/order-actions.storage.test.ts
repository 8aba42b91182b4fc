import { ADMIN_ENDPOINTS as CALLS, rolesOf } from "@exchange/contract/admin";
import { beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { payOrder } from "../../flows/orders/pay.ts";
import { resumePayouts } from "../../flows/payouts/resume.ts";
import { stopPayouts } from "../../flows/payouts/stop.ts";
import { useConsole } from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { cardPayment, makeOrderWorld, ORDERS, type PayChanges } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

// The buttons of an order's page are the actions that the flows accept now.

const desk = useConsole(makeOrderWorld);

type Person = Awaited<ReturnType<typeof desk.person>>;

const REASON = { reason: "the customer called and proved who they are" };

let compliance: Person;
let owner: Person;
beforeAll(async () => {
  compliance = await desk.person(["compliance"]);
  owner = await desk.person(rolesOf("merchant"), MERCHANT_ID);
});

const paramsOf = ({ order }: OrderView) => ({ orderId: Number(order.id) });

async function actionsOf(view: OrderView, person = compliance) {
  const story = await person.call(CALLS.readOrderStory, { params: paramsOf(view) });
  return story.body.data.actions.filter((action) => !["take", "note"].includes(action));
}

async function inReview(changes: PayChanges): Promise<OrderView> {
  const view = await desk.world.order(ORDERS.buyByBank);
  await desk.world.pay(view, changes);
  return desk.world.untilStatus(view, "in_review");
}

test("after a refund of a part, the console refunds the rest and offers no release", async () => {
  const view = await inReview({ units: 9_000n });
  expect(await actionsOf(view)).toEqual(["release", "refund"]);
  const params = paramsOf(view);
  const part = { params, payload: { ...REASON, amount: "40" } };
  expect((await compliance.call(CALLS.refundHeldOrder, part)).status).toBe(200);
  await desk.world.until(view, ({ order }) => order.heldFrom === "refund_pending");
  expect(await actionsOf(view)).toEqual(["refund"]);
  expect((await compliance.call(CALLS.refundHeldOrder, { params, payload: REASON })).status).toBe(
    200,
  );
  await desk.world.untilStatus(view, "refunded");
  expect(await actionsOf(view)).toEqual([]);
});

test("an order whose card was charged for a part is refunded, and the console offers no release", async () => {
  const { order } = await desk.world.order({ ...ORDERS.buyByBank, method: "card" });
  const { merchantId, sessionId, id: orderId } = order;
  const payment = cardPayment("4000000000003063");
  const paid = await payOrder(desk.world.deps, { merchantId, sessionId, orderId, payment });
  const view = await desk.world.untilStatus(paid, "in_review");
  expect(await actionsOf(view)).toEqual(["refund"]);
});

test("an order that received another asset is refunded in the console, not cancelled", async () => {
  const view = await inReview({ asset: "gbp" });
  expect(view.order).toMatchObject({ statusReason: "wrong_asset", receivedUnits: 0n });
  expect(await actionsOf(view)).toEqual(["release", "refund"]);
  const refund = { params: paramsOf(view), payload: REASON };
  expect((await compliance.call(CALLS.refundHeldOrder, refund)).status).toBe(200);
});

test("an exchanged order is held before it is refunded, and a merchant does neither", async () => {
  const rail = { kind: "rail", subject: "chain" } as const;
  await stopPayouts(desk.world.deps, { ...rail, reason: "a test", by: operatorNamed("anna") });
  const view = await desk.world.order(ORDERS.buyByBank);
  await desk.world.pay(view);
  await desk.world.untilStatus(view, "sending");
  expect(await actionsOf(view)).toEqual(["hold"]);
  const hold = { params: paramsOf(view), payload: { ...REASON, hold: "provider_error" } };
  expect((await compliance.call(CALLS.holdOrderForReview, hold)).status).toBe(200);
  expect(await actionsOf(view)).toEqual(["release", "refund"]);
  expect(await actionsOf(view, owner)).toEqual([]);
  for (const name of ["anna", "bob"]) {
    await resumePayouts(desk.world.deps, { ...rail, by: operatorNamed(name) });
  }
});

test("an unpaid order that is held is cancelled by the operator only", async () => {
  const view = await desk.world.order(ORDERS.buyByBank);
  expect(await actionsOf(view)).toEqual(["cancel", "hold"]);
  expect(await actionsOf(view, owner)).toEqual(["cancel"]);
  const hold = { params: paramsOf(view), payload: { ...REASON, hold: "provider_error" } };
  await compliance.call(CALLS.holdOrderForReview, hold);
  expect(await actionsOf(view)).toEqual(["release", "cancel"]);
  expect(await actionsOf(view, owner)).toEqual([]);
});
