import { randomUUID } from "node:crypto";
import { money } from "@exchange/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CardProcessor } from "../../domain/ports/card-processor.ts";
import { advanceBusinessClock } from "../../storage/installation.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { SANDBOX_CARDS } from "./test-cards.ts";

let world: World;
let processor: CardProcessor;
beforeAll(async () => {
  world = await makeWorld();
  processor = found(world.deps.cardProcessor);
});
afterAll(() => world.close());

const euros = (units: bigint) =>
  money(found(world.deps.catalogue().currencyByCodeOrReference("eur")), units);

async function tokenOf(number: string): Promise<string> {
  const card = { number, expiryMonth: 12, expiryYear: 2099, cvv: "123", holderName: "Ada" };
  const tokenized = await found(processor.tokens).tokenize(card, new Date());
  if ("refused" in tokenized) throw new Error(tokenized.refused);
  return tokenized.token;
}

/** A captured payment of ten euro. */
async function captured(number = "4000000000002701"): Promise<string> {
  const reference = randomUUID();
  const cardToken = await tokenOf(number);
  await processor.authorize({ reference, cardToken, amount: euros(1_000n) }).catch(() => {});
  await processor.capture(reference);
  return reference;
}

const refund = (paymentReference: string, units: bigint, reference: string = randomUUID()) =>
  found(processor.refunds).refund({ reference, paymentReference, amount: euros(units) });

const SUM = statement(
  "test_card_sums",
  `select (select count(*)::int from sandbox.card_captures where reference = $1) as captures,
     (select coalesce(sum(amount), 0)::text from sandbox.card_refunds
      where payment_reference = $1 and status = 'refunded') as refunded`,
);
const sumsOf = async (reference: string) => {
  const [row] = await world.database.query<Record<string, unknown>>(SUM, [reference]);
  return row;
};

const AMOUNTS = statement(
  "test_card_amounts",
  `select amount::text from sandbox.card_captures where reference = any ($1) order by amount`,
);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("every test card's number passes the check of its last digit", () => {
  for (const { number } of SANDBOX_CARDS) {
    const sum = Array.from(number, Number).reduceRight((total, digit, place) => {
      const value = digit * ((number.length - place) % 2 === 1 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    expect(sum % 10, number).toBe(0);
  }
  expect(new Set(SANDBOX_CARDS.map(({ number }) => number)).size).toBe(SANDBOX_CARDS.length);
});

test("a refund under the same reference gives back once", async () => {
  const payment = await captured();
  const reference = randomUUID();
  const answers = await Promise.all([1, 2, 3].map(() => refund(payment, 400n, reference)));
  expect(answers.every(({ status }) => status === "refunded")).toBe(true);
  expect(await found(processor.refunds).lookUp(reference)).toMatchObject({
    status: "refunded",
    reason: null,
  });
  expect(await sumsOf(payment)).toEqual({ captures: 1, refunded: "4" });
});

test("no more is given back than was captured, whatever is refunded at the same time", async () => {
  const payment = await captured();
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => refund(payment, 400n)));
  expect(answers.filter(({ status }) => status === "refunded")).toHaveLength(2);
  expect(await sumsOf(payment)).toEqual({ captures: 1, refunded: "8" });
  expect((await refund(payment, 200n)).status).toBe("refunded");
  expect((await refund(payment, 1n)).status).toBe("rejected");
});

test("nothing is given back of a payment that was not captured, or that is not there", async () => {
  const reference = randomUUID();
  const cardToken = await tokenOf("4000000000002701");
  await processor.authorize({ reference, cardToken, amount: euros(1_000n) });
  expect(await refund(reference, 100n)).toMatchObject({ status: "rejected" });
  expect(await refund(randomUUID(), 100n)).toMatchObject({ status: "rejected" });
  expect(await found(processor.refunds).lookUp(randomUUID())).toBeUndefined();
});

test("a card may reject its refunds", async () => {
  const payment = await captured("4000000000003113");
  expect(await refund(payment, 100n)).toMatchObject({
    status: "rejected",
    reason: "not_refundable",
  });
});

test("a refund whose answer is lost has happened once", async () => {
  const payment = await captured("4000000000000119");
  const reference = randomUUID();
  await expect(refund(payment, 100n, reference)).rejects.toThrow("did not answer");
  expect(await found(processor.refunds).lookUp(reference)).toMatchObject({ status: "refunded" });
  expect((await refund(payment, 100n, reference)).status).toBe("refunded");
  expect(await sumsOf(payment)).toEqual({ captures: 1, refunded: "1" });
});

test("a late answer is processing at first and approved after two seconds", async () => {
  const reference = randomUUID();
  const cardToken = await tokenOf("4000000000003014");
  const first = await processor.authorize({ reference, cardToken, amount: euros(1_000n) });
  expect(first.status).toBe("processing");
  await pause(2_000);
  expect(await processor.lookUp(reference)).toMatchObject({ status: "authorized" });
});

test("a capture that is asked for twice, because its answer was lost, takes the money once", async () => {
  const reference = randomUUID();
  const cardToken = await tokenOf("4000000000003022");
  await processor.authorize({ reference, cardToken, amount: euros(1_000n) });
  await expect(processor.capture(reference)).rejects.toThrow("did not answer");
  expect(await processor.capture(reference)).toMatchObject({ status: "captured" });
  expect(await sumsOf(reference)).toMatchObject({ captures: 1 });
});

test("payments at the same time each take their own money once, whatever their cards do", async () => {
  const numbers = ["4000000000002701", "4000000000003022", "4000000000000002", "4000000000002701"];
  const payments = await Promise.all(
    numbers.map(async (number) => ({ reference: randomUUID(), cardToken: await tokenOf(number) })),
  );
  const requests = payments.map((payment, index) => ({
    ...payment,
    amount: euros(BigInt(index + 1) * 100n),
  }));
  const authorized = await Promise.all([...requests, ...requests].map(processor.authorize));
  const references = requests.map(({ reference }) => reference);
  expect(authorized.map(({ reference }) => reference)).toEqual([...references, ...references]);
  await Promise.allSettled([...references, ...references].map(processor.capture));
  const taken = await Promise.all(references.map(sumsOf));
  expect(taken.map((sums) => sums?.["captures"])).toEqual([1, 1, 0, 1]);
  const amounts = await world.database.query<{ amount: string }>(AMOUNTS, [references]);
  expect(amounts.map(({ amount }) => amount)).toEqual(["1", "2", "4"]);
});

test("an older answer may follow a newer one", async () => {
  const reference = randomUUID();
  const cardToken = await tokenOf("4000000000003030");
  await processor.authorize({ reference, cardToken, amount: euros(1_000n) });
  await pause(500);
  expect(await processor.lookUp(reference)).toMatchObject({ status: "authorized" });
  expect(await processor.capture(reference)).toMatchObject({ status: "authorized" });
  expect(await processor.capture(reference)).toMatchObject({ status: "captured" });
  expect(await sumsOf(reference)).toMatchObject({ captures: 1 });
});

test("a processor that answers nothing has voided the payment after an hour of business time", async () => {
  const reference = randomUUID();
  const cardToken = await tokenOf("4000000000003048");
  const request = { reference, cardToken, amount: euros(1_000n) };
  await expect(processor.authorize(request)).rejects.toThrow("did not answer");
  await expect(processor.lookUp(reference)).rejects.toThrow("did not answer");
  await world.database.transaction((tx) => advanceBusinessClock(tx, 3_600));
  expect(await processor.lookUp(reference)).toMatchObject({ status: "voided" });
  expect(await sumsOf(reference)).toMatchObject({ captures: 0 });
});
