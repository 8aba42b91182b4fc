import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { QuoteEvidence, SideEvidence } from "../../domain/quotes/quote.ts";
import { createQuote } from "../../flows/quotes/create.ts";
import { sandboxRates } from "../../sandbox/rates/rate-source.ts";
import { found } from "../../testing/catalogue.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { readQuote } from "./quotes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

async function storedQuote() {
  const { sessionId } = await world.openSession();
  const quote = await world.quote(sessionId);
  return { quote, key: { quoteId: quote.id, merchantId: MERCHANT_ID, sessionId } };
}

test("a quote reads back as it was stored, to the last unit", async () => {
  const { catalogue } = world.deps;
  const { sessionId } = await world.openSession();
  const idOf = (reference: string) => found(catalogue().currencyByCodeOrReference(reference)).id;
  const quote = await createQuote(
    { ...world.deps, rates: sandboxRates({ seed: "storage" }) },
    {
      merchantId: MERCHANT_ID,
      sessionId,
      operation: "buy",
      spendCurrencyId: idOf("cad"),
      receiveCurrencyId: idOf("eth"),
      spendAmount: { units: 12_345n, scale: 2 },
      paymentMethodId: found(catalogue().paymentMethodByReference("card")).id,
    },
  );
  const stored = found(
    await readQuote(world.database, { quoteId: quote.id, merchantId: MERCHANT_ID, sessionId }),
  );
  const { spend, receive, ...rest } = stored.quote;
  expect([spend.units, receive.units]).toEqual([quote.spend.units, quote.receive.units]);
  expect(rest.fees.map(({ type, amount }) => [type, amount.units])).toEqual(
    quote.fees.map(({ type, amount }) => [type, amount.units]),
  );
  expect(rest).toMatchObject({
    id: quote.id,
    askedReceive: null,
    rate: quote.rate,
    midRate: quote.midRate,
    paymentMethodId: quote.paymentMethodId,
    deliveryMethodId: quote.deliveryMethodId,
    deliveryDays: quote.deliveryDays,
    rateSource: "sandbox",
    createdAt: quote.createdAt,
    expiresAt: quote.expiresAt,
  });
  expect(receive.asset).toMatchObject({ code: "ETH", decimals: 18, publishedDecimals: 8 });
  expect(stored.consumedByOrderId).toBeNull();
});

test("a quote keeps the origin of its prices, which no other read carries", async () => {
  const { sessionId } = await world.openSession();
  const evidence: QuoteEvidence = {
    spend: sideOf("EUR", { dollars: "1.16", sources: ["kraken", "bitstamp"], apartBasisPoints: 2 }),
    receive: sideOf("BTC", { dollars: "96000", costBasisPoints: 4 }),
  };
  const quote = await world.quote(sessionId, { evidence });
  const [row] = await world.database.query<{ evidence: unknown }>(
    statement("test_evidence", "select evidence from quotes where id = $1"),
    [quote.id],
  );
  expect(row?.evidence).toEqual(evidence);
  const key = { quoteId: quote.id, merchantId: MERCHANT_ID, sessionId };
  expect(found(await readQuote(world.database, key)).quote).not.toHaveProperty("evidence");
});

const sideOf = (code: string, changes: Partial<SideEvidence>): SideEvidence => ({
  code,
  dollars: "1",
  at: "2026-11-22T08:00:00.000Z",
  sources: ["kraken"],
  apartBasisPoints: 0,
  kind: "market",
  costBasisPoints: 0,
  ...changes,
});

describe("the database refuses", () => {
  const run = (text: string, values: readonly unknown[]) =>
    world.database.query(statement(`test_${randomUUID()}`, text), values);

  test("a change of a quote's price", async () => {
    const { key } = await storedQuote();
    const change = run("update quotes set rate = rate * 2, mid_rate = mid_rate * 2 where id = $1", [
      key.quoteId,
    ]);
    await expect(change).rejects.toThrow(/cannot be changed/);
  });

  test("a change of the origin of its prices, and an origin that is not an object", async () => {
    const { key } = await storedQuote();
    const change = run("update quotes set evidence = '{}' where id = $1", [key.quoteId]);
    await expect(change).rejects.toThrow(/cannot be changed/);
    const copy = run(
      `insert into quotes select (jsonb_populate_record(q, jsonb_build_object(
         'id', 'quo_' || repeat('a', 32), 'evidence', jsonb_build_array(1)))).* from quotes q where id = $1`,
      [key.quoteId],
    );
    await expect(copy).rejects.toThrow(/evidence/);
  });

  test("a used quote to become unused", async () => {
    const { key } = await storedQuote();
    await run(
      "update quotes set consumed_by_order_id = 1, consumed_at = business_now() where id = $1",
      [key.quoteId],
    );
    const change = run(
      "update quotes set consumed_by_order_id = null, consumed_at = null where id = $1",
      [key.quoteId],
    );
    await expect(change).rejects.toThrow(/already consumed/);
  });

  test("a rate better than the mid rate", async () => {
    const { sessionId } = await world.openSession();
    const storing = world.quote(sessionId, { midRate: { units: 1n, scale: 7 } });
    await expect(storing).rejects.toThrow(/check constraint/);
  });
});

const COPY_QUOTE = statement(
  "test_copy_quote",
  `insert into quotes select (jsonb_populate_record(q, jsonb_build_object('id', $2::text))).*
   from quotes q where q.id = $1`,
);
const HEX = "0123456789abcdef0123456789abcdef";

test("a quote's id is quo_ and 32 hexadecimal digits", async () => {
  const { quote } = await storedQuote();
  expect(await world.database.query(COPY_QUOTE, [quote.id, `quo_${HEX}`])).toEqual([]);
});

test.each([
  "",
  HEX,
  `quo_${HEX.slice(1)}`,
  `quo_${HEX}0`,
  `quo_${HEX.slice(1)}g`,
  `quo_${HEX.slice(1)}A`,
  `quo_${HEX.slice(1)}\n`,
  `QUO_${HEX}`,
  `xquo_${HEX.slice(1)}`,
])("the quote id %j is refused by the database", async (id) => {
  const { quote } = await storedQuote();
  await expect(world.database.query(COPY_QUOTE, [quote.id, id])).rejects.toThrow(/quotes_id_check/);
});
