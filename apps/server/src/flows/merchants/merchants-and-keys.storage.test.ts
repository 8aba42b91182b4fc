import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { MerchantDirectory } from "../../domain/ports/merchant-directory.ts";
import { digestApiKey, parseApiKey } from "../../secrets/api-key.ts";
import { randomIds } from "../../secrets/random-ids.ts";
import { watchConfig } from "../../storage/catalogue/config-version.ts";
import { ensureInstallation } from "../../storage/installation.ts";
import { listApiKeys } from "../../storage/merchants/api-keys.ts";
import { readMerchantDirectory } from "../../storage/merchants/directory.ts";
import { findMerchant } from "../../storage/merchants/merchants.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { makeDatabase } from "../../testing/database.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { createMerchant } from "./create.ts";
import { createKey } from "./create-key.ts";
import { revokeKey } from "./revoke-key.ts";

const ANNA = operatorNamed("anna");
let database: Database;
const makeDeps = () => ({ database, ids: randomIds, environment: "dev" as const });
const makeMerchant = () =>
  createMerchant(makeDeps(), { name: "Shop", allowedOrigins: ["https://shop.example"], by: ANNA });

beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

test("the first start fixes the environment of the database", async () => {
  const orderIdKey = randomIds.bytes(32);
  expect(await ensureInstallation(database, { environment: "staging", orderIdKey })).toBe(
    "staging",
  );
  expect(await ensureInstallation(database, { environment: "prod", orderIdKey })).toBe("staging");
});

test("a new merchant has a client id, its settings and one key stored as a digest", async () => {
  const { merchant, key } = await makeMerchant();
  expect(merchant.id).toMatch(/^client_dev_[A-Z2-7]{16}$/);
  expect(merchant.settings.allowedOrigins).toEqual(["https://shop.example"]);
  const found = (await readMerchantDirectory(database)).apiKey(key.keyId);
  expect(found?.merchantId).toBe(merchant.id);
  expect(Buffer.from(found?.digest ?? [])).toEqual(digestApiKey(key.apiKey));
  expect(parseApiKey(key.apiKey)?.keyId).toBe(key.keyId);
});

test("a merchant without a name, with a path or a wildcard in its origin or a wrong country is refused", async () => {
  const wrong = [
    { name: "  ", allowedOrigins: [] },
    { name: "Shop", allowedOrigins: ["https://shop.example/cart"] },
    { name: "Shop", allowedOrigins: ["javascript:alert(1)"] },
    { name: "Shop", allowedOrigins: ["https://*.example"] },
    { name: "Shop", allowedOrigins: [], countryCode: "de" },
  ];
  for (const command of wrong) {
    const creation = createMerchant(makeDeps(), { ...command, by: ANNA });
    await expect(creation).rejects.toMatchObject({ code: "INVALID_INPUT" });
  }
});

test("a merchant has two active keys at most, also when many are asked for at once", async () => {
  const { merchant } = await makeMerchant();
  const attempts = Array.from({ length: 8 }, () =>
    createKey(makeDeps(), { merchantId: merchant.id, by: ANNA }),
  );
  const results = await Promise.allSettled(attempts);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await listApiKeys(database, merchant.id)).toHaveLength(2);
});

test("a revoked key frees its place for a new one", async () => {
  const { merchant, key } = await makeMerchant();
  await createKey(makeDeps(), { merchantId: merchant.id, by: ANNA });
  await revokeKey(makeDeps(), { merchantId: merchant.id, id: key.keyId, by: ANNA });
  const third = await createKey(makeDeps(), { merchantId: merchant.id, by: ANNA });
  const directory = await readMerchantDirectory(database);
  expect(directory.apiKey(key.keyId)).toBeUndefined();
  expect(directory.apiKey(third.keyId)).toBeDefined();
});

test("a key of another merchant, or one revoked before, cannot be revoked", async () => {
  const [first, second] = [await makeMerchant(), await makeMerchant()];
  const foreign = { merchantId: first.merchant.id, id: second.key.keyId, by: ANNA };
  await expect(revokeKey(makeDeps(), foreign)).rejects.toMatchObject({ code: "NOT_FOUND" });
  const own = { merchantId: second.merchant.id, id: second.key.keyId, by: ANNA };
  await revokeKey(makeDeps(), own);
  await expect(revokeKey(makeDeps(), own)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("an unknown merchant gets no key", async () => {
  const creation = createKey(makeDeps(), { merchantId: "client_dev_nobody", by: ANNA });
  await expect(creation).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await findMerchant(database, "client_dev_nobody")).toBeUndefined();
});

test("a watched directory loses a revoked key within a second", async () => {
  const { merchant, key } = await makeMerchant();
  let directory: MerchantDirectory | undefined;
  // Without notifications only the polls remain, and their time is the test's.
  const deaf: Database = { ...database, listen: async () => async () => {} };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const watch = await watchConfig(deaf, {
      seen: () => {},
      changed: async () => {
        directory = await readMerchantDirectory(database);
      },
      failed: () => {},
    });
    expect(directory?.apiKey(key.keyId)).toBeDefined();
    await revokeKey(makeDeps(), { merchantId: merchant.id, id: key.keyId, by: ANNA });
    // The other half of the second is for the read.
    vi.advanceTimersByTime(500);
    await expect.poll(() => directory?.apiKey(key.keyId)).toBeUndefined();
    await watch.stop();
  } finally {
    vi.useRealTimers();
  }
});

test("a watcher whose reading failed reads again although the version is the same", async () => {
  let calls = 0;
  const watch = await watchConfig(database, {
    seen: () => {},
    changed: async () => {
      calls += 1;
      if (calls === 2) throw new Error("the database was away");
    },
    failed: () => {},
  });
  await makeMerchant();
  while (calls < 3) await sleep(10);
  await watch.stop();
  expect(calls).toBe(3);
});
