import { afterAll, beforeAll, expect, test } from "vitest";
import { auditOnce } from "../../auditor/pass.ts";
import { newAuditor } from "../../auditor/state.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { listBreaks } from "../../storage/audit/breaks.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { ETHEREUM, makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { sandboxAddress } from "../../testing/sandbox-addresses.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { resumePayouts } from "../payouts/resume.ts";
import { stopPayouts } from "../payouts/stop.ts";
import { approveRefundAddress } from "./approve-refund-address.ts";
import { holdOrder } from "./hold.ts";
import { recordRefundAddress } from "./record-refund-address.ts";
import { releaseOrder } from "./release.ts";

// A refund may wait for a stop, a limit or a person while its order's refund address is replaced.

const OTHER = "0xde709f2102306220921060314715629080e2fb77";
const BY = operatorNamed("anna");

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  const auditor = newAuditor("6f1c2a34-0000-4000-8000-000000000002");
  await auditOnce(world.deps, auditor);
  await auditor.ledgerCheck;
  expect(await listBreaks(world.database, "all")).toEqual([]);
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });

const stop = (subject: "bank" | "chain") =>
  stopPayouts(world.deps, { kind: "rail", subject, reason: "a test", by: BY });

async function resume(view: OrderView, subject: "bank" | "chain"): Promise<void> {
  for (const name of ["anna", "ben"]) {
    await resumePayouts(world.deps, { kind: "rail", subject, by: operatorNamed(name) });
  }
  await world.hurry(view);
}

/** The customer asks for the address, and two people approve it. */
async function replaceAddress(view: OrderView, refundAddress: string): Promise<OrderView> {
  const to = { refundAddress };
  await recordRefundAddress(world.deps, { ...keyOf(view), to });
  for (const name of ["anna", "ben"]) {
    await approveRefundAddress(world.deps, { ...keyOf(view), to, operator: operatorNamed(name) });
  }
  return world.read(view);
}

const refundsOf = ({ refunds }: OrderView) =>
  refunds.map(({ purpose, address, units, state }) => ({ purpose, address, units, state }));

const isPaidTwice = ({ deposits, refunds }: OrderView): boolean =>
  deposits.filter(({ state }) => state === "final").length === 2 && refunds.length > 0;

/** A completed order whose coins were paid twice, and whose refund waits for a stop. */
async function waitingExcess(): Promise<OrderView> {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  await stop("chain");
  await world.pay(placed);
  return world.until(placed, isPaidTwice);
}

test("a refund that waits goes to the refund address that two people approved meanwhile", async () => {
  const waiting = await waitingExcess();
  const excess = { purpose: "excess_refund", units: waiting.order.spendUnits } as const;
  const replaced = await replaceAddress(waiting, OTHER);
  expect(replaced.order.refundAddress).toBe(OTHER);
  expect(refundsOf(replaced)).toEqual([
    { ...excess, address: ETHEREUM, state: "void" },
    { ...excess, address: OTHER, state: "created" },
  ]);
  await resume(waiting, "chain");
  const done = await world.until(waiting, ({ refunds }) => refunds[1]?.state === "confirmed");
  expect(refundsOf(done)).toEqual([
    { ...excess, address: ETHEREUM, state: "void" },
    { ...excess, address: OTHER, state: "confirmed" },
  ]);
  expect(done.order.status).toBe("completed");
});

const RELEASE = statement(
  "test_release_intent",
  "update payout_intents set released_at = business_now(), screened_at = business_now() where id = $1",
);

test("a refund address is not replaced while a refund to it was released and has not arrived", async () => {
  const { payout } = ORDERS.sell.request;
  const placed = await world.order({ ...ORDERS.sell, request: { payout } });
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  await world.pay(placed);
  await world.until(placed, ({ deposits }) => deposits[1]?.state === "final");
  const refundAddress = sandboxAddress("evm", "sanctioned_later");
  const waiting = await recordRefundAddress(world.deps, {
    ...keyOf(placed),
    to: { refundAddress },
  });
  // The hit that its job finds would end the release.
  await world.untilTried(waiting);
  await world.database.query(RELEASE, [found(waiting.refunds[0]).id]);
  await stop("chain");
  await expect(replaceAddress(waiting, OTHER)).rejects.toMatchObject({
    code: "INVALID_ORDER_STATE",
    message: expect.stringContaining("Approve the address again once it has arrived."),
  });
  expect((await world.read(waiting)).order.refundAddress).toBe(refundAddress);
  await resume(waiting, "chain");
  await world.until(waiting, ({ refunds }) => refunds[0]?.state === "confirmed");
  const operator = operatorNamed("ben");
  await approveRefundAddress(world.deps, {
    ...keyOf(waiting),
    to: { refundAddress: OTHER },
    operator,
  });
  const replaced = await world.read(waiting);
  expect(replaced.order.refundAddress).toBe(OTHER);
  expect(refundsOf(replaced)).toHaveLength(1);
});

test("a refund that is withdrawn in review is owed to the new address when the order completes", async () => {
  await stop("chain");
  await stop("bank");
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed);
  await world.untilStatus(placed, "sending");
  await world.pay(placed);
  await world.until(placed, isPaidTwice);
  await holdOrder(world.deps, { ...keyOf(placed), holdReason: "provider_error", operator: BY });
  const held = await replaceAddress(placed, OTHER);
  expect(refundsOf(held).map(({ state }) => state)).toEqual(["void"]);
  await resume(placed, "chain");
  await resume(placed, "bank");
  await releaseOrder(world.deps, { ...keyOf(placed), operator: BY });
  const done = await world.until(placed, ({ refunds }) => refunds[1]?.state === "confirmed");
  expect(done.order.status).toBe("completed");
  expect(refundsOf(done).map(({ address }) => address)).toEqual([ETHEREUM, OTHER]);
});
