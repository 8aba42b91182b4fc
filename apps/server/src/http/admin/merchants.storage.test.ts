import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { beforeAll, expect, test } from "vitest";
import { digestApiKey } from "../../secrets/api-key.ts";
import { type ConsoleBrowser, csvRows, csvTime, useConsole } from "../../testing/console-world.ts";
import { MERCHANT_ID, makeWorld } from "../../testing/world.ts";

const desk = useConsole(makeWorld);
let admin: ConsoleBrowser;
beforeAll(async () => {
  admin = await desk.person(["administrator"]);
});

const ORIGIN = "https://north.example";
const create = async (name: string) => {
  const payload = { name, countryCode: "FR", origins: [ORIGIN] };
  const made = await admin.call(CALLS.createMerchant, { payload });
  expect(made.status, made.text).toBe(201);
  return made.body.data;
};
const logOf = async (subject: string) =>
  (await admin.call(CALLS.listChanges, { query: { subject } })).body.data.map(
    ({ action, person, reason }) => [action, person, reason],
  );

test("an administrator creates a merchant, whose first key is in one answer only and works for it", async () => {
  const { merchant, apiKey } = await create("North Shop");
  expect(merchant).toMatchObject({ name: "North Shop", disabledAt: null, keys: 1, people: 0 });
  const params = { merchantId: merchant.merchantId };
  const keys = await admin.call(CALLS.listKeysOfMerchant, { params });
  expect(keys.body.data).toMatchObject([{ state: "active" }]);
  expect(keys.text).not.toContain(apiKey.slice(-20));
  const [stored] = await desk.query<{ digest: Buffer }>(
    "select digest from api_keys where merchant_id = $1",
    [merchant.merchantId],
  );
  expect(stored?.digest.equals(digestApiKey(apiKey))).toBe(true);
  const settings = await admin.call(CALLS.readSettingsOfMerchant, { params });
  expect(settings.body.data).toMatchObject({ countryCode: "FR", baseCurrency: "eur" });
  const origins = await admin.call(CALLS.readOriginsOfMerchant, { params });
  expect(origins.body.data.origins).toEqual([ORIGIN]);
  expect(await logOf(merchant.merchantId)).toEqual([["create_merchant", admin.email, null]]);
});

test("merchants are listed page by page, the newest first, and found by a part of the name or by the client id", async () => {
  const first = (await create("Page One")).merchant;
  const second = (await create("page two")).merchant;
  const list = (query: Record<string, string | number>) =>
    admin.call(CALLS.listMerchants, { query });
  const found = await list({ name: "PAGE" });
  expect(found.body.data.map(({ name }) => name)).toEqual(["page two", "Page One"]);
  expect((await list({ name: first.merchantId })).body.data).toEqual([first]);
  expect((await list({ name: "no such shop" })).body.data).toEqual([]);
  const page = await list({ name: "page", limit: 1 });
  expect(page.body.data).toEqual([second]);
  await create("page three");
  const rest = await list({ name: "page", limit: 1, cursor: page.body.nextCursor ?? "" });
  expect([rest.body.data, rest.body.nextCursor]).toEqual([[first], null]);
});

test("a merchant has no name with marks that change what people read", async () => {
  const name = "Shop\u202eliated yb dlos";
  const payload = { name, countryCode: "FR" };
  expect((await admin.call(CALLS.createMerchant, { payload })).code).toBe("INVALID_INPUT");
  const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  const renamed = await owner.call(CALLS.changeMerchantSettings, { payload: { name } });
  expect(renamed.text).toContain("no control characters");
});

test("a cursor with a number that is not a time is refused", async () => {
  const cursor = Buffer.from("admin_merchants.0.9999999999999999").toString("base64url");
  const reply = await admin.call(CALLS.listMerchants, { query: { cursor } });
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("cursor")]);
});

test("the file of merchants has the rows of the list by the same filter, and no name is a formula in it", async () => {
  const { merchant } = await create("=1+1 File");
  const disabled = (await create("file two")).merchant;
  const params = { merchantId: disabled.merchantId };
  await admin.call(CALLS.disableMerchant, { params, payload: { reason: "its contract ended" } });
  const file = async (query: Record<string, string>) => {
    const reply = await admin.call(CALLS.exportMerchants, { query });
    expect(reply.headers["content-disposition"]).toBe('attachment; filename="merchants.csv"');
    return csvRows(reply.text);
  };
  const query = { name: "file" };
  const listed = (await admin.call(CALLS.listMerchants, { query })).body.data;
  expect(listed.map(({ merchantId }) => merchantId)).toEqual([
    disabled.merchantId,
    merchant.merchantId,
  ]);
  expect(await file(query)).toEqual(
    listed.map((one) => ({
      ...{ merchant: one.merchantId, name: one.name.replace(/^=/, "'="), keys: "1", people: "0" },
      created: csvTime(one.createdAt),
      disabled: one.disabledAt === null ? "" : csvTime(one.disabledAt),
    })),
  );
  const all = await admin.call(CALLS.listMerchants, { query: { limit: 100 } });
  expect((await file({})).map((row) => row["merchant"])).toEqual(
    all.body.data.map(({ merchantId }) => merchantId),
  );
});

test("an administrator disables a merchant with a reason and enables it, and its keys follow", async () => {
  const { merchant } = await create("Brief");
  const params = { merchantId: merchant.merchantId };
  const reason = "its key was published";
  const disabled = await admin.call(CALLS.disableMerchant, { params, payload: { reason } });
  expect(disabled.body.data.disabledAt).toBeGreaterThan(0);
  await desk.deps.lookUp(merchant.merchantId);
  expect(desk.deps.directory().merchant(merchant.merchantId)).toBeUndefined();
  const enabled = await admin.call(CALLS.enableMerchant, { params });
  expect(enabled.body.data.disabledAt).toBeNull();
  expect(await logOf(merchant.merchantId)).toEqual([
    ["enable_merchant", admin.email, null],
    ["disable_merchant", admin.email, reason],
    ["create_merchant", admin.email, null],
  ]);
});

test("keys, origins and settings that an administrator changes are those that the merchant's people see", async () => {
  const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
  const params = { merchantId: MERCHANT_ID };
  const made = await admin.call(CALLS.createKeyOfMerchant, {
    params,
    payload: { scopes: ["read"] },
  });
  expect(made.status, made.text).toBe(201);
  const { keyId } = made.body.data.key;
  const seen = async () => (await owner.call(CALLS.listKeys)).body.data[0];
  expect(await seen()).toMatchObject({ keyId, state: "active", scopes: ["read"] });
  const ofKey = { params: { ...params, keyId } };
  const roll = { ...ofKey, payload: { overlapSeconds: 0 } };
  const rolled = (await admin.call(CALLS.rollKeyOfMerchant, roll)).body.data.key;
  expect(await seen()).toMatchObject({ keyId: rolled.keyId, scopes: ["read"] });
  const gone = { params: { ...params, keyId: rolled.keyId } };
  expect((await admin.call(CALLS.revokeKeyOfMerchant, gone)).status).toBe(204);
  expect((await seen())?.state).toBe("revoked");
  const add = { params, payload: { add: [ORIGIN] } };
  await admin.call(CALLS.changeOriginsOfMerchant, add);
  expect((await owner.call(CALLS.readOrigins)).body.data.origins).toContain(ORIGIN);
  const change = { params, payload: { primaryColor: "#1A6CFF", name: "Renamed" } };
  await admin.call(CALLS.changeSettingsOfMerchant, change);
  const settings = (await owner.call(CALLS.readMerchantSettings)).body.data;
  expect(settings).toMatchObject({ name: "Renamed", primaryColor: "#1a6cff" });
  const log = await desk.query<{ action: string }>(
    "select action from control_log where person = $1 and (subject = $2 or details ->> 'client' = $2) order by id",
    [admin.email, MERCHANT_ID],
  );
  expect(log.map(({ action }) => action)).toEqual([
    ...["create_key", "create_key", "roll_key", "revoke_key"],
    ...["update_merchant", "update_merchant"],
  ]);
});

test("a fresh proof comes before every change, and a merchant that does not exist is not found", async () => {
  const late = await desk.person(["administrator"]);
  await desk.query(
    "update person_sessions set stepped_up_at = clock_timestamp() - interval '1 hour' where person_id = (select id from people where email = $1)",
    [late.email],
  );
  const params = { merchantId: MERCHANT_ID };
  const payload = { reason: "the test asks for it" };
  const refused = await late.call(CALLS.disableMerchant, { params, payload });
  expect(refused.code).toBe("STEP_UP_REQUIRED");
  const nobody = { params: { merchantId: "client_dev_NOBODY" } };
  for (const call of [CALLS.readMerchant, CALLS.listKeysOfMerchant, CALLS.readSettingsOfMerchant]) {
    expect((await admin.call(call, nobody)).status).toBe(404);
  }
  const wrong = { payload: { name: "Shop", countryCode: "ZZ" } };
  expect((await admin.call(CALLS.createMerchant, wrong)).code).toBe("INVALID_INPUT");
});
