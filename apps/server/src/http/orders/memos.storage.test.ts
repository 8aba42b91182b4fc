import type { OrderData, QuoteData } from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Browser,
  type Ok,
  openBrowser,
  wantedExchange,
} from "../../testing/checkout-browser.ts";
import { type ErrorReply, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";

/** The classic address and the X-address with the tag 1 of one account (XLS-5). */
const CLASSIC = "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf";
const WITH_TAG = "XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHi";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const idOf = (code: string) => world.deps.catalogue().currencyByCodeOrReference(code)?.id;

/** Orders XRP for euro. */
async function buy(browser: Browser, request: object) {
  const exchange = { ...wantedExchange(world), targetCurrencyId: idOf("xrp") };
  const quote = await browser<Ok<QuoteData>>("/quotes", { payload: exchange });
  const payload = { quoteId: quote.body.data.quoteId, ...request };
  return browser<Ok<OrderData> & ErrorReply>("/orders", { payload });
}

describe("B13, contract (h): an address of the XRP Ledger", () => {
  test.each([
    ["without a tag and without a word", {}, "body.memo"],
    ["with a tag and the word that it needs none", { memo: "1", withoutMemo: true }, "body.memo"],
    ["with a word instead of a tag", { memo: "savings" }, "body.memo"],
    ["with a tag of more than 32 bits", { memo: "4294967296" }, "body.memo"],
    ["that holds a tag, with another", { walletAddress: WITH_TAG, memo: "2" }, "body.memo"],
  ])("%s is refused", async (_what, change, path) => {
    const browser = await openBrowser(world);
    const reply = await buy(browser, { walletAddress: CLASSIC, ...change });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(reply.body.details?.[0]?.path).toBe(path);
  });

  test.each([
    ["with its tag", { memo: "4294967295" }, "4294967295"],
    ["with the customer's word that it needs none", { withoutMemo: true }, null],
    ["that holds its tag", { walletAddress: WITH_TAG }, null],
  ])("%s is accepted", async (_what, change, memo) => {
    const browser = await openBrowser(world);
    const reply = await buy(browser, { walletAddress: CLASSIC, ...change });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body.data.delivery.memo).toBe(memo);
  });
});

test("contract (h): a refund address without a tag needs the customer's word", async () => {
  const exchange = {
    operationType: "CC",
    baseCurrencyId: idOf("xrp"),
    baseAmount: 100,
    targetCurrencyId: idOf("btc"),
    paymentMethodId: world.deps.catalogue().paymentMethodByReference("crypto")?.id,
  };
  const order = async (refund: object) => {
    const browser = await openBrowser(world);
    const quote = await browser<Ok<QuoteData>>("/quotes", { payload: exchange });
    const walletAddress = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
    const payload = { quoteId: quote.body.data.quoteId, walletAddress, ...refund };
    return browser<Ok<OrderData> & ErrorReply>("/orders", { payload });
  };
  const refused = await order({ refundAddress: CLASSIC });
  expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, "body.refundMemo"]);
  expect((await order({ refundAddress: CLASSIC, refundMemo: "7" })).status).toBe(201);
  expect((await order({ refundAddress: CLASSIC, refundWithoutMemo: true })).status).toBe(201);
});

describe("a lock may hold the memo", () => {
  const locked = { targetCurrency: "XRP", walletAddress: CLASSIC };
  const place = async (lock: object, request: object) =>
    buy(await openBrowser(world, { lock: { ...locked, ...lock } }), {
      walletAddress: CLASSIC,
      ...request,
    });

  test("so the customer cannot choose another tag of a shared address", async () => {
    const other = await place({ memo: "7" }, { memo: "8" });
    expect([other.status, other.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect((await place({ memo: "7" }, { withoutMemo: true })).status).toBe(400);
    expect((await place({ memo: "7" }, { memo: "7" })).status).toBe(201);
  });

  test("or that there is none", async () => {
    expect((await place({ withoutMemo: true }, { memo: "8" })).status).toBe(400);
    expect((await place({ withoutMemo: true }, { withoutMemo: true })).status).toBe(201);
  });

  test.each([
    ["without an address", { memo: "7" }],
    ["with both words", { ...locked, memo: "7", withoutMemo: true }],
    ["that is not a tag", { ...locked, memo: "seven" }],
    [
      "on a network without memos",
      { targetCurrency: "BTC", memo: "7", walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" },
    ],
  ])("a memo %s is refused", async (_what, lock) => {
    await expect(world.token({ lock })).rejects.toThrow(/INVALID_INPUT/);
  });

  test("the popup reads it", async () => {
    const browser = await openBrowser(world, { lock: { ...locked, memo: "7" } });
    const session = await browser<Ok<{ lock: object }>>("/session");
    expect(session.body.data.lock).toMatchObject({ memo: "7", walletAddress: CLASSIC });
  });
});
