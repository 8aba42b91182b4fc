import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { revokeKey } from "../flows/merchants/revoke-key.ts";
import { listWebhookEndpoints } from "../flows/webhooks/list-endpoints.ts";
import { parseApiKey } from "../secrets/api-key.ts";
import { makeKeyLine, parseKeyRing } from "../secrets/key-ring.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { readMerchantDirectory } from "../storage/merchants/directory.ts";
import { listMerchants } from "../storage/merchants/merchants.ts";
import type { Database } from "../storage/postgres/database.ts";
import { makeDatabase } from "../testing/database.ts";
import { operatorNamed } from "../testing/operators.ts";
import { ensureDemo } from "./demo.ts";

const SHOP = "http://localhost:8081";
const secrets = createSecretBox(parseKeyRing(makeKeyLine("k1")), "dev");
const dataDir = mkdtempSync(join(tmpdir(), "exchange-demo-"));
let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const ensure = (shopUrl: string | undefined = SHOP, folder = dataDir) =>
  ensureDemo(
    {
      environment: "dev",
      database,
      ids: randomIds,
      secrets,
      webhookTargets: { allowSandboxTargets: true },
    },
    { dataDir: folder, shopUrl, progress: () => {} },
  );
const urlsOf = async (merchantId: string) =>
  (await listWebhookEndpoints({ database }, { merchantId })).map(({ url }) => url);
const originsOf = async (id: string) =>
  (await readMerchantDirectory(database)).merchant(id)?.settings.allowedOrigins;

test("the first start makes one demo merchant, and later starts find the same", async () => {
  const first = await ensure();
  expect(await ensure()).toEqual(first);
  expect(await listMerchants(database)).toHaveLength(1);
  expect(await urlsOf(first.clientId)).toEqual([`${SHOP}/webhooks`]);
  expect(await originsOf(first.clientId)).toEqual([SHOP]);
  expect(readFileSync(first.keyFile, "utf8").trim()).toBe(first.apiKey);
  expect(statSync(first.keyFile).mode & 0o777).toBe(0o600);
});

test("two processes that start together on one folder find one demo merchant", async () => {
  const folder = mkdtempSync(join(tmpdir(), "exchange-demo-"));
  const merchants = (await listMerchants(database)).length;
  const [first, second] = await Promise.all([ensure(SHOP, folder), ensure(SHOP, folder)]);
  rmSync(folder, { recursive: true });
  expect(second).toEqual(first);
  expect(await listMerchants(database)).toHaveLength(merchants + 1);
  expect(await urlsOf(first.clientId)).toEqual([`${SHOP}/webhooks`]);
});

test("when the shop moves, its origin and its webhook address follow", async () => {
  const before = await ensure();
  const after = await ensure("http://localhost:9091");
  expect(after.clientId).toBe(before.clientId);
  expect(await urlsOf(after.clientId)).toEqual(["http://localhost:9091/webhooks"]);
  expect(await originsOf(after.clientId)).toEqual(["http://localhost:9091"]);
  expect(after.webhookSecret).not.toBe(before.webhookSecret);
});

test("a lost webhook secret gives the shop a new endpoint in place of the old one", async () => {
  const before = await ensure();
  rmSync(join(dataDir, "demo-merchant.webhook-secret"));
  const after = await ensure();
  expect(after.webhookSecret).toMatch(/^whsec_/);
  expect(after.webhookSecret).not.toBe(before.webhookSecret);
  expect(await urlsOf(after.clientId)).toHaveLength(1);
});

test("a demo merchant whose key was revoked gets another key", async () => {
  const before = await ensure();
  const id = parseApiKey(before.apiKey)?.keyId ?? "";
  await revokeKey(
    { database, environment: "dev" },
    { merchantId: before.clientId, id, by: operatorNamed("anna") },
  );
  const after = await ensure();
  const directory = await readMerchantDirectory(database);
  expect(directory.apiKey(parseApiKey(after.apiKey)?.keyId ?? "")?.merchantId).toBe(after.clientId);
});

test("an empty database gets the merchant that the data folder remembers", async () => {
  const before = await ensure();
  await database.close();
  database = await makeDatabase();
  const after = await ensure();
  expect(after).toMatchObject({ clientId: before.clientId, apiKey: before.apiKey });
  expect(await urlsOf(after.clientId)).toHaveLength(1);
});
