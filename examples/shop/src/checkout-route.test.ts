import { afterEach, beforeEach, expect, test } from "vitest";
import { Stage } from "./testing/stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

test("a checkout asks for a token with the merchant's credentials and a locked price", async () => {
  const response = await stage.post("/api/checkout", {
    productId: "bitcoin-100-eur",
    baseAmount: 1,
  });
  expect(response.status).toBe(201);
  const answer = (await response.json()) as { sessionId: string; token: string };
  expect(answer.token).toBe("public.token");
  expect(stage.tokenCalls).toHaveLength(1);
  expect(stage.tokenCalls[0]?.headers).toMatchObject({
    "x-api-key": "exk_dev_secret",
    "x-client-id": "client_dev_1",
  });
  expect(stage.tokenCalls[0]?.body).toMatchObject({
    sessionId: answer.sessionId,
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 100, targetCurrency: "BTC" },
  });
});

test("each purchase attempt has a session of its own", async () => {
  expect(await stage.startPurchase()).not.toBe(await stage.startPurchase());
});

test("a product the shop does not sell is refused", async () => {
  expect((await stage.post("/api/checkout", { productId: "house" })).status).toBe(400);
  expect(stage.tokenCalls).toHaveLength(0);
});

test("a used session is passed on as such, with its message", async () => {
  const sessionId = await stage.startPurchase();
  stage.usedSessions.add(sessionId);
  const response = await stage.post("/api/checkout", { sessionId });
  expect(response.status).toBe(409);
  expect(await response.json()).toEqual({
    code: "SESSION_ALREADY_USED",
    message: "Restart the checkout.",
  });
});

test.each([
  ["sell-bitcoin", { operationType: "S", baseCurrency: "BTC", targetCurrency: "EUR" }],
  ["swap-ethereum-bitcoin", { operationType: "CC", baseCurrency: "ETH", targetCurrency: "BTC" }],
  ["transfer-100-eur-usd", { operationType: "FF", baseCurrency: "EUR", targetCurrency: "USD" }],
  ["refill-our-wallet", { walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", baseAmount: 60 }],
])("the token of %s is locked to what the server sells", async (productId, lock) => {
  await stage.startPurchase(productId);
  expect(stage.tokenCalls[0]?.body["lock"]).toMatchObject(lock);
});

test("the token of a product with an open price is locked to its operation only", async () => {
  await stage.startPurchase("any-amount");
  expect(stage.tokenCalls[0]?.body["lock"]).toEqual({ operationType: "B" });
});
