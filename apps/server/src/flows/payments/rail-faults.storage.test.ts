import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { sandboxAddress } from "../../testing/sandbox-addresses.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { payOrder } from "../orders/pay.ts";

// Orders mostly wait for rails, so many of them run at the same time.
vi.setConfig({ maxConcurrency: 10 });

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const OUTSIDE = statement(
  "test_outside",
  `select
     (select count(*)::int from sandbox.card_captures where reference = $1) as captured,
     (select array_agg(transaction_hash) from sandbox.chain_transactions
       where intent_id = $2 and mined_at is not null) as mined,
     (select count(*)::int from sandbox.chain_transactions where intent_id = $2) as broadcast,
     (select count(*)::int from sandbox.bank_payouts
       where intent_id = $2 and heard and outcome = 'settled') as paid`,
);
interface Outside {
  readonly captured: number;
  readonly mined: readonly string[] | null;
  readonly broadcast: number;
  readonly paid: number;
}
/** The other side's records of an order's payment and payout. */
async function outsideOf({ attempt, payout }: OrderView): Promise<Outside> {
  const rows = await world.database.query<Outside>(OUTSIDE, [attempt?.id ?? "", payout?.id ?? ""]);
  return found(rows[0]);
}

describe.concurrent("the customer is paid once", () => {
  test.each([
    ["stuck", 2, "the replacement"],
    ["first_wins", 2, "the first"],
    ["answer_lost", 1, "the first"],
    ["reorganised", 1, "the first"],
  ] as const)("on a chain that does %s", async (behaviour, broadcast, winner) => {
    const request = { ...ORDERS.swap.request, walletAddress: sandboxAddress("bitcoin", behaviour) };
    const placed = await world.order({ ...ORDERS.swap, request });
    await world.pay(placed);
    const done = await world.untilStatus(placed, "completed");
    const outside = await outsideOf(done);
    expect(outside.broadcast).toBe(broadcast);
    expect(outside.mined).toEqual([done.payout?.settledHash]);
    const isFirst = done.payout?.settledHash === done.payout?.transactionHash;
    expect(isFirst).toBe(winner === "the first");
  });

  test.each(["Lost Answer", "Lost Request", "Ada Lovelace"])("by a bank, as %s", async (name) => {
    const payout = { ...ORDERS.sell.request.payout, accountHolder: name };
    const placed = await world.order({
      ...ORDERS.sell,
      request: { ...ORDERS.sell.request, payout },
    });
    await world.pay(placed);
    const done = await world.untilStatus(placed, "completed");
    expect(await outsideOf(done)).toMatchObject({ paid: 1 });
  });
});

describe.concurrent("a card is charged once", () => {
  test.each([
    ["is late", "4000000000003014"],
    ["loses the capture's answer", "4000000000003022"],
    ["tells an older answer after a newer one", "4000000000003030"],
    ["loses the authorization's answer", "4000000000000119"],
  ])("when the processor %s", async (_how, number) => {
    const placed = await world.order({ ...ORDERS.buyByBank, method: "card" });
    await payByCard(placed, number);
    const done = await world.untilStatus(placed, "completed");
    expect(await outsideOf(done)).toMatchObject({ captured: 1, broadcast: 1 });
  });
});

test("coins with a destination tag reach the order whose tag it is", async () => {
  const { refundAddress: _none, ...request } = ORDERS.sell.request;
  const wanted = { ...ORDERS.sell, spend: "xrp", amount: "100", request };
  const [first, second] = [await world.order(wanted), await world.order(wanted)];
  expect(first.instruction?.address).toBe(second.instruction?.address);
  await world.pay(second);
  await world.untilStatus(second, "completed");
  expect((await world.read(first)).deposits).toEqual([]);
});

test.each([
  ["bitcoin", "btc", "0.01"],
  ["litecoin", "ltc", "2"],
  ["dogecoin", "doge", "1000"],
  ["bitcoin-cash", "bch", "1"],
  ["tron", "usdt-tron", "200"],
  ["solana", "sol", "2"],
])("coins of %s are received and sold", async (_network, spend, amount) => {
  const { refundAddress: _none, ...request } = ORDERS.sell.request;
  const placed = await world.order({ ...ORDERS.sell, spend, amount, request });
  await world.pay(placed);
  await world.untilStatus(placed, "completed");
});

async function payByCard({ order }: OrderView, number: string): Promise<void> {
  await payOrder(world.deps, {
    merchantId: MERCHANT_ID,
    sessionId: order.sessionId,
    orderId: order.id,
    payment: {
      type: "card",
      card: { number, expiryMonth: 12, expiryYear: 2099, cvv: "123", holderName: "Ada" },
      billingAddress: { line1: "1", city: "Berlin", postalCode: "10115", countryCode: "DE" },
    },
  });
}
