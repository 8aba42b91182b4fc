import { afterEach, beforeEach, expect, test } from "vitest";
import { Stage, signedWebhook } from "./testing/stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

const simulate = (body: unknown): Promise<Response> => stage.post("/api/simulate-payment", body);

test("a payment is simulated only for an order that a webhook announced", async () => {
  const sessionId = await stage.startPurchase();
  expect((await simulate({ sessionId })).status).toBe(404);
  expect((await simulate({ sessionId: "another" })).status).toBe(404);
  await stage.deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }));
  expect((await simulate({ sessionId })).status).toBe(202);
  expect(stage.deposits).toEqual([{ orderId: 4200017 }]);
});

test("a simulated payment that Exchange refuses is answered with 409", async () => {
  const sessionId = await stage.startPurchase();
  const created = signedWebhook({ sessionId, eventType: "OrderCreated", details: { orderId: 7 } });
  await stage.deliver(created);
  expect((await simulate({ sessionId })).status).toBe(409);
});
