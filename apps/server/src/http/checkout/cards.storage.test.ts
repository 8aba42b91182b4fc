import { type CardToken, ENDPOINTS } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statement } from "../../storage/postgres/database.ts";
import { type Ok, openBrowser } from "../../testing/checkout-browser.ts";
import { faultsOf, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const CARD = {
  number: "4000 0000 0000 2701",
  expiryMonth: 12,
  expiryYear: 2099,
  cvv: "123",
  holderName: "Ada Lovelace",
};

test("a debit card becomes a token; its number is kept nowhere", async () => {
  const browser = await openBrowser(world);
  const reply = await browser<Ok<CardToken>>("/cards", { payload: { card: CARD } });
  expect(reply.status).toBe(201);
  expect(faultsOf(ENDPOINTS.tokenizeCard, reply.body)).toEqual([]);
  expect(reply.body.data).toMatchObject({ brand: "Visa", lastFour: "2701" });
  expect(reply.text).not.toMatch(/4000 ?0000/);
  const [card] = await world.database.query(
    statement(
      "test_card",
      "select to_jsonb(c)::text as text from sandbox.cards c where token = $1",
    ),
    [reply.body.data.cardToken],
  );
  expect(JSON.stringify(card)).not.toMatch(/40000000|4000 0000|Lovelace/);
});

test.each([
  ["a real card", { ...CARD, number: "4242424242424242" }, "body.card.number"],
  ["an expired card", { ...CARD, expiryYear: 2001 }, "body.card.expiryYear"],
  ["no number", { ...CARD, number: "" }, "body.card.number"],
  ["a month of its own", { ...CARD, expiryMonth: 13 }, "body.card.expiryMonth"],
])("%s is refused", async (_what, card, path) => {
  const browser = await openBrowser(world);
  const reply = await browser("/cards", { payload: { card } });
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  expect(reply.body.details?.[0]?.path).toBe(path);
  expect(reply.text).not.toContain("42424242");
});

test("a token with a scope of its own may too, because the checkout needs it", async () => {
  const browser = await openBrowser(world, { scope: ["wallet.read"] });
  expect((await browser("/cards", { payload: { card: CARD } })).status).toBe(201);
});

test("where card numbers must not reach us, no route takes one and no document names one", async () => {
  const hosted = await makeHttpWorld({ deps: { cardProcessor: undefined } });
  const browser = await openBrowser(hosted);
  const reply = await browser("/cards", { payload: { card: CARD } });
  expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
  const payment = { type: "card", card: CARD, billingAddress: {}, frequency: "one_time" };
  const paid = await browser("/orders/1/payments", { payload: payment });
  expect([paid.status, paid.body.code]).toEqual([400, "INVALID_INPUT"]);
  expect(paid.body.details?.[0]).toMatchObject({
    path: "body.type",
    issue: "must be one of bank_transfer, crypto",
  });
  expect(paid.text).not.toMatch(/4000 ?0000/);
  const coins = await browser("/orders/1/payments", { payload: { type: "crypto" } });
  expect([coins.status, coins.body.code]).toEqual([404, "NOT_FOUND"]);
  const { text } = await hosted.call({ url: "/v1/openapi.json" });
  const names = ["CardPaymentRequest", "/checkout/cards", '"cvv"'];
  expect(names.filter((name) => text.includes(name))).toEqual([]);
  await hosted.close();
});
