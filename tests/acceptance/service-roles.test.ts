import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addWebhook, createMerchant, type Merchant } from "../support/orders/merchant.ts";
import { buy, buyChoice } from "../support/orders/purchase.ts";
import { exchange } from "../support/service/command-line.ts";
import { type RoleService, startRoleService } from "../support/service/role-service.ts";
import { serviceSettings, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

let service: RoleService;
let receiver: Receiver;
let merchant: Merchant;
/** How the API starts with its role on a database that no worker has prepared. */
let tooEarly: string;

beforeAll(async () => {
  service = await startRoleService(async (urls) => {
    const env = { DATABASE_URL: urls.api, EXCHANGE_ROLE: "api", SHOP_PORT: "0" };
    const { dataDir } = await serviceSettings();
    tooEarly = await startService({ dataDir, env }).then(
      () => "started",
      (error: Error) => error.message,
    );
    await rm(dataDir, { recursive: true });
  });
  receiver = await startReceiver();
  merchant = await createMerchant(service.api);
  await addWebhook(service.api, merchant, receiver);
});
afterAll(async () => {
  await receiver.close();
  await service.discard();
});

test("API and worker start with a role each, and complete orders together", async () => {
  const choice = await buyChoice(service.api, merchant);
  await Promise.all(Array.from({ length: 3 }, () => buy(service.api, merchant, choice)));
  await receiver.waitForDeliveries(6);
  const logs = [service.api, service.worker].map((each) => each.process.output()).join("");
  expect(logs).not.toContain("permission denied");
});

test("an API that starts before any worker says that a worker must start first", () => {
  expect(tooEarly).toContain("Start a worker first");
});

test("an operator's command with the API's role is refused", async () => {
  const api = { ...service.api, env: { ...service.api.env, DATABASE_URL: service.urls.api } };
  const made = await exchange(api, "merchant", "create", "--name", "Mine");
  expect(made.status).toBe(1);
  expect(made.stderr).toContain("permission denied");
});

test.each(["api", "worker"] as const)(
  "a process of the kind %s with the role of the other kind says which one it needs",
  async (kind) => {
    const url = kind === "api" ? service.urls.worker : service.urls.api;
    const env = { DATABASE_URL: url, EXCHANGE_ROLE: kind, SHOP_PORT: "0" };
    const { dataDir } = await serviceSettings();
    await expect(startService({ dataDir, env })).rejects.toThrow(
      `database grants ROLE --for ${kind}`,
    );
    await rm(dataDir, { recursive: true });
  },
);
