import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addWebhookEndpoint } from "../flows/webhooks/add-endpoint.ts";
import { makeKeyLine, parseKeyRing } from "../secrets/key-ring.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { statement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { KEY_LINE, MERCHANT_ID, makeWorld, type World } from "../testing/world.ts";
import { checkSecretKeys } from "./check-secret-keys.ts";

const FILE = "/etc/exchange/secret-keys";
const CLEAR = statement("test_clear_checks", "delete from key_checks");
const IDS = statement("test_ids", "select key_id from key_checks order by key_id");
const [first, second] = [KEY_LINE, makeKeyLine("k2")];
const firstId = first.split(":")[0] ?? "";

let world: World;
let line: CommandLine;
beforeAll(async () => {
  world = await makeWorld();
  line = await openCommandLine(world.database);
});
afterAll(async () => {
  await line.close();
  await world.close();
});
beforeEach(() => world.database.query(CLEAR));

const check = (text: string): Promise<void> =>
  checkSecretKeys(world.database, parseKeyRing(text), FILE);
const ids = async (): Promise<string[]> =>
  (await world.database.query<{ key_id: string }>(IDS)).map(({ key_id }) => key_id);

test("a key with other bytes under its id is refused in a sentence", async () => {
  await check(first);
  await check(first);
  await expect(check(makeKeyLine(firstId))).rejects.toThrow(
    new RegExp(`^The key ${firstId} of ${FILE} is not the key ${firstId} that this database`),
  );
  expect(await ids()).toEqual([firstId]);
});

test("a key that seals nothing is let go, and one that seals rows is missed with their count", async () => {
  await check(second + first);
  await check(first);
  expect(await ids()).toEqual([firstId]);
  await check(second + first);
  const sealing = createSecretBox(parseKeyRing(second), world.deps.environment);
  const endpoint = { merchantId: MERCHANT_ID, url: "https://shop.example/hook" };
  await addWebhookEndpoint({ ...world.deps, secrets: sealing }, endpoint);
  await expect(check(first)).rejects.toThrow(
    `${FILE} has no key k2, and 1 data keys, webhook secrets and authenticators of this database are sealed with it.`,
  );
  const refused = await line.run("merchant", "list");
  expect(refused).toMatchObject({ status: 1, errors: expect.stringContaining("has no key k2") });
  expect((await line.run("doctor")).out).toContain("BAD  secret keys of the database");
  expect(await line.runJson("secrets", "forget", "k2", "--as", "anna")).toEqual({
    key: "k2",
    sealed: 1,
  });
  await check(first);
  const [logged] = await line.runJson<object[]>("payouts", "log");
  expect(logged).toMatchObject({ action: "forget_secret_key", subject: "k2", person: "anna" });
  expect(await line.run("secrets", "forget", "k2", "--as", "anna")).toMatchObject({ status: 1 });
});
