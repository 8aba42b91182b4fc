import { afterAll, beforeAll, expect, test } from "vitest";
import { auditOnce } from "../../auditor/pass.ts";
import { newAuditor } from "../../auditor/state.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { listBreaks } from "../../storage/audit/breaks.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { ETHEREUM, makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { holdOrder } from "../orders/hold.ts";
import { recordRefundAddress } from "../orders/record-refund-address.ts";
import { refundOrder } from "../orders/refund.ts";
import { releaseOrder } from "../orders/release.ts";
import { resumePayouts } from "./resume.ts";
import { stopPayouts } from "./stop.ts";

// An order may be held after its exchange. Its customer does not know, and may pay a second time.

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  const auditor = newAuditor("6f1c2a34-0000-4000-8000-000000000001");
  await auditOnce(world.deps, auditor);
  await auditor.ledgerCheck;
  expect(await listBreaks(world.database, "all")).toEqual([]);
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

type Rail = "bank" | "chain";

const BY = operatorNamed("anna");
const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

const stop = (subject: Rail) =>
  stopPayouts(world.deps, { kind: "rail", subject, reason: "a test", by: BY });

const hold = (view: OrderView) =>
  holdOrder(world.deps, { ...keyOf(view), holdReason: "provider_error", operator: BY });

const release = (view: OrderView) => releaseOrder(world.deps, { ...keyOf(view), operator: BY });

/** Two people resume the payouts of a rail, and the order completes. */
async function complete(view: OrderView, subject: Rail): Promise<OrderView> {
  for (const name of ["anna", "bob"]) {
    await resumePayouts(world.deps, { kind: "rail", subject, by: operatorNamed(name) });
  }
  await world.hurry(view);
  return world.untilStatus(view, "completed");
}

const isPaidTwice = ({ deposits }: OrderView): boolean =>
  deposits.filter(({ state }) => state === "final").length === 2;

/** An exchanged order in review, whose customer paid a second time. The payouts of banks are stopped. */
async function payTwice(): Promise<OrderView> {
  const placed = await world.order(ORDERS.transfer);
  await stop("bank");
  await world.pay(placed);
  await world.untilStatus(placed, "sending");
  await hold(placed);
  await world.pay(placed);
  return world.until(placed, isPaidTwice);
}

const refundsOf = ({ refunds }: OrderView) =>
  refunds.map(({ purpose, units, address }) => ({ purpose, units, address }));

test("a second bank payment during a review is returned when the order completes", async () => {
  const held = await payTwice();
  expect(held.order.status).toBe("in_review");
  expect(held.refunds).toEqual([]);
  await release(held);
  await complete(held, "bank");
  const done = await world.until(held, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(done.order.status).toBe("completed");
  expect(refundsOf(done)).toEqual([
    { purpose: "excess_refund", units: held.order.spendUnits, address: null },
  ]);
});

test("coins beyond the order go to the refund address that the customer gave during a review", async () => {
  const { refundAddress: _refundAddress, ...request } = ORDERS.sell.request;
  const placed = await world.order({ ...ORDERS.sell, request });
  await stop("bank");
  await world.pay(placed, { units: placed.order.spendUnits * 2n });
  await world.untilStatus(placed, "in_review");
  await release(placed);
  await world.untilStatus(placed, "sending");
  await hold(placed);
  await recordRefundAddress(world.deps, { ...keyOf(placed), to: { refundAddress: ETHEREUM } });
  await release(placed);
  await complete(placed, "bank");
  const done = await world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(refundsOf(done)).toEqual([
    { purpose: "excess_refund", units: placed.order.spendUnits, address: ETHEREUM },
  ]);
});

test("the rest of a second payment, of which an operator refunded a part, is returned", async () => {
  const held = await payTwice();
  await release(held);
  const amount = { units: 1n, scale: 0 };
  await refundOrder(world.deps, { ...keyOf(held), by: "operator", operator: BY, amount });
  const done = await complete(held, "bank");
  expect(refundsOf(done)).toEqual([
    { purpose: "excess_refund", units: 100n, address: null },
    { purpose: "excess_refund", units: held.order.spendUnits - 100n, address: null },
  ]);
});

test("an order whose excess was returned is held as long as its own payout waits", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await stop("chain");
  await world.pay(placed);
  await world.untilStatus(placed, "sending");
  await world.pay(placed);
  await world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect((await hold(placed)).order.status).toBe("in_review");
  await release(placed);
  await complete(placed, "chain");
});

test("a refund that the bank rejected before the order completed is left to a person", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await stop("chain");
  await world.pay(placed);
  await world.untilStatus(placed, "sending");
  await world.pay(placed, { returns: "rejected" });
  await world.until(placed, ({ refunds }) => refunds[0]?.state === "void");
  const done = await complete(placed, "chain");
  expect(refundsOf(done)).toHaveLength(1);
});
