import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "./settings.ts";
import {
  OTHER_SECRET,
  SECRET,
  type SentWebhook,
  Stage,
  signedWebhook,
  type WebhookRequest,
} from "./testing/stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

test("a purchase goes from waiting to placed to paid by verified webhooks", async () => {
  const sessionId = await stage.startPurchase();
  expect(await stage.statusOf(sessionId)).toBe("waiting_for_payment");
  expect(await stage.deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }))).toBe(200);
  expect(await stage.statusOf(sessionId)).toBe("order_placed");
  expect(await stage.deliver(signedWebhook({ sessionId }))).toBe(200);
  expect(await stage.statusOf(sessionId)).toBe("paid");
});

test("an OrderCreated that comes late does not unpay a purchase", async () => {
  const sessionId = await stage.startPurchase();
  await stage.deliver(signedWebhook({ sessionId }));
  await stage.deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }));
  expect(await stage.statusOf(sessionId)).toBe("paid");
});

test("the documented signature may be written in capitals", async () => {
  const sessionId = await stage.startPurchase();
  const webhook = signedWebhook({ sessionId });
  const signature = webhook.headers["x-webhook-signature"]?.toUpperCase() ?? "";
  webhook.headers["x-webhook-signature"] = signature;
  expect(await stage.deliver(webhook)).toBe(200);
  expect(await stage.statusOf(sessionId)).toBe("paid");
});

test.each<[string, (sessionId: string) => WebhookRequest]>([
  ["of another secret", (sessionId) => signedWebhook({ sessionId, secret: OTHER_SECRET })],
  ["older than five minutes", (sessionId) => signedWebhook({ sessionId, ageSeconds: 301 })],
  ["from the future", (sessionId) => signedWebhook({ sessionId, ageSeconds: -400 })],
  [
    "with a made-up signature",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId });
      return { ...webhook, headers: { ...webhook.headers, "x-webhook-signature": "0".repeat(64) } };
    },
  ],
  ["without signatures", (sessionId) => ({ ...signedWebhook({ sessionId }), headers: {} })],
  [
    "without the standard signature",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId });
      const { "webhook-signature": _signature, ...headers } = webhook.headers;
      return { ...webhook, headers };
    },
  ],
  [
    // The documented signature does not cover the session; only the standard one catches this.
    "whose body was changed to another session",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId: "shop-other" });
      return { ...webhook, body: webhook.body.replace("shop-other", sessionId) };
    },
  ],
  [
    "with a newer timestamp than the one signed",
    (sessionId) => {
      const webhook = signedWebhook({ sessionId, ageSeconds: 900 });
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const headers = { ...webhook.headers, "x-webhook-timestamp": timestamp };
      return { ...webhook, headers: { ...headers, "webhook-timestamp": timestamp } };
    },
  ],
  ["whose body is not JSON", (sessionId) => ({ ...signedWebhook({ sessionId }), body: "{" })],
])("a webhook %s is refused with 400 and changes nothing", async (_name, make) => {
  const sessionId = await stage.startPurchase();
  expect(await stage.deliver(make(sessionId))).toBe(400);
  expect(await stage.statusOf(sessionId)).toBe("waiting_for_payment");
});

test("the same webhook again is acknowledged and not applied again", async () => {
  const sessionId = await stage.startPurchase();
  const id = randomUUID();
  const created = signedWebhook({ sessionId, eventType: "OrderCreated", id });
  expect(await stage.deliver(created)).toBe(200);
  // A retry has the same id and a new signature. If it were applied, the purchase would be paid.
  expect(await stage.deliver(signedWebhook({ sessionId, id }))).toBe(200);
  expect(await stage.statusOf(sessionId)).toBe("order_placed");
});

test.each([" ", ", "])(
  "during a rotation the shop takes either of two secrets",
  async (between) => {
    const { webhookSecrets } = readSettings({
      EXCHANGE_CLIENT_ID: "c",
      EXCHANGE_API_KEY: "k",
      EXCHANGE_WEBHOOK_SECRET: `${OTHER_SECRET}${between}${SECRET}`,
    });
    await stage.close();
    stage = await Stage.open({ webhookSecrets });
    for (const secret of [SECRET, OTHER_SECRET]) {
      const sessionId = await stage.startPurchase();
      expect(await stage.deliver(signedWebhook({ sessionId, secret }))).toBe(200);
      expect(await stage.statusOf(sessionId)).toBe("paid");
    }
  },
);

test("a forged webhook does not use up the id of the real one", async () => {
  const sessionId = await stage.startPurchase();
  const id = randomUUID();
  expect(await stage.deliver(signedWebhook({ sessionId, id, secret: OTHER_SECRET }))).toBe(400);
  expect(await stage.deliver(signedWebhook({ sessionId, id }))).toBe(200);
  expect(await stage.statusOf(sessionId)).toBe("paid");
});

test.each<[string, SentWebhook["details"]]>([
  ["another amount", { totalPrice: 1 }],
  ["another currency", { totalPriceCurrency: "CAD" }],
  ["fulfilled false", { fulfilled: false }],
])("an OrderFulfillment with %s does not mark the purchase paid", async (_name, details) => {
  const sessionId = await stage.startPurchase();
  expect(await stage.deliver(signedWebhook({ sessionId, ...(details && { details }) }))).toBe(200);
  expect(await stage.statusOf(sessionId)).not.toBe("paid");
});

test("a body of more than 64 kB is refused", async () => {
  const sessionId = await stage.startPurchase();
  const webhook = signedWebhook({ sessionId, details: { note: "x".repeat(70_000) } });
  expect(await stage.deliver(webhook)).toBe(413);
});

test("a product with an open price is paid at the price its customer chose", async () => {
  const sessionId = await stage.startPurchase("any-amount");
  await stage.deliver(signedWebhook({ sessionId, details: { totalPrice: 75 } }));
  expect(await stage.statusOf(sessionId)).toBe("paid");
});
