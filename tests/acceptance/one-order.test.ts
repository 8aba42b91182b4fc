import type { QuoteData } from "@exchange/contract";
import { beforeAll, expect, inject, test } from "vitest";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buyChoice,
  placeOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";

const service = inject("service");
let merchant: Merchant;
let choice: BuyChoice;
beforeAll(async () => {
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
});

test("a hundred placements at once in one session make exactly one order", async () => {
  const customer = await startSession(service, merchant);
  const { quoteId } = await takeQuote(customer, choice);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => placeOrder(customer, quoteId)),
  );
  const placed = answers.filter(({ status }) => status === 201);
  const ids = new Set(placed.map(({ body }) => body.data.orderId));
  expect(ids.size).toBe(1);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(placed.length + refused.length).toBe(100);
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([
      409,
      expect.stringMatching(/^(SESSION_EXPIRED|QUOTE_ALREADY_USED)$/),
    ]);
  }
});

test("a hundred quotes ordered at once in one session make exactly one order", async () => {
  const customer = await startSession(service, merchant);
  const quotes: QuoteData[] = [];
  for (let count = 0; count < 20; count++) quotes.push(await takeQuote(customer, choice));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => placeOrder(customer, quotes[at % 20]?.quoteId ?? "")),
  );
  const placed = answers.filter(({ status }) => status === 201);
  expect(new Set(placed.map(({ body }) => body.data.orderId)).size).toBe(1);
  const [first] = placed;
  const order = await merchantCall(service, merchant, {
    path: `/v1/orders/${first?.body.data.orderId}`,
  });
  expect(order.status).toBe(200);
});
