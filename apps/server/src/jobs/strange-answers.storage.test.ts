import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../domain/orders/view.ts";
import type { BankDeposit, BankGateway } from "../domain/ports/bank-gateway.ts";
import type { CardPayment, CardProcessor } from "../domain/ports/card-processor.ts";
import { holdOrder } from "../flows/orders/hold.ts";
import { payOrder } from "../flows/orders/pay.ts";
import { releaseOrder } from "../flows/orders/release.ts";
import { listDeposits } from "../storage/payments/deposits.ts";
import { statement } from "../storage/postgres/database.ts";
import { found } from "../testing/catalogue.ts";
import { cardPayment, makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { MERCHANT_ID } from "../testing/world.ts";

/** The lines that the bank lists for each reference. */
const statements = new Map<string, readonly BankDeposit[]>();
/** The reference about which the bank's client fails, and the words of its error. */
const faulty = { reference: "", words: "" };
const bank: BankGateway = {
  name: "strange_bank",
  receivingAccount: async () => ({ lines: [{ label: "IBAN", value: "DE89370400440532013000" }] }),
  depositsTo: async (reference) => {
    if (reference === faulty.reference) throw new Error(faulty.words);
    return statements.get(reference) ?? [];
  },
  prepare: async () => ({ reference: "none", bytes: new Uint8Array() }),
  submit: async () => {},
  lookUp: async () => undefined,
};

const ANOTHER = "00000000-0000-4000-8000-000000000001";
const payments = new Map<string, CardPayment>();
const answerAbout = (reference: string, status: CardPayment["status"]): CardPayment => ({
  ...{ reference, status, declineReason: null, challengeUrl: null, threeDSecure: null },
  amount: statedAmount,
  askAgainMs: 50,
});
const ASKED = { assetReference: "eur", units: 10_000n };
let statedAmount: CardPayment["amount"] = ASKED;
let shownReference = (reference: string): string => reference;
const say = (reference: string, status: CardPayment["status"]): CardPayment => {
  const payment = answerAbout(reference, status);
  payments.set(reference, payment);
  return { ...payment, reference: shownReference(reference) };
};
const cardProcessor: CardProcessor = {
  name: "strange_processor",
  authorize: async ({ reference }) => say(reference, "authorized"),
  capture: async (reference) => say(reference, "captured"),
  void: async (reference) => say(reference, "voided"),
  lookUp: async (reference) => {
    const payment = payments.get(reference);
    return payment && { ...payment, reference: shownReference(reference) };
  },
  tokens: {
    tokenize: async () => ({ token: "tok_1", brand: "visa", lastFour: "2701" }),
    testCards: [],
  },
};

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld({ bank, cardProcessor });
});
afterAll(() => world.close());

const deposit = (id: string, units: bigint): BankDeposit => ({
  ...{ id, units, assetReference: "eur", state: "settled", askAgainMs: 50 },
});

async function awaited(): Promise<{ readonly view: OrderView; readonly reference: string }> {
  const view = await world.order(ORDERS.buyByBank);
  return { view, reference: found(view.instruction).reference };
}

async function state(view: OrderView, lines: readonly BankDeposit[]): Promise<readonly string[]> {
  statements.set(found(view.instruction).reference, lines);
  await world.hurry(view);
  await world.untilTried(view);
  const deposits = await listDeposits(world.database, view.order.id);
  return deposits.map(({ externalId }) => externalId);
}

test.each([
  ["of nothing", 0n],
  ["of less than nothing", -10_000n],
  ["larger than any amount", 10n ** 38n],
])("a bank's line %s does not hide the money beside it", async (_name, units) => {
  const { view } = await awaited();
  const id = `line ${units}`;
  expect(await state(view, [deposit(id, units), deposit(`${id} beside`, 10_000n)])).toEqual([
    `${id} beside`,
  ]);
  await world.until(view, ({ order }) => order.receivedUnits === 10_000n);
});

test("a bank's line that arrives with another amount than it was announced with is booked as it arrived", async () => {
  const { view } = await awaited();
  await state(view, [{ ...deposit("announced", 10_000n), state: "in_flight" }]);
  expect((await world.read(view)).order.receivedUnits).toBeNull();
  await state(view, [deposit("announced", 9_000n)]);
  const [booked] = await listDeposits(world.database, view.order.id);
  expect(booked).toMatchObject({ state: "final", units: 9_000n });
  const { order } = await world.read(view);
  expect([order.status, order.receivedUnits]).toEqual(["in_review", 9_000n]);
  await state(view, [deposit("announced", 10_000n)]);
  expect((await world.read(view)).order.receivedUnits).toBe(9_000n);
});

test.each([
  ["of nothing", { units: 0n }],
  ["of less than nothing", { units: -10_000n }],
  ["in an unknown currency", { assetReference: "none" }],
])("an announced transfer that the bank rejects with a line %s is lost", async (name, words) => {
  const { view } = await awaited();
  const announced = deposit(`rejected ${name}`, 10_000n);
  await state(view, [{ ...announced, state: "in_flight" }]);
  expect((await world.read(view)).order.status).toBe("payment_pending");
  await state(view, [{ ...announced, ...words, state: "rejected" }]);
  expect(await listDeposits(world.database, view.order.id)).toMatchObject([
    { state: "lost", units: 10_000n },
  ]);
  expect((await world.read(view)).order.status).toBe("awaiting_payment");
});

test("a rejected line of nothing that was never announced is no deposit", async () => {
  const { view } = await awaited();
  expect(await state(view, [{ ...deposit("never", 0n), state: "rejected" }])).toEqual([]);
});

test("a bank's line that paid another order does not hide the money beside it", async () => {
  const [first, second] = [await awaited(), await awaited()];
  expect(await state(first.view, [deposit("shared", 10_000n)])).toEqual(["shared"]);
  const lines = [deposit("shared", 10_000n), deposit("own", 10_000n)];
  expect(await state(second.view, lines)).toEqual(["own"]);
  await world.until(second.view, ({ order }) => order.receivedUnits === 10_000n);
});

test("a bank's line that moves to another order is put before a person once, and the order may then be paid", async () => {
  const [first, second] = [await awaited(), await awaited()];
  expect(await state(first.view, [deposit("moved", 10_000n)])).toEqual(["moved"]);
  // The bank corrects the reference of the transfer.
  statements.set(first.reference, []);
  expect(await state(second.view, [deposit("moved", 10_000n)])).toEqual([]);
  const held = await world.untilStatus(second.view, "in_review");
  expect(held.order).toMatchObject({ statusReason: "provider_error", receivedUnits: null });
  expect(held.timeline.at(-1)?.note).toContain(
    "transfer moved for this order, and it paid another",
  );
  const key = { merchantId: MERCHANT_ID, orderId: second.view.order.id };
  await releaseOrder(world.deps, key);
  const lines = [deposit("moved", 10_000n), deposit("paid again", 10_000n)];
  expect(await state(second.view, lines)).toEqual(["paid again"]);
  await world.until(second.view, ({ order }) => order.receivedUnits === 10_000n);
  expect((await world.read(first.view)).order.receivedUnits).toBe(10_000n);
});

test("a bank's line that moves to an order is put before a person, though the order was held for another one", async () => {
  const [first, second] = [await awaited(), await awaited()];
  expect(await state(first.view, [deposit("moved one", 10_000n)])).toEqual(["moved one"]);
  const key = { merchantId: MERCHANT_ID, orderId: second.view.order.id };
  // A provider failed before, and a person let the order go on.
  await holdOrder(world.deps, { ...key, holdReason: "provider_error" });
  await releaseOrder(world.deps, key);
  await state(second.view, [deposit("moved one", 10_000n)]);
  await world.untilStatus(second.view, "in_review");
  await releaseOrder(world.deps, key);
  // The bank moves another transfer too.
  const third = await awaited();
  expect(await state(third.view, [deposit("moved two", 10_000n)])).toEqual(["moved two"]);
  await state(second.view, [deposit("moved one", 10_000n), deposit("moved two", 10_000n)]);
  const held = await world.untilStatus(second.view, "in_review");
  expect(held.timeline.at(-1)?.note).toContain("transfer moved two for this order");
});

test("a job whose error has words that no database stores is counted as failed", async () => {
  const { view, reference } = await awaited();
  Object.assign(faulty, { reference, words: "the bank said \u0000 and \u001b[2J" });
  const readJobs = () =>
    world.database.query(
      statement(
        "test_job",
        "select attempts > 0 as failed, last_error from jobs where order_id = $1 and kind = 'watch_payment'",
      ),
      [view.order.id],
    );
  await world.hurry(view);
  await expect.poll(readJobs).toEqual([{ failed: true, last_error: "the bank said   and  [2J" }]);
});

const BUY_BY_CARD = { ...ORDERS.buyByBank, method: "card" } as const;

async function paidByCard(): Promise<OrderView> {
  const view = await world.order(BUY_BY_CARD);
  await payOrder(world.deps, {
    ...{ merchantId: MERCHANT_ID, sessionId: view.order.sessionId, orderId: view.order.id },
    payment: cardPayment(),
  });
  return view;
}

test("a processor's answer about another payment pays nothing and refuses nothing", async () => {
  shownReference = () => ANOTHER;
  const view = await paidByCard();
  await world.untilTried(view);
  const { order } = await world.read(view);
  expect([order.status, order.receivedUnits]).toEqual(["payment_pending", null]);
  shownReference = (reference) => reference;
  await world.hurry(view);
  await world.until(view, (now) => now.order.receivedUnits === 10_000n);
});

test.each([
  ["no amount", null],
  ["nothing", { ...ASKED, units: 0n }],
  ["a part of a cent", { assetReference: "eur", coins: "100.004" }],
  ["another currency", { ...ASKED, assetReference: "usd" }],
] as const)("an authorization of %s pays nothing and refuses nothing", async (_name, amount) => {
  statedAmount = amount;
  const view = await paidByCard();
  await world.untilTried(view);
  const { order } = await world.read(view);
  expect([order.status, order.receivedUnits]).toEqual(["payment_pending", null]);
  // The processor states what it authorized before the next look.
  statedAmount = ASKED;
  for (const [reference, payment] of payments)
    payments.set(reference, { ...payment, amount: ASKED });
  await world.hurry(view);
  await world.until(view, (now) => now.order.receivedUnits === 10_000n);
});
