import { execFileSync } from "node:child_process";
import type {
  WebhookDeliveryDetail,
  WebhookEndpointData,
  WebhookEndpointWithSecret,
} from "@exchange/contract";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import { type BuyChoice, buyChoice, startOrder } from "../support/orders/purchase.ts";
import { type Received, type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
let merchant: Merchant;
let choice: BuyChoice;
let receiver: Receiver;

beforeAll(async () => {
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const ask = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
  const answer = await merchantCall<{ data: Data }>(service, merchant, {
    method,
    path: `/v1${path}`,
    ...(body && { body }),
  });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body?.data;
};
const deliveryOf = (id: string) => ask<WebhookDeliveryDetail>("GET", `/webhook_deliveries/${id}`);
const header = ({ headers }: Received, name: string): string => String(headers[name]);

/** Whether a library that is not ours accepts it. */
const accepts =
  (library: { verify(body: string, headers: Record<string, string>): unknown }) =>
  (webhook: Received): boolean => {
    try {
      library.verify(webhook.body, webhook.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

/** The documented signature, by OpenSSL's command line. */
function openssl(webhook: Received, secret: string): string {
  const { eventType, details } = JSON.parse(webhook.body);
  const [id, timestamp] = ["x-webhook-id", "x-webhook-timestamp"].map((name) =>
    header(webhook, name),
  );
  const input = [id, timestamp, eventType, details.orderId].join(".");
  const answer = execFileSync("openssl", ["dgst", "-sha256", "-hmac", secret], { input });
  return answer.toString().trim().split(" ").at(-1) ?? "";
}

test("a merchant registers an endpoint, tries it, rotates its secret and replays, all by itself", async () => {
  const endpoint = await ask<WebhookEndpointWithSecret>("POST", "/webhook_endpoints", {
    url: receiver.url,
  });
  const path = `/webhook_endpoints/${endpoint.id}`;
  const first = await ask<WebhookDeliveryDetail>("POST", `${path}/test`, {});
  await receiver.waitForDeliveries(1);
  const tried = receiver.received[0] as Received;
  expect(header(tried, "x-webhook-id")).toBe(first.id);
  expect(header(tried, "x-webhook-test")).toBe("true");
  expect(JSON.parse(tried.body)).toMatchObject({ details: { orderId: 0 } });
  const { secret } = endpoint;
  expect(accepts(new StandardWebhook(secret))(tried)).toBe(true);
  expect(accepts(new SvixWebhook(secret))(tried)).toBe(true);
  expect(header(tried, "x-webhook-signature")).toBe(openssl(tried, secret));
  const seen = await vi.waitUntil(
    async () => {
      const read = await deliveryOf(first.id);
      return read.status === "delivered" ? read : undefined;
    },
    { timeout: 60_000 },
  );
  expect(seen.attempts).toMatchObject([{ number: 1, status: 200, fault: null }]);

  const rotated = await ask<WebhookEndpointWithSecret>("POST", `${path}/rotate_secret`, {});
  const { orderId } = await startOrder(service, merchant, choice);
  await receiver.waitForDeliveries(2);
  const delivered = receiver.received[1] as Received;
  expect(JSON.parse(delivered.body)).toMatchObject({ details: { orderId } });
  for (const either of [secret, rotated.secret]) {
    expect(accepts(new StandardWebhook(either))(delivered)).toBe(true);
    expect(accepts(new SvixWebhook(either))(delivered)).toBe(true);
  }
  expect(header(delivered, "x-webhook-signature")).toBe(openssl(delivered, secret));
  await ask<WebhookEndpointData>("PATCH", path, { previousSecretUntil: null });

  const id = header(delivered, "x-webhook-id");
  await ask("POST", `/webhook_deliveries/${id}/replay`);
  await expect.poll(() => receiver.received.length).toBe(3);
  const again = receiver.received[2] as Received;
  expect([header(again, "x-webhook-id"), again.body]).toEqual([id, delivered.body]);
  expect(accepts(new StandardWebhook(secret))(again)).toBe(false);
  expect(accepts(new SvixWebhook(rotated.secret))(again)).toBe(true);
  expect(header(again, "x-webhook-signature")).toBe(openssl(again, rotated.secret));
  expect(header(again, "x-webhook-attempt")).toBe("2");
});

test("events at a disabled endpoint wait until it is enabled", async () => {
  const quiet = await startReceiver();
  const { id } = await ask<WebhookEndpointWithSecret>("POST", "/webhook_endpoints", {
    url: quiet.url,
    eventTypes: ["OrderCreated"],
  });
  await ask("PATCH", `/webhook_endpoints/${id}`, { enabled: false });
  await startOrder(service, merchant, choice);
  const waiting = await ask<WebhookDeliveryDetail[]>("GET", `/webhook_deliveries?endpointId=${id}`);
  expect(waiting).toMatchObject([{ status: "pending", attemptCount: 0 }]);
  await ask("PATCH", `/webhook_endpoints/${id}`, { enabled: true });
  const [webhook] = await quiet.waitForDeliveries(1);
  expect(header(webhook as Received, "x-webhook-id")).toBe(waiting[0]?.id);
  await ask("DELETE", `/webhook_endpoints/${id}`);
  await quiet.close();
});

test("a planted fault hits the next webhook, and is seen in its delivery", async () => {
  const strict = await startReceiver();
  const { id, secret } = await ask<WebhookEndpointWithSecret>("POST", "/webhook_endpoints", {
    url: strict.url,
  });
  await ask("POST", "/sandbox/webhooks/faults", { fault: "corrupt_body", endpointId: id });
  const sent = await ask<WebhookDeliveryDetail>("POST", `/webhook_endpoints/${id}/test`, {});
  const [webhook] = (await strict.waitForDeliveries(1)) as [Received];
  expect(accepts(new SvixWebhook(secret))(webhook)).toBe(false);
  expect(header(webhook, "x-webhook-signature")).toBe(openssl(webhook, secret));
  const read = await vi.waitUntil(
    async () => {
      const { attempts } = await deliveryOf(sent.id);
      return attempts.length > 0 ? attempts : undefined;
    },
    { timeout: 60_000 },
  );
  expect(read).toMatchObject([{ plantedFault: "corrupt_body" }]);
  expect(await ask("GET", "/sandbox/webhooks/faults")).toEqual([]);
  await ask("DELETE", `/webhook_endpoints/${id}`);
  await strict.close();
});
