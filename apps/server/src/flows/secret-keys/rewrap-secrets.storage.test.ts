import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDataKeyBox } from "../../secrets/data-keys.ts";
import { makeKeyLine, parseKeyRing } from "../../secrets/key-ring.ts";
import { createSecretBox } from "../../secrets/secret-box.ts";
import { REWRAP_BATCH } from "../../storage/customers/rewrapped.ts";
import { statement } from "../../storage/postgres/database.ts";
import { webhookSecretPlace } from "../../storage/webhooks/endpoints.ts";
import { CANARY, sendCanary } from "../../testing/canary.ts";
import { type CommandLine, openCommandLine } from "../../testing/command-line.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { KEY_LINE } from "../../testing/world.ts";
import { authenticatorPlace } from "../people/prove.ts";
import { addWebhookEndpoint } from "../webhooks/add-endpoint.ts";
import { rewrapSecrets } from "./rewrap-secrets.ts";

const NEW_LINE = makeKeyLine("k2");
const PEOPLE = [randomUUID(), randomUUID()] as const;
const PERSON = statement(
  "test_person",
  "insert into people (id, email, name, roles, totp_sealed, password_hash) values ($1, $2, 'Anna', '{operator_admin}', $3, $4)",
);
const INVITATION = statement(
  "test_invitation",
  `insert into invitations (id, person_id, token_hash, invited_by, totp_sealed, expires_at)
   values ($1, $1, '\\x01', 'anna', $2, clock_timestamp())`,
);
const PLANT_KEYS = statement(
  "test_plant_keys",
  `insert into data_keys (merchant_id, kind, row_key, sealed)
   select $1, 'session', row_key, decode(sealed, 'hex') from unnest($2::text[], $3::text[]) as k (row_key, sealed)`,
);
const SEALED = statement(
  "test_sealed",
  `select (select secret_sealed from webhook_endpoints where id = $1) as webhook,
     (select totp_sealed from people where id = $2) as authenticator,
     (select totp_sealed from invitations where id = $3) as invitation`,
);

let world: HttpWorld;
let line: CommandLine;
let endpointId: string;
let secret: string;
beforeAll(async () => {
  world = await makeHttpWorld();
  line = await openCommandLine(world.database);
  await sendCanary(world);
  const { database, deps } = world;
  const merchantId = world.shop.clientId;
  const added = await addWebhookEndpoint(deps, { merchantId, url: "https://shop.example/hook" });
  ({ secret } = added);
  endpointId = added.endpoint.id;
  const [person, invited] = PEOPLE;
  const totp = deps.secrets.seal("JBSWY3DP", authenticatorPlace(person));
  await database.query(PERSON, [person, "anna@shop.example", totp, "argon2id"]);
  await database.query(PERSON, [invited, "ben@shop.example", null, null]);
  const accepting = deps.secrets.seal("KRSXG5A", authenticatorPlace(invited));
  await database.query(INVITATION, [invited, accepting]);
  const rowKeys = Array.from({ length: REWRAP_BATCH + 1 }, (_, at) => `many-${at}`);
  const keys = rowKeys.map((rowKey) =>
    deps.dataKeys.makeDataKey(`data_keys:session:${merchantId}:${rowKey}`),
  );
  const hex = keys.map(({ sealed }) => Buffer.from(sealed).toString("hex"));
  await database.query(PLANT_KEYS, [merchantId, rowKeys, hex]);
});
afterAll(async () => {
  await line.close();
  await world.close();
});

const useKeys = (text: string): void =>
  writeFileSync(join(line.variables["EXCHANGE_DATA_DIR"] ?? "", "secret-keys"), text);
const exported = () =>
  line.runJson<{ readonly sessions: readonly unknown[] }>(
    ...["customers", "export", "--merchant", world.shop.clientId, "--email", CANARY.email],
  );
const left = async (): Promise<number> => {
  const { out } = await line.run("secrets", "rewrap", "--check", "--json");
  return (JSON.parse(out) as { readonly left: number }).left;
};

test("everything is sealed again by the new key, also when a run dies between two batches", async () => {
  const before = await exported();
  useKeys(NEW_LINE + KEY_LINE);
  const all = await left();
  expect(all).toBeGreaterThan(REWRAP_BATCH + 5);
  const ring = parseKeyRing(NEW_LINE + KEY_LINE);
  const secrets = createSecretBox(ring, "dev");
  const dataKeys = createDataKeyBox(secrets, ring, "dev");
  const dying = rewrapSecrets(
    { database: world.database, secrets, dataKeys },
    {
      keyId: "k2",
      onBatch: () => {
        throw new Error("killed");
      },
    },
  );
  await expect(dying).rejects.toThrow("killed");
  expect(await left()).toBe(all - REWRAP_BATCH);
  expect(await line.runJson("secrets", "rewrap", "--as", "anna")).toEqual({
    key: "k2",
    rewrapped: all - REWRAP_BATCH,
    unreadable: [],
  });
  expect(await line.run("secrets", "rewrap", "--check")).toMatchObject({
    status: 0,
    out: expect.stringContaining("Key k2 encrypts everything."),
  });
  // The old key may go: customers are found, and every secret opens.
  useKeys(NEW_LINE);
  expect((await exported()).sessions).toHaveLength(before.sessions.length);
  const alone = createSecretBox(parseKeyRing(NEW_LINE), "dev");
  const [row] = await world.database.query<Record<string, Uint8Array>>(SEALED, [
    endpointId,
    ...PEOPLE,
  ]);
  const { webhook, authenticator, invitation } = row as Record<string, Uint8Array>;
  const open = (sealed: Uint8Array | undefined, place: string) =>
    alone.open(sealed ?? Buffer.of(), place);
  const merchantId = world.shop.clientId;
  expect(open(webhook, webhookSecretPlace({ merchantId, endpointId }))).toBe(secret);
  expect(open(authenticator, authenticatorPlace(PEOPLE[0]))).toBe("JBSWY3DP");
  expect(open(invitation, authenticatorPlace(PEOPLE[1]))).toBe("KRSXG5A");
});

test("a value that does not open is named and left alone", async () => {
  const { clientId } = world.shop;
  const broken = ["6b31".padStart(8, "0202")].map((head) => head + "00".repeat(40));
  await world.database.query(PLANT_KEYS, [clientId, ["broken"], broken]);
  useKeys(NEW_LINE + KEY_LINE);
  const { status, out } = await line.run("secrets", "rewrap", "--as", "anna");
  expect(status).toBe(1);
  expect(out).toContain(`not readable: data key session broken of ${clientId}`);
  expect(await left()).toBe(1);
});

test("a missing key counts the authenticators of people too", async () => {
  useKeys(KEY_LINE);
  const { errors } = await line.run("merchant", "list");
  expect(errors).toMatch(/has no key k2, and \d+ data keys, webhook secrets and authenticators/);
});
