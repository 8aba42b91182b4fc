import { randomUUID } from "node:crypto";
import { money } from "@exchange/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BankGateway, BankPayout } from "../../domain/ports/bank-gateway.ts";
import { advanceBusinessClock } from "../../storage/installation.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { stopClock } from "../../testing/stopped-clock.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import type { SandboxWorld } from "../world/sandbox-world.ts";
import { sandboxWorld } from "../world/world.ts";

const DAY_SECONDS = 86_400;

let world: World;
let bank: BankGateway;
let outside: SandboxWorld;
beforeAll(async () => {
  world = await makeWorld();
  await stopClock(world.database);
  bank = found(world.deps.bank);
  outside = sandboxWorld(world.database);
});
afterAll(() => world.close());

const wait = (seconds: number) =>
  world.database.transaction((tx) => advanceBusinessClock(tx, seconds));

const euros = (units: bigint) =>
  money(found(world.deps.catalogue().currencyByCodeOrReference("eur")), units);

const payout = (changes: Partial<BankPayout> = {}): BankPayout => ({
  intentId: randomUUID(),
  method: "sepa",
  amount: euros(5_000n),
  fields: { accountHolder: "Ada Lovelace", iban: "DE89370400440532013000" },
  returns: null,
  ...changes,
});

async function payOut(order: BankPayout): Promise<string> {
  const prepared = await bank.prepare(order);
  await bank.submit(prepared);
  return prepared.reference;
}

const COUNT = statement(
  "test_payouts_of_intent",
  "select count(*)::int as count from sandbox.bank_payouts where intent_id = $1",
);
const countOf = async ({ intentId }: BankPayout): Promise<number | undefined> => {
  const [row] = await world.database.query<{ count: number }>(COUNT, [intentId]);
  return row?.count;
};

const transfer = (reference: string, changes: { confirmations?: number } = {}) =>
  outside.pay({
    id: randomUUID(),
    target: { rail: "bank", reference },
    assetReference: "eur",
    units: 10_000n,
    confirmations: 1,
    returns: "accepted",
    ...changes,
  });

test("preparing pays nothing, and the same intent is prepared as the same bytes", async () => {
  const order = payout();
  const [first, second] = [await bank.prepare(order), await bank.prepare(order)];
  expect(second).toEqual(first);
  expect(await bank.lookUp(first.reference)).toBeUndefined();
  expect(await countOf(order)).toBe(0);
});

test("the bytes that are stored do not tell who gets the money", async () => {
  const { bytes } = await bank.prepare(payout());
  expect(Buffer.from(bytes).toString()).not.toMatch(/Lovelace|DE89370400440532013000/);
});

test("the bank's books do not tell it either, but tell one account from another", async () => {
  const fields = { accountHolder: "Ada Lovelace", iban: "GB82WEST12345698765432" };
  const orders = [payout(), payout(), payout({ fields })];
  for (const order of orders) await payOut(order);
  const rows = await world.database.query<{ text: string; digest: string }>(
    statement(
      "test_payout_rows",
      `select to_jsonb(p)::text as text, beneficiary_digest as digest
       from sandbox.bank_payouts p where intent_id = any($1)`,
    ),
    [orders.map(({ intentId }) => intentId)],
  );
  expect(rows.map(({ text }) => text).join()).not.toMatch(/Lovelace|DE8937|GB82WEST/);
  expect(new Set(rows.map(({ digest }) => digest)).size).toBe(2);
});

test("a payout settles in a moment, once, however often it is submitted", async () => {
  const order = payout();
  const reference = await payOut(order);
  await Promise.all([payOut(order), payOut(order)]);
  expect(await bank.lookUp(reference)).toMatchObject({ state: "pending", reason: null });
  await wait(1);
  expect(await bank.lookUp(reference)).toMatchObject({ state: "settled", reason: null });
  await payOut(order);
  expect(await bank.lookUp(reference)).toMatchObject({ state: "settled", reason: null });
  expect(await countOf(order)).toBe(1);
});

test("an order to pay that says another reference than its own is refused", async () => {
  const { bytes } = await bank.prepare(payout());
  await expect(bank.submit({ reference: "SBX00", bytes })).rejects.toThrow("reference");
});

test.each([
  ["Slow Settlement", 2 * DAY_SECONDS, "pending", null],
  ["slow settlement ", 3 * DAY_SECONDS + 1, "settled", null],
  ["Rejected Payout", 1, "rejected", "account_closed"],
  ["Returned Payout", DAY_SECONDS, "pending", null],
  ["Returned Payout", 2 * DAY_SECONDS + 1, "rejected", "returned_by_beneficiary_bank"],
])("money for %s is after %i seconds %s", async (accountHolder, seconds, state, reason) => {
  const reference = await payOut(payout({ fields: { accountHolder } }));
  await wait(seconds);
  expect(await bank.lookUp(reference)).toMatchObject({ state, reason });
});

test("an answer that is lost leaves a payout that is found; a request that is lost leaves none", async () => {
  for (const [accountHolder, isFound] of [
    ["Lost Answer", true],
    ["Lost Request", false],
  ] as const) {
    const prepared = await bank.prepare(payout({ fields: { accountHolder } }));
    await expect(bank.submit(prepared)).rejects.toThrow("did not answer");
    expect((await bank.lookUp(prepared.reference)) !== undefined).toBe(isFound);
    await bank.submit(prepared);
    await wait(1);
    expect(await bank.lookUp(prepared.reference)).toMatchObject({ state: "settled" });
  }
});

test("a cash payout has a code that can be read aloud at a counter", async () => {
  const fields = { accountHolder: "Ada", phone: "+254700000000", pickupCity: "Nairobi" };
  const order = payout({ method: "cash_pickup", fields });
  const { reference } = await bank.prepare(order);
  expect(reference).toMatch(/^[2-9A-HJ-NP-TV-Z]{4}(-[2-9A-HJ-NP-TV-Z]{4}){2}$/);
  await payOut(order);
  await wait(1);
  expect(await bank.lookUp(reference)).toMatchObject({ state: "settled" });
});

test.each([
  ["4000000000002701", "settled", null],
  ["4000000000003121", "rejected", "card_rejects_pushes"],
])("money pushed to card %s is %s", async (number, state, reason) => {
  const tokens = found(world.deps.cardProcessor?.tokens);
  const details = { number, expiryMonth: 12, expiryYear: 2099, cvv: "123", holderName: "Ada" };
  const card = await tokens.tokenize(details, new Date());
  const cardToken = "token" in card ? card.token : "";
  const pushed = await payOut(
    payout({ method: "card_push", fields: { accountHolder: "Ada", cardToken } }),
  );
  await wait(1);
  expect(await bank.lookUp(pushed)).toMatchObject({ state, reason });
});

test("a card that nobody tokenized gets nothing", async () => {
  const fields = { accountHolder: "Ada", cardToken: "card_unknown" };
  const reference = await payOut(payout({ method: "card_push", fields }));
  await wait(1);
  expect(await bank.lookUp(reference)).toMatchObject({ state: "rejected", reason: "unknown_card" });
});

test("a payout can be rejected until it is settled, and not after", async () => {
  const [early, late] = [payout({ fields: { accountHolder: "Slow Settlement" } }), payout()];
  const reference = await payOut(early);
  expect(await outside.decidePayout(early.intentId, "rejected")).toBe(true);
  expect(await bank.lookUp(reference)).toMatchObject({ state: "rejected" });
  await payOut(late);
  await wait(1);
  expect(await outside.decidePayout(late.intentId, "rejected")).toBe(false);
  expect(await outside.decidePayout(randomUUID(), "settled")).toBe(false);
});

test("a transfer in flight settles after three days of business time, or when it is moved on", async () => {
  const [slow, quick] = [
    await transfer("r1", { confirmations: 0 }),
    await transfer("r2", { confirmations: 0 }),
  ];
  expect(slow.state).toBe("in_flight");
  await wait(2 * DAY_SECONDS);
  expect(await outside.change(quick, { kind: "confirm", confirmations: 1 })).toMatchObject({
    state: "settled",
  });
  expect(await bank.depositsTo("r1")).toMatchObject([{ id: slow.id, state: "in_flight" }]);
  await wait(DAY_SECONDS + 1);
  expect(await bank.depositsTo("r1")).toMatchObject([
    { id: slow.id, assetReference: "eur", units: 10_000n, state: "settled" },
  ]);
});

test("a transfer can be rejected in flight only, and then never settles", async () => {
  const flying = await transfer("r3", { confirmations: 0 });
  expect(await outside.change(flying, { kind: "drop" })).toMatchObject({ state: "rejected" });
  expect(await outside.change(flying, { kind: "confirm", confirmations: 1 })).toBeUndefined();
  await wait(10 * DAY_SECONDS);
  expect(await bank.depositsTo("r3")).toMatchObject([{ state: "rejected" }]);
  const settled = await transfer("r4");
  expect(await outside.change(settled, { kind: "drop" })).toBeUndefined();
  expect(await bank.depositsTo("r4")).toMatchObject([{ state: "settled" }]);
});

test("returns of one transfer never exceed its amount, whatever is returned at the same time", async () => {
  const { id } = await transfer("r5");
  const returns = Array.from({ length: 6 }, () =>
    payout({ fields: {}, returns: id, amount: euros(4_000n) }),
  );
  const references = await Promise.all(returns.map(payOut));
  await wait(1);
  const seen = await Promise.all(references.map((reference) => bank.lookUp(reference)));
  expect(seen.filter((payoutSeen) => payoutSeen?.state === "settled")).toHaveLength(2);
  expect(seen.filter((payoutSeen) => payoutSeen?.state === "rejected")).toHaveLength(4);
});

test("a sender's bank may not take its money back", async () => {
  const reference = "r6";
  const target = { rail: "bank", reference } as const;
  const payment = {
    id: randomUUID(),
    target,
    assetReference: "eur",
    units: 500n,
    confirmations: 1,
  };
  const { id } = await outside.pay({ ...payment, returns: "rejected" });
  const returned = await payOut(payout({ fields: {}, returns: id, amount: euros(500n) }));
  await wait(1);
  expect(await bank.lookUp(returned)).toMatchObject({ state: "rejected" });
});
