import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { readHistory } from "../../storage/history.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { releaseOrder } from "../orders/release.ts";
import { attemptIdOf } from "../payments/pay-by-card.ts";
import { resumePayouts } from "../payouts/resume.ts";
import { declareRestored } from "./declare-restored.ts";
import { type Difference, listDifferences } from "./differences.ts";
import { adoptLine, bookLine, finishReconciling } from "./reconcile.ts";

const LONG_AGO = new Date(0);
const LOST_INTENT = "01a2050e-88d3-80f9-a785-50e5d460b2c1";
const LOST_CAPTURE = "01a2050e-88d3-8339-bab4-c5e3b7b30db3";

let world: OrderWorld;
let count = 0;
beforeAll(async () => {
  world = await makeOrderWorld();
  await declareRestored(world.deps, { why: "a test", lastMark: 0n });
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const run = (text: string) => {
  count += 1;
  return world.database.query<object>(statement(`reconcile_${count}`, text));
};
const differences = () => listDifferences(world.deps, LONG_AGO);
const differenceOf = async (reference: string): Promise<Difference> =>
  found((await differences()).find(({ line }) => line.reference === reference));
const anna = { merchantId: MERCHANT_ID, operator: operatorNamed("anna") };

/** The bank made a payout which the restored database has not sent. */
const bankPaid = (intentId: string, units: bigint) =>
  run(`insert into sandbox.bank_payouts (intent_id, reference, method, currency, units, beneficiary_digest,
      outcome, decided_at)
    values ('${intentId}', 'bank-${intentId}', 'sepa', 'EUR', ${units}, 'd', 'settled', business_now())`);

async function placeSending(): Promise<OrderView> {
  const placed = await world.order(ORDERS.transfer);
  await world.pay(placed);
  return world.until(placed, ({ payout }) => payout !== undefined);
}

test("a payout that the bank made already is followed under the bank's reference", async () => {
  const sending = await placeSending();
  const { id, units } = found(sending.payout);
  await bankPaid(id, units);
  await adoptLine(world.deps, await differenceOf(id), operatorNamed("anna"));
  const done = await world.untilStatus(sending, "completed");
  expect(found(done.payout)).toMatchObject({
    state: "confirmed",
    transactionHash: `bank-${id}`,
  });
  expect(await differences()).toEqual([]);
});

test("a payout of another amount is not adopted", async () => {
  const sending = await placeSending();
  const { id, units } = found(sending.payout);
  await bankPaid(id, units + 1n);
  const difference = await differenceOf(id);
  await expect(adoptLine(world.deps, difference, operatorNamed("anna"))).rejects.toThrow(
    "another amount",
  );
  await expect(adoptLine(world.deps, difference, operatorNamed("auditor"))).rejects.toThrow(
    "neither auditor",
  );
  const cents = String(units % 100n).padStart(2, "0");
  const amount = { coins: `${units / 100n}.${cents}4` };
  const finer = { ...difference, line: { ...difference.line, amount } };
  await expect(adoptLine(world.deps, finer, operatorNamed("anna"))).rejects.toThrow(
    "has 2 decimals",
  );
  await run(`update sandbox.bank_payouts set units = ${units} where intent_id = '${id}'`);
  await adoptLine(world.deps, await differenceOf(id), operatorNamed("anna"));
  await world.untilStatus(sending, "completed");
});

/** The processor captured the first card payment of an order, which the restored database does not have. */
async function placeCaptured(coins: number): Promise<OrderView> {
  const placed = await world.order({ ...ORDERS.buyByBank, method: "card" });
  const id = attemptIdOf(placed.order, 1);
  await run(`insert into sandbox.cards (token, brand, last_four, outcome)
    values ('card_${id}', 'Visa', '2701', 'approved')`);
  await run(`insert into sandbox.card_payments (reference, card_token, currency, amount, status)
    values ('${id}', 'card_${id}', 'EUR', ${coins}, 'captured')`);
  await run(`insert into sandbox.card_captures (reference, currency, amount)
    values ('${id}', 'EUR', ${coins})`);
  await adoptLine(world.deps, await differenceOf(id), operatorNamed("anna"));
  return placed;
}

test("a capture that is adopted counts as a card payment of its order", async () => {
  const paid = await world.untilStatus(await placeCaptured(100), "sending");
  expect(paid.order.cardAttempts).toBe(1);
  expect(paid.attempt).toMatchObject({ number: 1, status: "captured" });
  expect(await differences()).toEqual([]);
});

test("a capture of a part is adopted too, and its order waits for a person", async () => {
  const held = await world.untilStatus(await placeCaptured(40), "in_review");
  expect(held.order).toMatchObject({ statusReason: "underpaid", receivedUnits: 4_000n });
  expect(await differences()).toEqual([]);
});

test("a capture of more than the order's amount is exchanged when it is released, and the rest is returned to the card", async () => {
  const held = await world.untilStatus(await placeCaptured(150), "in_review");
  expect(held.order).toMatchObject({ statusReason: "overpaid", receivedUnits: 15_000n });
  await releaseOrder(world.deps, { merchantId: MERCHANT_ID, orderId: held.order.id });
  const { attempt } = await world.untilStatus(held, "sending");
  const refunds = statement(
    "test_excess_refunds",
    "select units::text from payout_intents where attempt_id = $1 and purpose = 'excess_refund'",
  );
  expect(await world.database.query(refunds, [attempt?.id])).toEqual([{ units: "5000" }]);
  expect(await differences()).toEqual([]);
});

test("movements of lost orders are booked once, each against suspense", async () => {
  await bankPaid(LOST_INTENT, 700n);
  await run(`insert into sandbox.card_captures (reference, currency, amount)
    values ('${LOST_CAPTURE}', 'EUR', 12.34)`);
  for (const reference of [LOST_INTENT, LOST_CAPTURE]) {
    const { line, cure } = await differenceOf(reference);
    expect(cure).toBe("book");
    await expect(bookLine(world.deps, line, { ...anna, merchantId: "nobody" })).rejects.toThrow(
      "no merchant nobody",
    );
    await expect(
      adoptLine(world.deps, { line, cure: "book" }, operatorNamed("anna")),
    ).rejects.toThrow("cannot be adopted");
    const finer = { ...line, amount: { coins: "12.345" } };
    await expect(bookLine(world.deps, finer, anna)).rejects.toThrow("has 2 decimals");
    await bookLine(world.deps, line, anna);
    await expect(bookLine(world.deps, line, anna)).rejects.toMatchObject({ code: "23505" });
  }
  expect(await differences()).toEqual([]);
  const log = await listControlChanges(world.database, { limit: 10 });
  expect(log.filter(({ action }) => action === "book_line")).toHaveLength(2);
});

test("a payout of a lost order that is pending keeps the database from being reconciled", async () => {
  await run(`insert into sandbox.bank_payouts (intent_id, reference, method, currency, units, beneficiary_digest,
      outcome, decided_at)
    values ('slow', 'slow', 'sepa', 'EUR', 5, 'd', 'settled', business_now() + interval '1 day')`);
  expect(await differenceOf("slow")).toMatchObject({ cure: "await_rail" });
  expect(
    await finishReconciling(world.deps, { since: LONG_AGO, operator: operatorNamed("anna") }),
  ).toHaveLength(1);
  expect((await readHistory(world.database)).restoredWhy).toBe("a test");
  await run("delete from sandbox.bank_payouts where intent_id = 'slow'");
});

test("payouts resume after the reconciliation only, with the chain's next place", async () => {
  const all = { kind: "all", subject: "" } as const;
  await expect(resumePayouts(world.deps, { ...all, by: operatorNamed("anna") })).rejects.toThrow(
    "reconcile",
  );
  await run(`insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id, asset_reference,
      address, units, nonce, mined_at, broadcast_at)
    values ('bitcoin', 'old', 'old', 'btc', 'somewhere', 5, 41, 'epoch', 'epoch')`);
  const since = new Date(Date.now() - 1_000);
  expect(await finishReconciling(world.deps, { since, operator: operatorNamed("anna") })).toEqual(
    [],
  );
  expect((await readHistory(world.database)).restoredWhy).toBeNull();
  expect(
    await run("select next_place::int as next from chain_wallets where network_code = 'bitcoin'"),
  ).toEqual([{ next: 42 }]);
  await resumePayouts(world.deps, { ...all, by: operatorNamed("anna") });
  expect(await resumePayouts(world.deps, { ...all, by: operatorNamed("ben") })).toMatchObject({
    resumed: true,
  });
});
