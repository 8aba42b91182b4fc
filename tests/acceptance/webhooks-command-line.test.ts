import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebhookDelivery, WebhookEndpointWithSecret } from "@exchange/contract";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import { buyChoice, startOrder } from "../support/orders/purchase.ts";
import { exchange } from "../support/service/command-line.ts";
import type { Service } from "../support/service/service.ts";
import { type Received, type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
const folder = mkdtempSync(join(tmpdir(), "exchange-verify-"));
let merchant: Merchant;
let receiver: Receiver;
/** A developer's machine: it has the merchant's credentials and no database. */
let developer: Service;

beforeAll(async () => {
  merchant = await createMerchant(service);
  receiver = await startReceiver();
  const env = {
    PATH: process.env["PATH"],
    EXCHANGE_URL: `${service.url}/v1`,
    EXCHANGE_CLIENT_ID: merchant.clientId,
    EXCHANGE_API_KEY: merchant.apiKey,
  };
  developer = { ...service, env };
});
afterAll(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const placeAnOrder = async (): Promise<number> =>
  (await startOrder(service, merchant, await buyChoice(service, merchant))).orderId;
const requestOf = ({ headers, body }: Received): string =>
  `POST /webhooks HTTP/1.1\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n")}\n\n${body}\n`;

test("listen brings events to a machine that the service cannot reach, signed with the secret it prints", async () => {
  const orderId = await placeAnOrder();
  const args = ["--forward-to", receiver.url, "--after", "0", "--count", "1"];
  const result = await exchange(developer, "listen", ...args);
  expect(result.status, result.stderr).toBe(0);
  const secret = /Signing secret: (whsec_\S+)/.exec(result.stderr)?.[1] ?? "";
  expect(result.stderr).toContain(`OrderCreated  order ${orderId}  200 in`);
  const webhook = receiver.received.at(-1) as Received;
  const event = new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>);
  expect(event).toMatchObject({ eventType: "OrderCreated", details: { orderId } });

  const file = join(folder, "request.txt");
  writeFileSync(file, requestOf(webhook));
  const verified = await exchange(developer, "verify", "--file", file, "--secret", secret);
  expect([verified.status, verified.stdout]).toEqual([
    0,
    expect.stringContaining("Both signatures hold"),
  ]);
  writeFileSync(file, requestOf({ ...webhook, body: webhook.body.replace("{", "{ ") }));
  const refused = await exchange(developer, "verify", "--file", file, "--secret", secret);
  expect(refused.status).toBe(1);
  expect(refused.stdout).toContain("The documented signature holds, the other does not");
  expect(refused.stdout).toContain("parsed and serialized again as JSON");
  const none = await exchange(developer, "verify", "--file", join(folder, "none"));
  expect(none.status).toBe(2);
});

test("trigger, tail and replay work on the endpoints that are registered", async () => {
  const made = await merchantCall<{ data: WebhookEndpointWithSecret }>(service, merchant, {
    method: "POST",
    path: "/v1/webhook_endpoints",
    body: { url: receiver.url },
  });
  const { id: endpointId, secret } = made.body.data;
  let isTailing = true;
  const tailing = exchange(developer, "deliveries", "tail", "--count", "1", "--json").finally(
    () => {
      isTailing = false;
    },
  );
  // Only what comes after the tail began is shown, and it takes a moment to begin.
  const words = ["trigger", "--event", "OrderRefunded", "--endpoint", endpointId, "--json"];
  let triggered = await exchange(developer, ...words);
  while (isTailing) triggered = await exchange(developer, ...words);
  expect(triggered.status, triggered.stderr).toBe(0);
  const [delivery] = JSON.parse(triggered.stdout) as [WebhookDelivery];
  expect(delivery).toMatchObject({ endpointId, eventType: "OrderRefunded", status: "delivered" });
  const webhook = receiver.received.at(-1) as Received;
  expect(webhook.headers).toMatchObject({ "x-webhook-id": delivery.id, "x-webhook-test": "true" });
  expect(() =>
    new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>),
  ).not.toThrow();
  const [tailed] = JSON.parse((await tailing).stdout) as [WebhookDelivery];
  expect(tailed).toMatchObject({ endpointId, test: true });

  const already = receiver.received.length;
  const replayed = await exchange(developer, "deliveries", "replay", "--id", delivery.id);
  expect(replayed.stdout).toContain(`Delivery ${delivery.id} is sent again.`);
  await expect.poll(() => receiver.received.length).toBe(already + 1);
  const range = ["--endpoint", endpointId, "--from", "2020-01-01", "--dry-run"];
  const counted = await exchange(developer, "deliveries", "replay", ...range);
  // The order of the test before: the endpoint was registered after it.
  expect(counted.stdout).toContain("1 deliveries would be sent again.");
});

test("trigger posts to a URL of this machine without any endpoint", async () => {
  const already = receiver.received.length;
  const result = await exchange(developer, "trigger", "--forward-to", receiver.url);
  expect([result.status, result.stdout]).toEqual([0, expect.stringContaining(": 200 in")]);
  expect(receiver.received).toHaveLength(already + 1);
  const gone = await startReceiver();
  await gone.close();
  const down = await exchange(developer, "trigger", "--forward-to", gone.url);
  expect([down.status, down.stdout]).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
});

test("an operator sees, disables and enables an endpoint, and what was done to it", async () => {
  const made = await merchantCall<{ data: WebhookEndpointWithSecret }>(service, merchant, {
    method: "POST",
    path: "/v1/webhook_endpoints",
    body: { url: receiver.url },
  });
  const { id } = made.body.data;
  const key = ["--client", merchant.clientId, "--id", id];
  expect((await exchange(service, "webhook", "disable", ...key)).status).toBe(0);
  const listed = await exchange(service, "webhook", "list", "--client", merchant.clientId);
  expect(listed.stdout).toMatch(new RegExp(`${id} +disabled \\(operator\\)`));
  expect((await exchange(service, "webhook", "enable", ...key)).status).toBe(0);
  const history = await exchange(service, "webhook", "history", ...key, "--json");
  expect(JSON.parse(history.stdout)).toMatchObject([
    { what: "enabled", detail: "operator: by hand" },
    { what: "disabled" },
    { what: "added" },
  ]);
});

test("a wrong key is reported in a sentence, without a stack", async () => {
  const wrong = ["--key", "exk_dev_aaaaaaaaaaaa_x"];
  const result = await exchange(developer, "deliveries", "tail", ...wrong);
  expect([result.status, result.stderr]).toEqual([1, expect.stringContaining("401 UNAUTHORIZED")]);
  expect(result.stderr).not.toMatch(/\n\s+at /);
});
