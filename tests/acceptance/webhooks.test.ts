import { createHmac } from "node:crypto";
import type { WebhookPayload } from "@exchange/contract";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { addWebhook, createMerchant, type Merchant } from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buyChoice,
  CARDS,
  orderWithStatus,
  payByCard,
  placeOrder,
  startOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";
import { exchangeJson } from "../support/service/command-line.ts";
import { type Received, type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
let merchant: Merchant;
let choice: BuyChoice;
let receiver: Receiver;
let secret: string;

beforeAll(async () => {
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
  receiver = await startReceiver();
  ({ secret } = await addWebhook(service, merchant, receiver));
});
afterAll(() => receiver.close());

const payloadOf = ({ body }: Received): WebhookPayload => JSON.parse(body) as WebhookPayload;
const header = ({ headers }: Received, name: string): string => String(headers[name]);

test("a purchase sends two webhooks, and both their signatures are valid", async () => {
  const customer = await startSession(service, merchant);
  const quote = await takeQuote(customer, choice);
  const { orderId } = (await placeOrder(customer, quote.quoteId)).body.data;
  expect((await payByCard(customer, orderId, CARDS.visa)).status).toBe(201);
  const order = await orderWithStatus(customer, orderId, "completed");
  const deliveries = await receiver.waitForDeliveries(2);
  expect(deliveries.map((one) => payloadOf(one).eventType)).toEqual([
    "OrderCreated",
    "OrderFulfillment",
  ]);
  for (const delivery of deliveries) {
    const { eventType, details } = payloadOf(delivery);
    const signed = [
      header(delivery, "x-webhook-id"),
      header(delivery, "x-webhook-timestamp"),
      eventType,
      details.orderId,
    ].join(".");
    const expected = createHmac("sha256", secret).update(signed).digest("hex");
    expect(header(delivery, "x-webhook-signature")).toBe(expected);
    const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
    const standard = Object.fromEntries(names.map((name) => [name, header(delivery, name)]));
    expect(() => new Webhook(secret).verify(delivery.body, standard)).not.toThrow();
    const altered = delivery.body.replace(String(details.totalPrice), "1");
    expect(() => new Webhook(secret).verify(altered, standard)).toThrow();
    expect(header(delivery, "x-webhook-attempt")).toBe("1");
    expect(
      Math.abs(Date.now() / 1000 - Number(header(delivery, "x-webhook-timestamp"))),
    ).toBeLessThan(300);
  }
  const fulfilled = payloadOf(deliveries[1] as Received);
  expect(fulfilled).toEqual({
    eventType: "OrderFulfillment",
    sessionId: customer.sessionId,
    details: {
      orderId,
      status: "completed",
      paymentMethod: quote.paymentMethod.name,
      fulfilled: true,
      totalPrice: quote.spend.amount,
      totalPriceCurrency: "CAD",
      exchangeDetails: {
        baseCurrency: "CAD",
        amountReceived: quote.spend.amount,
        targetCurrency: "BTC",
        amountToSend: quote.receive.amount,
        operationType: "B",
      },
    },
  });
  expect(order.delivery.transactionHash).toMatch(/^[0-9a-f]{64}$/);
  expect(await exchangeJson(service, "ledger", "check")).toMatchObject({ ok: true });
});

test("a receiver that fails gets the same event again, with the same id and a new signature", async () => {
  const failing = await startReceiver();
  const other = await createMerchant(service);
  await addWebhook(service, other, failing);
  failing.answerWith(500);
  await startOrder(service, other, choice);
  await expect.poll(() => failing.received.length).toBeGreaterThanOrEqual(1);
  failing.answerWith(200);
  await failing.waitForDeliveries(1);
  const [first, second] = failing.received as [Received, Received];
  expect(header(second, "x-webhook-id")).toBe(header(first, "x-webhook-id"));
  expect(second.body).toBe(first.body);
  expect(header(second, "x-webhook-attempt")).toBe("2");
  expect(header(second, "x-webhook-signature")).not.toBe(header(first, "x-webhook-signature"));
  await failing.close();
});
