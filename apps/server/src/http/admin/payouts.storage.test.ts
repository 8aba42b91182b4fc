import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { beforeAll, expect, test } from "vitest";
import { setPayoutLimits } from "../../flows/payouts/set-limits.ts";
import { listOperatorPayouts } from "../../storage/payouts/operator-payouts.ts";
import { csvRows, useConsole } from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";

const desk = useConsole(makeOrderWorld);

beforeAll(() =>
  setPayoutLimits(desk.world.deps, {
    ...{ kind: "currency", subject: "btc", changes: { approvalAboveCents: 0n } },
    by: operatorNamed("anna"),
  }),
);

/** Pays an order whose payout needs two approvals. */
async function waitingOrder(): Promise<number> {
  const view = await desk.world.order(ORDERS.buyByBank);
  await desk.world.pay(view);
  return Number((await desk.world.untilStatus(view, "in_review")).order.id);
}

test("the payout of a held order waits in its story, and no longer after the order was refunded", async () => {
  const params = { orderId: await waitingOrder() };
  const compliance = await desk.person(["compliance"]);
  const waitsOf = async () => {
    const { payouts } = (await compliance.call(CALLS.readOrderStory, { params })).body.data;
    return payouts.map(({ state, waitsFor }) => [state, waitsFor]);
  };
  expect(await waitsOf()).toEqual([["created", expect.stringContaining("needs 2 approvals")]]);
  const payload = { reason: "the customer asked for the money" };
  const refunded = await compliance.call(CALLS.refundHeldOrder, { params, payload });
  expect(refunded.status, refunded.text).toBe(200);
  expect(await waitsOf()).toContainEqual(["void", null]);
});

test("the payouts of an order are listed by its id, however many are older", async () => {
  const treasury = await desk.person(["treasury"]);
  const older = await waitingOrder();
  const orderId = await waitingOrder();
  const ordersOf = async (query: Readonly<Record<string, string | number>>) =>
    (await treasury.call(CALLS.listPayouts, { query })).body.data.map((one) => one.orderId);
  expect(await ordersOf({})).toEqual(expect.arrayContaining([older, orderId]));
  expect(await ordersOf({ orderId })).toEqual([orderId]);
  expect(await ordersOf({ orderId, which: "under_way" })).toEqual([orderId]);
  const filter = { which: "under_way", orderId: BigInt(orderId), limit: 1 } as const;
  const found = await listOperatorPayouts(desk.world.database, filter);
  expect(found.map(({ intent }) => intent.orderId)).toEqual([BigInt(orderId)]);
  const query = { orderId, which: "under_way" } as const;
  const file = await treasury.call(CALLS.exportPayouts, { query });
  expect(csvRows(file.text).map((row) => row["order"])).toEqual([String(orderId)]);
  expect((await treasury.call(CALLS.listPayouts, { query: { orderId: "x" } })).code).toBe(
    "INVALID_INPUT",
  );
});

test("a waiting payout has the code of its cause, the limit and its currency, also on the first screen and in the order's story", async () => {
  const orderId = await waitingOrder();
  const compliance = await desk.person(["compliance", "treasury"]);
  const cause = { code: "approvals", limitEuroCents: 0, limitOf: "BTC" };
  const { data } = (await compliance.call(CALLS.listPayouts, { query: { orderId } })).body;
  expect(data).toMatchObject([{ wait: cause, stoppedBy: [], mayApprove: true }]);
  const story = await compliance.call(CALLS.readOrderStory, { params: { orderId } });
  expect(story.body.data.payouts).toMatchObject([{ wait: cause }]);
  const { payouts } = (await compliance.call(CALLS.readOverview)).body.data;
  expect(payouts.map(({ wait }) => wait)).toContainEqual(cause);
});

test("a payout names the stops that cover it, until they end", async () => {
  const orderId = await waitingOrder();
  const treasury = await desk.person(["treasury"]);
  const stopsOf = async () =>
    (await treasury.call(CALLS.listPayouts, { query: { orderId } })).body.data[0]?.stoppedBy;
  expect(await stopsOf()).toEqual([]);
  const payload = { kind: "pair", subject: "eur-btc", reason: "the price is odd" };
  await treasury.call(CALLS.stopPayouts, { payload });
  expect(await stopsOf()).toEqual([{ kind: "pair", subject: "eur-btc" }]);
  await treasury.call(CALLS.resumePayouts, { payload: { kind: "pair", subject: "eur-btc" } });
  expect(await stopsOf()).toEqual([]);
});

test("totals are the exact sums of every listed payout, and the list of a currency has that currency alone", async () => {
  const treasury = await desk.person(["treasury"]);
  await waitingOrder();
  await waitingOrder();
  const listed = (await treasury.call(CALLS.listPayouts)).body.data;
  const [total, ...others] = (await treasury.call(CALLS.readPayoutTotals)).body.data;
  expect(others).toEqual([]);
  expect(total?.amount.currency).toBe("btc");
  expect(total?.count).toBe(listed.length);
  const satoshi = (coins = ""): number => Math.round(Number(coins) * 1e8);
  const sum = listed.reduce((units, { amount }) => units + satoshi(amount.amount), 0);
  expect(satoshi(total?.amount.amount)).toBe(sum);
  expect(total?.countsAsEuroCents).toBe(
    listed.reduce((cents, payout) => cents + payout.countsAsEuroCents, 0),
  );
  const orderId = listed[0]?.orderId ?? 0;
  const ofOrder = await treasury.call(CALLS.readPayoutTotals, { query: { orderId } });
  expect(ofOrder.body.data).toMatchObject([{ amount: listed[0]?.amount, count: 1 }]);
  const inCurrency = async (currency: string) =>
    (await treasury.call(CALLS.listPayouts, { query: { currency } })).body.data;
  expect(await inCurrency("btc")).toHaveLength(listed.length);
  expect(await inCurrency("eth")).toEqual([]);
  const unknown = await treasury.call(CALLS.listPayouts, { query: { currency: "nothing" } });
  expect(unknown.code).toBe("CURRENCY_NOT_FOUND");
});
