import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, inject, test, vi } from "vitest";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buyChoice,
  CARDS,
  orderWithStatus,
  payByCard,
  readOrder,
  startOrder,
} from "../support/orders/purchase.ts";
import { exchange, exchangeHere, exchangeJson } from "../support/service/command-line.ts";

const service = inject("service");
let merchant: Merchant;
let other: Merchant;
let choice: BuyChoice;
beforeAll(async () => {
  merchant = await createMerchant(service);
  other = await createMerchant(service);
  choice = await buyChoice(service, merchant);
});

const quoteStatus = async (of: Merchant): Promise<number> => {
  const { status } = await merchantCall(service, of, {
    method: "POST",
    path: "/v1/exchange/quotes",
    body: {
      operationType: "B",
      baseCurrencyId: choice.base.id,
      baseAmount: 100,
      targetCurrencyId: choice.target.id,
      paymentMethodId: choice.card.id,
    },
  });
  return status;
};

/**
 * Within a second of the command's end. Twenty reads of the database with pauses of 50 ms take a second, and longer where
 * the machine or the database stalls.
 */
async function becomes(status: number): Promise<void> {
  for (let reads = 0; reads < 20; reads++) {
    if ((await quoteStatus(merchant)) === status) return;
    await merchantCall(service, merchant, { path: "/v1/orders?limit=1" });
    await sleep(50);
  }
  expect(await quoteStatus(merchant)).toBe(status);
}

const stopWords = () => ["--client", merchant.clientId, "--as", "anna"];

test("a merchant's stop refuses its quotes within a second, and no other merchant's", async () => {
  expect(await quoteStatus(merchant)).toBe(200);
  await exchangeJson(service, "payouts", "stop", ...stopWords(), "--reason", "a test");
  await becomes(503);
  expect(await quoteStatus(other)).toBe(200);
  await exchangeJson(service, "payouts", "resume", ...stopWords());
  await becomes(200);
});

test("an order that was paid while its merchant is stopped waits, and arrives when resumed", async () => {
  const { customer, orderId } = await startOrder(service, merchant, choice);
  await exchangeJson(service, "payouts", "stop", ...stopWords(), "--reason", "a test");
  await becomes(503);
  await payByCard(customer, orderId, CARDS.visa);
  await orderWithStatus(customer, orderId, "sending");
  const waiting = await vi.waitUntil(
    async () => {
      const words = ["payouts", "list", "--waiting", "--client", merchant.clientId];
      const [found] = await exchangeHere<{ waitsFor: string }[]>(service, ...words);
      return found;
    },
    { timeout: 60_000 },
  );
  expect(waiting.waitsFor).toContain("a test");
  expect((await readOrder(customer, orderId)).body.data.status).toBe("sending");
  await exchangeJson(service, "payouts", "resume", ...stopWords());
  await orderWithStatus(customer, orderId, "completed");
});

test("the command line explains a price with the running service's own figures", async () => {
  const words = ["--client", merchant.clientId, "--operation", "buy", "--spend", "CAD"];
  const ask = [...words, "--receive", "BTC", "--amount", "1", "--method", "card"];
  const { status, stdout } = await exchange(service, "rules", "explain", ...ask);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^REFUSES +amount +spend 1 CAD/m);
  expect(stdout).toContain("AMOUNT_BELOW_MINIMUM");
});
