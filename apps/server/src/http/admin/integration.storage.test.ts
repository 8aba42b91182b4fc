import { createHmac } from "node:crypto";
import { KEY_SCOPES } from "@exchange/contract";
import { type AdminEndpoint, ADMIN_ENDPOINTS as CALLS, rolesOf } from "@exchange/contract/admin";
import { beforeAll, describe, expect, test } from "vitest";
import { createMerchant } from "../../flows/merchants/create.ts";
import { changeWebhookEndpoint } from "../../flows/webhooks/change-endpoint.ts";
import { digestApiKey } from "../../secrets/api-key.ts";
import {
  CONSOLE_URL,
  type ConsoleBrowser,
  csvRows,
  csvTime,
  useConsole,
} from "../../testing/console-world.ts";
import { makeHttpWorld } from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { makeSigningKey, signatureHeaders } from "../../webhooks/signatures.ts";
import { buildAdminServer } from "./server.ts";

const desk = useConsole(() => makeHttpWorld());
let ours: ConsoleBrowser;
let owner: ConsoleBrowser;
let theirs: ConsoleBrowser;
beforeAll(async () => {
  const { merchant } = await createMerchant(desk.deps, {
    ...{ name: "Other", allowedOrigins: ["https://other.example"], by: operatorNamed("anna") },
  });
  ours = await desk.person(["merchant_developer"], MERCHANT_ID);
  owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  theirs = await desk.person(rolesOf("merchant"), merchant.id);
});

/** The actions that the log has of a person, the latest first. */
const logOf = async ({ email }: ConsoleBrowser) =>
  desk.query<{ action: string; subject: string; merchant_id: string; address: string }>(
    "select action, subject, merchant_id, address from control_log where person = $1 order by id desc",
    [email],
  );

const keysOf = async (person: ConsoleBrowser) => (await person.call(CALLS.listKeys)).body.data;
const newKey = async () => (await ours.call(CALLS.createKey, { payload: {} })).body.data;
const revoke = (keyId: string) => ours.call(CALLS.revokeKey, { params: { keyId } });

describe("a developer's keys", () => {
  test("are created with limits, and the secret is in one answer only", async () => {
    const payload = { scopes: ["orders.write"], networks: ["203.0.113.7"] };
    const made = await ours.call(CALLS.createKey, { payload });
    expect(made.status, made.text).toBe(201);
    const { key, apiKey } = made.body.data;
    expect(apiKey.startsWith(`${key.prefix}_`)).toBe(true);
    const listed = await ours.call(CALLS.listKeys);
    expect(listed.body.data[0]).toMatchObject({
      ...{
        keyId: key.keyId,
        state: "active",
        scopes: ["orders.write"],
        networks: ["203.0.113.7/32"],
      },
      ...{ lastUsedAt: null, expiresAt: null },
    });
    expect(listed.text).not.toContain(apiKey.slice(-20));
    const stored = await desk.query<{ digest: Buffer }>(
      "select digest from api_keys where merchant_id = $1 and id = $2",
      [MERCHANT_ID, key.keyId],
    );
    expect(stored[0]?.digest.equals(digestApiKey(apiKey))).toBe(true);
    expect((await logOf(ours))[0]).toEqual({
      ...{ action: "create_key", subject: key.keyId },
      ...{ merchant_id: MERCHANT_ID, address: "127.0.0.1" },
    });
    expect((await revoke(key.keyId)).status).toBe(204);
    expect((await revoke(key.keyId)).status).toBe(404);
    expect((await logOf(ours))[0]?.action).toBe("revoke_key");
  });

  test("are replaced: the earlier one works for the overlap, and leaves its place when it has ended", async () => {
    const first = await newKey();
    const params = { keyId: first.key.keyId };
    const overlapSeconds = 3_600;
    const beforeRoll = Date.now() / 1_000;
    const rolled = await ours.call(CALLS.rollKey, { params, payload: { overlapSeconds } });
    const afterRoll = Date.now() / 1_000;
    expect(rolled.status, rolled.text).toBe(201);
    const second = rolled.body.data.key.keyId;
    const [newest, earlier] = await keysOf(ours);
    expect([newest?.keyId, newest?.expiresAt]).toEqual([second, null]);
    expect(earlier).toMatchObject({ keyId: first.key.keyId, state: "active" });
    const endsFor = (earlier?.expiresAt ?? 0) - overlapSeconds;
    expect(endsFor).toBeGreaterThan(beforeRoll - 2);
    expect(endsFor).toBeLessThan(afterRoll + 2);
    const third = await ours.call(CALLS.createKey, { payload: {} });
    expect([third.status, third.body]).toMatchObject([
      400,
      { message: expect.stringMatching(/two active keys/) },
    ]);
    await desk.query("update api_keys set expires_at = clock_timestamp() where id = $1", [
      first.key.keyId,
    ]);
    expect((await keysOf(ours))[1]?.state).toBe("expired");
    const now = await ours.call(CALLS.rollKey, {
      ...{ params: { keyId: second }, payload: { overlapSeconds: 0 } },
    });
    expect(now.status, now.text).toBe(201);
    const states = (await keysOf(ours)).slice(0, 3).map(({ state }) => state);
    expect(states).toEqual(["active", "revoked", "revoked"]);
    expect((await ours.call(CALLS.rollKey, { params, payload: {} })).status).toBe(404);
    const actions = (await logOf(ours)).slice(0, 2).map(({ action }) => action);
    expect(actions).toEqual(["roll_key", "create_key"]);
    await revoke(now.body.data.key.keyId);
  });

  test("have the end that was chosen, also when the earlier one was about to end by a roll", async () => {
    const expiresAt = Math.floor(Date.now() / 1_000) + 90 * 86_400;
    for (const chosen of [undefined, expiresAt]) {
      const payload = chosen === undefined ? {} : { expiresAt: chosen };
      const first = (await ours.call(CALLS.createKey, { payload })).body.data.key;
      const roll = async (overlapSeconds: number) =>
        (
          await ours.call(CALLS.rollKey, {
            ...{ params: { keyId: first.keyId }, payload: { overlapSeconds } },
          })
        ).body.data.key;
      const second = await roll(3_600);
      await revoke(second.keyId);
      const third = await roll(0);
      expect([second.expiresAt, third.expiresAt]).toEqual([chosen ?? null, chosen ?? null]);
      await revoke(third.keyId);
    }
  });

  test("do no more than their maker: other scopes are refused, and by default a key has none of them", async () => {
    const refused = async (reply: { code: string; body: object }, scope: string) => {
      expect(reply.code).toBe("ROLE_REQUIRED");
      expect(reply.body).toMatchObject({
        message: expect.stringContaining(`a key with ${scope}:`),
      });
    };
    for (const scope of ["read", "refunds.write"]) {
      const payload = { scopes: [scope, "webhooks.write"] };
      await refused(await ours.call(CALLS.createKey, { payload }), scope);
    }
    const made = (await ours.call(CALLS.createKey, { payload: {} })).body.data.key;
    expect(made.scopes).toEqual(["orders.write", "webhooks.write"]);
    const owners = (await owner.call(CALLS.createKey, { payload: {} })).body.data.key;
    expect(owners.scopes).toEqual(KEY_SCOPES);
    const replace = { params: { keyId: owners.keyId }, payload: { overlapSeconds: 0 } };
    await refused(await ours.call(CALLS.rollKey, replace), "read and refunds.write");
    expect((await keysOf(ours))[0]).toMatchObject({ keyId: owners.keyId, state: "active" });
    const rolled = await owner.call(CALLS.rollKey, replace);
    expect(rolled.body.data.key.scopes).toEqual(KEY_SCOPES);
    // To end a key is always right.
    for (const { keyId } of [made, rolled.body.data.key]) {
      expect((await revoke(keyId)).status).toBe(204);
    }
  });

  test("and origins: exact ones only", async () => {
    const change = (payload: object) => ours.call(CALLS.changeOrigins, { payload });
    expect((await change({ add: ["https://*.example"] })).code).toBe("INVALID_INPUT");
    const added = await change({ add: ["https://new.example"], remove: ["https://shop.example"] });
    expect(added.body.data).toEqual({ origins: ["https://new.example"] });
    expect((await ours.call(CALLS.readOrigins)).body.data).toEqual(added.body.data);
    expect((await logOf(ours))[0]).toMatchObject({
      ...{ action: "update_merchant", subject: MERCHANT_ID },
    });
  });
});

const addHook = async (url: string) => {
  const added = await ours.call(CALLS.addMerchantWebhook, { payload: { url } });
  expect(added.status, added.text).toBe(201);
  return added.body.data;
};

describe("a developer's webhooks", () => {
  test("are registered, switched, rotated and removed, each in the log", async () => {
    const { id, secret } = await addHook("https://hooks.example/one");
    const params = { endpointId: id };
    const change = (payload: object) => ours.call(CALLS.changeMerchantWebhook, { params, payload });
    expect((await change({ enabled: false })).body.data).toMatchObject({
      ...{ enabled: false, disabledReason: "merchant" },
    });
    expect((await change({ enabled: true })).body.data.enabled).toBe(true);
    await change({ url: "https://hooks.example/two" });
    const rotated = await ours.call(CALLS.rotateMerchantWebhookSecret, { params, payload: {} });
    expect(rotated.body.data.secret).not.toBe(secret);
    expect(rotated.body.data.previousSecretUntil).not.toBeNull();
    expect((await change({ previousSecretUntil: null })).body.data.previousSecretUntil).toBeNull();
    const listed = await ours.call(CALLS.listMerchantWebhooks);
    expect(listed.text).not.toContain("whsec_");
    expect((await ours.call(CALLS.removeMerchantWebhook, { params })).status).toBe(204);
    const log = (await logOf(ours)).filter(({ subject }) => subject === id);
    expect(log.map(({ action }) => action)).toEqual([
      "remove_webhook_endpoint",
      "change_webhook_endpoint",
      "rotate_webhook_secret",
      "change_webhook_endpoint",
      "enable_webhook_endpoint",
      "disable_webhook_endpoint",
      "add_webhook_endpoint",
    ]);
  });

  test("stay disabled where the operator disabled them, under another endpoint too", async () => {
    const { id, url } = await addHook("https://hooks.example/three");
    const by = operatorNamed("anna");
    const key = { merchantId: MERCHANT_ID, endpointId: id };
    await changeWebhookEndpoint(desk.deps, { ...key, by, enabled: false });
    const payload = { enabled: true };
    const enabled = await ours.call(CALLS.changeMerchantWebhook, { params: key, payload });
    expect(enabled.body).toMatchObject({ message: expect.stringMatching(/operator disabled/) });
    const again = await ours.call(CALLS.addMerchantWebhook, { payload: { url } });
    expect(again.body).toMatchObject({ message: expect.stringMatching(/operator disabled/) });
  });

  test("are sent again, one or all of a time, and a delivery spells its signatures out", async () => {
    const { id, secret } = await addHook("https://hooks.example/four");
    const params = { endpointId: id };
    const sent = await ours.call(CALLS.testMerchantWebhook, { params, payload: {} });
    expect((await logOf(ours))[0]).toMatchObject({
      action: "test_webhook_endpoint",
      subject: params.endpointId,
    });
    const deliveryId = sent.body.data.id;
    const read = await ours.call(CALLS.readMerchantDelivery, { params: { deliveryId } });
    const { body, signedStrings } = read.body.data;
    const timestamp = 1_700_000_000;
    const key = makeSigningKey(secret);
    const headers = signatureHeaders(
      { current: key },
      { webhookId: deliveryId, timestamp, eventType: "OrderCreated", orderId: 0n, body },
    );
    const documented = signedStrings.documented.replace("{timestamp}", String(timestamp));
    expect(documented).toBe(`${deliveryId}.${timestamp}.OrderCreated.0`);
    expect(createHmac("sha256", secret).update(documented).digest("hex")).toBe(
      headers["X-Webhook-Signature"],
    );
    const standard = signedStrings.standard.replace("{timestamp}", String(timestamp));
    const decoded = Buffer.from(secret.replace("whsec_", ""), "base64");
    expect(`v1,${createHmac("sha256", decoded).update(standard).digest("base64")}`).toBe(
      headers["webhook-signature"],
    );

    const again = await ours.call(CALLS.replayMerchantDelivery, { params: { deliveryId } });
    expect(again.body.data).toMatchObject({ id: deliveryId, status: "pending" });
    const query = { endpointId: id };
    expect((await ours.call(CALLS.listMerchantDeliveries, { query })).body.data).toHaveLength(1);
    const payload = { endpointId: id, createdFrom: 0 };
    const counted = await ours.call(CALLS.replayMerchantDeliveries, {
      payload: { ...payload, dryRun: true },
    });
    expect(counted.body.data).toEqual({ dryRun: true, matched: 0, replayed: 0 });
    expect((await ours.call(CALLS.replayMerchantDeliveries, { payload })).status).toBe(200);
    const subjects = (await logOf(ours))
      .slice(0, 2)
      .map(({ action, subject }) => [action, subject]);
    expect(subjects).toEqual([
      ["replay_webhooks", id],
      ["replay_webhooks", deliveryId],
    ]);
  });

  test("have their deliveries in a file, by the filters of the list and without those of another merchant", async () => {
    const { id } = await addHook("https://hooks.example/file");
    const params = { endpointId: id };
    for (const eventType of ["OrderCreated", "OrderFulfillment"]) {
      await ours.call(CALLS.testMerchantWebhook, { params, payload: { eventType } });
    }
    const file = async (query: Record<string, string>, person = ours) => {
      const reply = await person.call(CALLS.exportMerchantDeliveries, { query });
      expect([reply.status, reply.headers["content-disposition"]]).toEqual([
        200,
        'attachment; filename="deliveries.csv"',
      ]);
      return csvRows(reply.text);
    };
    for (const filter of [{}, { eventType: "OrderFulfillment" }, { status: "delivered" }]) {
      const query = { endpointId: id, ...filter };
      const { data } = (await ours.call(CALLS.listMerchantDeliveries, { query })).body;
      expect(await file(query)).toEqual(
        data.map((one) => ({
          ...{ delivery: one.id, event: one.eventType, eventId: one.eventId, endpoint: id },
          ...{ order: "0", test: "yes", status: "pending", attempts: String(one.attemptCount) },
          happened: csvTime(one.createdAt),
          nextAttempt: csvTime(Number(one.nextAttemptAt)),
          ...{ lastAnswer: "", lastFault: "" },
        })),
      );
    }
    expect(await file({ endpointId: id })).toHaveLength(2);
    expect(await file({ endpointId: id, eventType: "OrderFulfillment" })).toHaveLength(1);
    expect(await file({}, theirs)).toEqual([]);
    expect(await file({ endpointId: id }, theirs)).toEqual([]);
  });
});

test("an owner changes look and defaults by the rules of the command line, and a developer reads them", async () => {
  const change = (payload: object) => owner.call(CALLS.changeMerchantSettings, { payload });
  const logoUrl = `data:image/png;base64,${"A".repeat(40)}`;
  const changed = await change({ primaryColor: "#0A7D4F", logoUrl, baseAmount: "100.50" });
  expect(changed.body.data).toMatchObject({
    ...{ primaryColor: "#0a7d4f", logoUrl, baseAmount: "100.5", countryCode: "DE" },
  });
  expect((await ours.call(CALLS.readMerchantSettings)).body.data).toEqual(changed.body.data);
  expect((await ours.call(CALLS.changeMerchantSettings, { payload: { name: "x" } })).code).toBe(
    "ROLE_REQUIRED",
  );
  for (const payload of [
    { primaryColor: "red" },
    { logoUrl: "https://elsewhere.example/logo.png" },
    { baseAmount: "0.001" },
    { tokenLifetimeSeconds: 5 },
    { countryCode: "ZZ" },
  ]) {
    expect((await change(payload)).code).toBe("INVALID_INPUT");
  }
  const removed = await change({ logoUrl: null, baseAmount: null });
  expect(removed.body.data).toMatchObject({ logoUrl: null, baseAmount: null });
  expect((await logOf(owner))[0]).toMatchObject({
    ...{ action: "update_merchant", subject: MERCHANT_ID },
  });
});

test("the code of a page has the chosen exchange, or its server locks it", async () => {
  const kitOf = async (query: Record<string, string>) =>
    (await ours.call(CALLS.readInstallKit, { query })).body.data;
  const chosen = { operationType: "S", baseCurrency: "eth", targetCurrency: "eur" };
  const open = await kitOf({ ...chosen, baseAmount: "0.5", accent: "#0a7d4f", radius: "4" });
  expect(open.page).toContain(`exchange.js?clientId=${MERCHANT_ID}&env=dev"`);
  for (const part of ['operation-type="S"', 'base-currency="eth"', 'base-amount="0.5"']) {
    expect(open.page).toContain(part);
  }
  expect(open.page).toContain(`appearance='{"accent":"#0a7d4f","radius":4}'`);
  expect(open.tokenCall.map(({ label }) => label)).toEqual(["curl", "Node", "Python", "PHP"]);
  for (const { source } of open.tokenCall) expect(source).not.toContain("lock");
  const locked = await kitOf({ ...chosen, baseAmount: "0.5", terms: "server" });
  expect(locked.page).not.toContain("base-");
  for (const { source } of locked.tokenCall) {
    for (const part of ["lock", "0.5", MERCHANT_ID]) expect(source).toContain(part);
  }
  const fiat = await kitOf({ ...chosen, operationType: "B" });
  expect(fiat).toMatchObject({ baseCurrency: "eur", targetCurrency: "btc" });
  const wrong = await ours.call(CALLS.readInstallKit, { query: { accent: "red' onload='x" } });
  expect(wrong.code).toBe("INVALID_INPUT");
});

/** Every call that changes keys, origins or webhooks, and things of our merchant that it names. */
async function changesOfOurs() {
  const { key } = await newKey();
  const { id: endpointId } = await addHook("https://hooks.example/five");
  const params = { endpointId };
  const tested = await ours.call(CALLS.testMerchantWebhook, { params, payload: {} });
  const named = { ...params, keyId: key.keyId, deliveryId: tested.body.data.id };
  const changes: readonly (readonly [AdminEndpoint, object])[] = [
    [CALLS.rollKey, { overlapSeconds: 0 }],
    [CALLS.revokeKey, {}],
    [CALLS.changeMerchantWebhook, { enabled: false }],
    [CALLS.rotateMerchantWebhookSecret, {}],
    [CALLS.replayMerchantDelivery, {}],
    [CALLS.replayMerchantDeliveries, { endpointId, createdFrom: 0 }],
    [CALLS.removeMerchantWebhook, {}],
  ];
  return { named, changes };
}

const callWith = (person: ConsoleBrowser, endpoint: AdminEndpoint, named: object, body: object) =>
  person.call(endpoint, {
    params: named as Record<string, string>,
    ...(endpoint.body !== undefined && { payload: body }),
  });

test("two merchants never meet, and a change that cannot be logged is not made", async () => {
  const { named, changes } = await changesOfOurs();
  const read = { params: named };
  expect((await theirs.call(CALLS.readMerchantDelivery, read)).status).toBe(404);
  expect((await theirs.call(CALLS.testMerchantWebhook, { ...read, payload: {} })).status).toBe(404);
  for (const [endpoint, body] of changes) {
    const reply = await callWith(theirs, endpoint, named, body);
    expect([endpoint.operationId, reply.status]).toEqual([endpoint.operationId, 404]);
  }
  expect((await keysOf(theirs)).map(({ keyId }) => keyId)).not.toContain(named.keyId);
  expect((await theirs.call(CALLS.listMerchantWebhooks)).body.data).toEqual([]);
  expect((await theirs.call(CALLS.listMerchantDeliveries)).body.data).toEqual([]);
  expect((await theirs.call(CALLS.readOrigins)).body.data.origins).toEqual([
    "https://other.example",
  ]);

  const state = () =>
    desk.query(`select (select json_agg(k order by id) from api_keys k) as keys,
      (select json_agg(m order by id) from merchants m) as merchants,
      (select json_agg(e order by id) from webhook_endpoints e) as endpoints,
      (select json_agg(p order by delivery_id) from pending_deliveries p) as pending`);
  await desk.query("alter table control_log add constraint refused check (false) not valid");
  const before = await state();
  const others = [
    [CALLS.createKey, {}],
    [CALLS.changeOrigins, { add: ["https://late.example"] }],
    [CALLS.changeMerchantSettings, { name: "Late" }],
    [CALLS.addMerchantWebhook, { url: "https://hooks.example/six" }],
  ] as const;
  for (const [endpoint, body] of [...changes, ...others]) {
    const reply = await callWith(owner, endpoint, named, body);
    expect([endpoint.operationId, reply.status]).toEqual([endpoint.operationId, 500]);
    expect(await state()).toEqual(before);
  }
  await desk.query("alter table control_log drop constraint refused");
});

describe("a call that a developer tries", () => {
  const tried = (payload: object, person = ours) => person.call(CALLS.tryCall, { payload });

  test("goes through the API as any call: the key's scopes, networks and merchant hold", async () => {
    const make = async (payload: object) =>
      (await owner.call(CALLS.createKey, { payload })).body.data;
    const reader = await make({ scopes: ["read"] });
    const { apiKey } = reader;
    const query = "operationType=B&countryCode=CA";
    const read = await tried({ operationId: "listCurrencies", apiKey, query });
    expect(read.status, read.text).toBe(200);
    expect(read.body.data.status, read.text).toBe(200);
    expect(JSON.parse(read.body.data.body)).toMatchObject({ success: true });
    expect(read.body.data.headers.map(({ name }) => name)).toContain("x-request-id");
    const wrote = await tried({
      operationId: "createPublicToken",
      apiKey,
      body: '{"sessionId":"a"}',
    });
    expect(wrote.body.data).toMatchObject({
      ...{ status: 400, body: expect.stringContaining("INSUFFICIENT_SCOPE") },
    });
    const broken = await tried({ operationId: "createQuote", apiKey, body: "{" });
    expect(broken.body.data.status).toBe(400);
    const foreign = await tried({ operationId: "listCountries", apiKey }, theirs);
    expect(foreign.body.data.status).toBe(401);
    await revoke(reader.key.keyId);
    const elsewhere = await make({ scopes: ["read"], networks: ["203.0.113.7"] });
    const away = await tried({ operationId: "listCountries", apiKey: elsewhere.apiKey });
    expect(away.body.data.status).toBe(401);
    await revoke(elsewhere.key.keyId);
  });

  test("is one of a list, and there is none in an installation without a sandbox", async () => {
    expect((await tried({ operationId: "refundOrder", apiKey: "x" })).code).toBe("INVALID_INPUT");
    const prod = buildAdminServer(desk.deps, {});
    const headers = { origin: CONSOLE_URL, cookie: ours.cookie ?? "" };
    const payload = { operationId: "listCountries", apiKey: "x" };
    const reply = await prod.inject({
      ...{ method: "POST", url: "/v1/admin/install/try", headers, payload },
    });
    expect(reply.statusCode).toBe(404);
    const kit = await prod.inject({ method: "GET", url: "/v1/admin/install", headers });
    expect(kit.json().data.calls).toEqual([]);
    await prod.close();
  });
});
