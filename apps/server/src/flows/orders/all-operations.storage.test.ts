import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { makeOrderWorld, ORDERS, type OrderWorld, STUCK_BITCOIN } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
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
const refund = (view: OrderView, by: "merchant" | "operator" = "merchant") =>
  refundOrder(world.deps, { ...keyOf(view), by });

const BALANCES = statement(
  "test_balances",
  `select account.purpose, sum(posting.units)::text as units from ledger_postings posting
   join ledger_entries entry on entry.id = posting.entry_id
   join ledger_accounts account on account.id = posting.account_id
   where entry.order_id = $1 group by account.purpose, account.asset_id having sum(posting.units) <> 0`,
);
/** The order's balance on each account, in units. */
const balancesOf = async ({ order }: OrderView): Promise<Record<string, string>> => {
  const rows = await world.database.query<{ purpose: string; units: string }>(BALANCES, [order.id]);
  return Object.fromEntries(rows.map(({ purpose, units }) => [purpose, units]));
};

test.each(Object.entries(ORDERS))("%s: paid exactly, it completes", async (_name, wanted) => {
  const placed = await world.order(wanted);
  await world.pay(placed);
  const done = await world.untilStatus(placed, "completed");
  expect(done.timeline.map(({ status }) => status)).toEqual([
    "awaiting_payment",
    "processing",
    "sending",
    "completed",
  ]);
  expect(done.order.receivedUnits).toBe(done.order.spendUnits);
  expect(done.payout).toMatchObject({ state: "confirmed", units: done.order.receiveUnits });
  const balances = await balancesOf(done);
  expect(balances).not.toHaveProperty("customer_funds");
  expect(balances).not.toHaveProperty("customer_payable");
  expect(balances).not.toHaveProperty("payouts_in_flight");
});

test("coins count when they have the network's confirmations, and not before", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed, { confirmations: 1 });
  const seen = await world.untilStatus(placed, "payment_pending");
  expect(seen.deposits).toMatchObject([{ state: "seen" }]);
  expect(await balancesOf(seen)).toEqual({});
});

test("the missing amount may follow in time, and then the order continues by itself", async () => {
  const placed = await world.order(ORDERS.sell);
  const part = placed.order.spendUnits / 3n;
  await world.pay(placed, { units: part });
  const short = await world.untilStatus(placed, "in_review");
  expect(short.order).toMatchObject({ statusReason: "underpaid", receivedUnits: part });
  await world.pay(placed, { units: placed.order.spendUnits - part });
  const done = await world.untilStatus(placed, "completed");
  expect(done.deposits).toHaveLength(2);
});

test("an underpaid order is refunded in full to where its coins are to go", async () => {
  const placed = await world.order(ORDERS.swap);
  await world.pay(placed, { units: 5n });
  await world.untilStatus(placed, "in_review");
  await refund(placed);
  const done = await world.untilStatus(placed, "refunded");
  expect(done.refunds).toMatchObject([
    { state: "confirmed", units: 5n, address: placed.order.refundAddress, purpose: "refund" },
  ]);
  expect(await balancesOf(done)).toEqual({});
});

test("an overpayment is returned once an operator accepts the rest", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await world.pay(placed, { units: placed.order.spendUnits + 700n });
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("overpaid");
  await releaseOrder(world.deps, keyOf(placed));
  await world.untilStatus(placed, "completed");
  const done = await world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(done.refunds).toMatchObject([{ units: 700n, purpose: "excess_refund", rail: "bank" }]);
  expect(done.order.status).toBe("completed");
  expect(await balancesOf(done)).not.toHaveProperty("customer_funds");
});

test("a second payment of a completed order goes back", async () => {
  const placed = await world.order(ORDERS.transfer);
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
  await world.pay(placed);
  const done = await world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
  expect(done.order.status).toBe("completed");
  expect(done.refunds).toMatchObject([{ units: placed.order.spendUnits }]);
});

test("another asset waits for a person, and goes back as what it is", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed, { asset: "usdt-ethereum", units: 250_000_000n });
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order).toMatchObject({ statusReason: "wrong_asset", receivedUnits: 0n });
  await refund(placed);
  const done = await world.untilStatus(placed, "refunded");
  expect(done.refunds).toMatchObject([{ units: 250_000_000n, state: "confirmed" }]);
});

test("where one of two refunds is rejected the other still arrives, and the rest can be asked for again", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  await world.pay(placed, { units: 30n, returns: "rejected" });
  await world.untilStatus(placed, "in_review");
  await world.pay(placed, { units: 20n });
  await world.until(placed, ({ order }) => order.receivedUnits === 50n);
  await refund(placed);
  const states = (view: OrderView) => view.refunds.map(({ units, state }) => `${units} ${state}`);
  const ended = await world.until(placed, (view) =>
    ["30 void", "20 confirmed"].every((state) => states(view).includes(state)),
  );
  expect(ended.order).toMatchObject({ status: "in_review", statusReason: "delivery_rejected" });
  expect(await balancesOf(ended)).toMatchObject({ customer_funds: "-30" });
  const again = await refund(placed);
  expect(again.refunds.at(-1)).toMatchObject({ units: 30n });
  await world.untilStatus(placed, "in_review");
});

test("a memo without its address, or where no coins go, is refused and not ignored", async () => {
  const { refundAddress: _none, ...alone } = { ...ORDERS.swap.request, refundMemo: "7" };
  const wrong = [
    { ...ORDERS.swap, request: alone },
    { ...ORDERS.sell, request: { ...ORDERS.sell.request, memo: "7" } },
    { ...ORDERS.transfer, request: { ...ORDERS.transfer.request, refundMemo: "7" } },
  ];
  for (const wanted of wrong) {
    await expect(world.order(wanted)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  }
});

test("coins without a refund address stay held until the customer names one", async () => {
  const { refundAddress: _none, ...request } = ORDERS.sell.request;
  const placed = await world.order({ ...ORDERS.sell, request });
  await world.pay(placed, { units: 5n });
  await world.untilStatus(placed, "in_review");
  await expect(refund(placed)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  const { refundAddress } = ORDERS.sell.request;
  await recordRefundAddress(world.deps, {
    ...keyOf(placed),
    to: { refundAddress },
  });
  await refund(placed);
  await world.untilStatus(placed, "refunded");
});

test("a rejected payout waits for a person; once released it is sent again, once", async () => {
  const payout = { ...ORDERS.sell.request.payout, accountHolder: "Rejected Payout" };
  const request = { ...ORDERS.sell.request, payout };
  const placed = await world.order({ ...ORDERS.sell, request });
  await world.pay(placed);
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("delivery_rejected");
  expect(held.payout).toMatchObject({ state: "void", voidReason: "rejected" });
  await releaseOrder(world.deps, keyOf(placed));
  const again = await world.until(
    placed,
    ({ order, timeline }) =>
      order.status === "in_review" && timeline.length > held.timeline.length + 1,
  );
  expect(again.payout?.id).not.toBe(held.payout?.id);
});

test("an operator takes back what was exchanged when nothing was sent; a merchant may not", async () => {
  const payout = { ...ORDERS.sell.request.payout, accountHolder: "Rejected Payout" };
  const request = { ...ORDERS.sell.request, payout };
  const placed = await world.order({ ...ORDERS.sell, request });
  await world.pay(placed);
  await world.untilStatus(placed, "in_review");
  await expect(refund(placed)).rejects.toMatchObject({ code: "INVALID_ORDER_STATE" });
  await refund(placed, "operator");
  const done = await world.untilStatus(placed, "refunded");
  expect(await balancesOf(done)).toEqual({});
});

const END_WINDOW = statement(
  "test_end_window",
  "update orders set payment_expires_at = business_now(), version = version + 1 where id = $1",
);
const endWindow = async (view: OrderView): Promise<void> => {
  await world.database.query(END_WINDOW, [view.order.id]);
  await world.hurry(view);
};

test("an order that was paid in part never ends with the part in it", async () => {
  const placed = await world.order(ORDERS.sell);
  await world.pay(placed, { units: 5n });
  await world.untilStatus(placed, "in_review");
  await releaseOrder(world.deps, keyOf(placed));
  await world.untilStatus(placed, "awaiting_payment");
  await endWindow(placed);
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("underpaid");
  await refund(placed);
  await world.untilStatus(placed, "refunded");
});

test("money that comes after the end is held, and released it is exchanged", async () => {
  const placed = await world.order(ORDERS.swap);
  await endWindow(placed);
  await world.untilStatus(placed, "expired");
  await world.pay(placed);
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("late_payment");
  await releaseOrder(world.deps, keyOf(placed));
  await world.untilStatus(placed, "completed");
});

test("a stuck transaction is replaced at its nonce, and the customer is paid once", async () => {
  const request = { ...ORDERS.swap.request, walletAddress: STUCK_BITCOIN };
  const placed = await world.order({ ...ORDERS.swap, request });
  await world.pay(placed);
  const done = await world.untilStatus(placed, "completed");
  expect(done.payout?.settledHash).not.toBe(done.payout?.transactionHash);
});
