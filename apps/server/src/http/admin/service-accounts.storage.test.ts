import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { describe, expect, test } from "vitest";
import { declareRestored } from "../../flows/history/declare-restored.ts";
import { createMerchant } from "../../flows/merchants/create.ts";
import { disableMerchant } from "../../flows/merchants/update.ts";
import {
  type CreateServiceAccount,
  createServiceAccount,
} from "../../flows/people/service-accounts.ts";
import { makeApiKey } from "../../secrets/api-key.ts";
import { CONSOLE_URL, type ConsoleBrowser, useConsole } from "../../testing/console-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { buildAdminServer } from "./server.ts";

const desk = useConsole(makeOrderWorld);
const by = operatorNamed("anna");
const DAY_MS = 86_400_000;
const soon = () => new Date(Date.now() + DAY_MS);
const inSeconds = (time: Date) => Math.floor(time.getTime() / 1_000);

let count = 0;
/** Creates an account at the command line, so that its rights are its role's. */
async function account(role: string, given: Partial<CreateServiceAccount> = {}) {
  count += 1;
  const merchantId = role.startsWith("merchant_") ? MERCHANT_ID : null;
  const wanted = { name: `program-${count}`, role, merchantId, expiresAt: soon(), by, ...given };
  const made = await createServiceAccount(desk.deps, wanted);
  return { ...made, name: wanted.name, program: desk.program(made.key) };
}

const create = (person: ConsoleBrowser, role: string, given: object = {}) => {
  count += 1;
  const payload = { name: `program-${count}`, role, expiresAt: inSeconds(soon()), ...given };
  return person.call(CALLS.createServiceAccount, { payload });
};

/** Returns an error without the id of its request. */
const withoutId = (text: string): string => JSON.stringify({ ...JSON.parse(text), requestId: "" });

const rowsOf = (id: string) =>
  desk.query<{ person: string; action: string; accountId: string; address: string; text: string }>(
    `select person, action, service_account_id as "accountId", address, control_log::text as text
     from control_log where subject = $1 or service_account_id = $1 order by control_log.id`,
    [id],
  );

describe("the key of a service account", () => {
  test("is shown once, is stored as a hash, and names its environment", async () => {
    const admin = await desk.person(["administrator"]);
    const made = await create(admin, "viewer");
    expect(made.status, made.text).toBe(201);
    const { key, serviceAccount } = made.body.data;
    expect(key).toMatch(/^exs_[a-z]+_[a-z2-7]{12}_[0-9A-Za-z]{49}$/);
    expect(key.startsWith(`${serviceAccount.prefix}_`)).toBe(true);
    expect(serviceAccount).toMatchObject({ state: "active", lastUsedAt: null });
    const listed = await admin.call(CALLS.listServiceAccounts);
    expect(listed.text).not.toContain(key);
    const secret = key.split("_")[3] ?? "";
    const [row] = await desk.query<{ text: string; digest: Buffer }>(
      "select service_accounts::text as text, digest from service_accounts where id = $1",
      [serviceAccount.serviceAccountId],
    );
    expect(row?.text).not.toContain(secret);
    expect(row?.digest).toHaveLength(32);
    const logged = await rowsOf(serviceAccount.serviceAccountId);
    expect(logged.map(({ person, action }) => [person, action])).toEqual([
      [admin.email, "create_service_account"],
    ]);
    expect(logged[0]?.text).not.toContain(secret);
  });

  test("lets a program read, and the list says when and from where", async () => {
    const { program, id } = await account("viewer");
    const read = await program.call(CALLS.listPayouts);
    expect(read.status, read.text).toBe(200);
    const admin = await desk.person(["administrator"]);
    const { data } = (await admin.call(CALLS.listServiceAccounts)).body;
    expect(data.find(({ serviceAccountId }) => serviceAccountId === id)).toMatchObject({
      lastUsedAt: expect.any(Number),
      lastAddress: "127.0.0.1",
      createdBy: "anna",
    });
  });

  test("is refused when it is wrong, of another environment, expired or revoked, all with one answer", async () => {
    const { program, key, id } = await account("viewer");
    const wrong = key.replace(id, (await account("viewer")).id);
    const other = makeApiKey("prod", desk.deps.ids, "exs").text;
    const unknown = makeApiKey(desk.deps.environment, desk.deps.ids, "exs").text;
    const merchants = makeApiKey(desk.deps.environment, desk.deps.ids).text;
    const late = await account("viewer");
    await desk.query(
      `update service_accounts set created_at = created_at - interval '2 days',
         expires_at = clock_timestamp() - interval '1 second' where id = $1`,
      [late.id],
    );
    const answers = new Set<string>();
    for (const text of [wrong, other, unknown, merchants, late.key, "nonsense"]) {
      const reply = await desk.program(text).call(CALLS.listPayouts);
      expect([text, reply.status]).toEqual([text, 401]);
      answers.add(withoutId(reply.text));
    }
    const admin = await desk.person(["administrator"]);
    expect((await program.call(CALLS.listPayouts)).status).toBe(200);
    const revoke = { params: { serviceAccountId: id } };
    expect((await admin.call(CALLS.revokeServiceAccount, revoke)).status).toBe(204);
    expect((await admin.call(CALLS.revokeServiceAccount, revoke)).code).toBe("NOT_FOUND");
    const after = await program.call(CALLS.listPayouts);
    answers.add(withoutId(after.text));
    expect([...answers]).toEqual([expect.stringContaining("SERVICE_ACCOUNT_KEY_INVALID")]);
    expect((await rowsOf(id)).map(({ action }) => action)).toContain("revoke_service_account");
  });

  test("needs its own secret, not only an id that exists", async () => {
    const { program, id } = await account("viewer");
    const digest = Buffer.alloc(32, 1);
    await desk.query("update service_accounts set digest = $2 where id = $1", [id, digest]);
    expect((await program.call(CALLS.listPayouts)).code).toBe("SERVICE_ACCOUNT_KEY_INVALID");
  });

  test("stops working after a restore of the database", async () => {
    const { program } = await account("viewer");
    await declareRestored(desk.world.deps, { why: "the test says so", lastMark: 0n });
    expect((await program.call(CALLS.listPayouts)).code).toBe("SERVICE_ACCOUNT_KEY_INVALID");
  });

  test("does not work for a disabled merchant", async () => {
    const { merchant } = await createMerchant(desk.deps, {
      ...{ name: "Closed", countryCode: "DE", allowedOrigins: [], by },
    });
    const { program } = await account("merchant_viewer", { merchantId: merchant.id });
    expect((await program.call(CALLS.listAllOrders)).status).toBe(200);
    await disableMerchant(desk.deps, { merchantId: merchant.id, reason: "the test", by });
    expect((await program.call(CALLS.listAllOrders)).code).toBe("SERVICE_ACCOUNT_KEY_INVALID");
  });
});

describe("a service account", () => {
  test("has no right that its creator lacks", async () => {
    const admin = await desk.person(["administrator"]);
    expect((await create(admin, "support")).code).toBe("ROLE_REQUIRED");
    expect((await create(admin, "merchant_viewer")).code).toBe("INVALID_INPUT");
    const both = await desk.person(["administrator", "support"]);
    expect((await create(both, "support")).status).toBe(201);
    const owner = await desk.person(["merchant_owner"], MERCHANT_ID);
    expect((await create(owner, "viewer")).code).toBe("INVALID_INPUT");
    expect((await create(owner, "merchant_finance")).status).toBe(201);
  });

  test("is suspended while its creator is disabled or lacks one of its rights", async () => {
    const creator = await desk.person(["administrator", "support"]);
    const made = (await create(creator, "support")).body.data;
    const program = desk.program(made.key);
    const code = async () => (await program.call(CALLS.listAllOrders)).code;
    expect(await code()).toBe("ok");
    const set = (change: string) =>
      desk.query(`update people set ${change} where email = $1`, [creator.email]);
    await set("roles = '{administrator}'");
    expect(await code()).toBe("SERVICE_ACCOUNT_KEY_INVALID");
    await set("roles = '{administrator,support}'");
    expect(await code()).toBe("ok");
    await set("state = 'disabled'");
    expect(await code()).toBe("SERVICE_ACCOUNT_KEY_INVALID");
    const admin = await desk.person(["administrator"]);
    const { data } = (await admin.call(CALLS.listServiceAccounts)).body;
    const { serviceAccountId } = made.serviceAccount;
    const listed = data.find((one) => one.serviceAccountId === serviceAccountId);
    expect(listed?.state).toBe("suspended");
  });

  test("is named in the log for the changes that it makes", async () => {
    const { program, id, name } = await account("treasury");
    const payload = { kind: "merchant", subject: MERCHANT_ID, reason: "the books differ" };
    const stopped = await program.call(CALLS.stopPayouts, { payload });
    expect(stopped.status, stopped.text).toBe(200);
    expect((await rowsOf(id)).at(-1)).toMatchObject({
      person: `service-account.${name}`,
      action: "stop",
      accountId: id,
      address: "127.0.0.1",
    });
    const { subject, kind } = payload;
    const resumed = await program.call(CALLS.resumePayouts, { payload: { kind, subject } });
    expect([resumed.status, resumed.code]).toEqual([403, "PERSON_REQUIRED"]);
  });

  test("holds an order, and is shown no action that only people take", async () => {
    const { program, name } = await account("compliance");
    const params = { orderId: Number((await desk.world.order(ORDERS.buyByBank)).order.id) };
    const payload = { reason: "looks odd", hold: "limit_exceeded" };
    const held = await program.call(CALLS.holdOrderForReview, { params, payload });
    expect(held.status, held.text).toBe(200);
    expect(held.body.data.actions).toEqual(["cancel", "note"]);
    const person = await desk.person(["compliance"]);
    const story = (await person.call(CALLS.readOrderStory, { params })).body.data;
    expect(story.actions).toEqual(expect.arrayContaining(["release", "take"]));
    expect(story.decisions.at(-1)?.person).toBe(`service-account.${name}`);
  });

  test("of a merchant reads that merchant alone, and another merchant's people do not see it", async () => {
    const { merchant: other } = await createMerchant(desk.deps, {
      ...{ name: "Other", countryCode: "DE", allowedOrigins: [], by },
    });
    const { program, id } = await account("merchant_owner");
    const stranger = await desk.person(["merchant_owner"], other.id);
    const seen = await stranger.call(CALLS.listServiceAccounts);
    expect(seen.body.data).toEqual([]);
    const revoke = { params: { serviceAccountId: id } };
    expect((await stranger.call(CALLS.revokeServiceAccount, revoke)).code).toBe("NOT_FOUND");
    const people = (await program.call(CALLS.listPeople)).body.data;
    expect(people.every(({ merchantId }) => merchantId === MERCHANT_ID)).toBe(true);
    const query = { merchantId: other.id };
    const orders = (await program.call(CALLS.listAllOrders, { query })).body.data;
    expect(orders.every(({ merchantId }) => merchantId === MERCHANT_ID)).toBe(true);
  });

  test("has a name, a role and an end that are checked, and one name at a time", async () => {
    const both = await desk.person(["administrator"]);
    for (const given of [
      { name: "Upper" },
      { expiresAt: inSeconds(new Date(Date.now() - DAY_MS)) },
      { expiresAt: inSeconds(new Date(Date.now() + 400 * DAY_MS)) },
      { role: "king" },
    ]) {
      expect((await create(both, "viewer", given)).code).toBe("INVALID_INPUT");
    }
    expect((await create(both, "viewer", { name: "twin" })).status).toBe(201);
    expect((await create(both, "viewer", { name: "twin" })).code).toBe("INVALID_INPUT");
  });
});

describe("a request with a key", () => {
  const send = (headers: Record<string, string>, method: "GET" | "POST" = "POST") =>
    desk.app.inject({
      method,
      url: method === "GET" ? "/v1/admin/payouts" : "/v1/admin/stops",
      headers,
      ...(method === "POST" && { payload: { kind: "merchant", subject: "x", reason: "x" } }),
    });

  test("counts no cookie, so a session does not help a key that fails", async () => {
    const treasury = await desk.person(["treasury"]);
    const headers = { cookie: treasury.cookie ?? "", origin: CONSOLE_URL };
    expect((await send(headers, "GET")).statusCode).toBe(200);
    const failing = { ...headers, authorization: "Bearer exs_nothing" };
    expect((await send(failing, "GET")).statusCode).toBe(401);
    const proxied = { ...headers, authorization: "Basic eDp5" };
    expect((await send(proxied, "GET")).statusCode).toBe(200);
  });

  test("needs no origin, is refused with a foreign one, and frees no cookie of the check", async () => {
    const { key } = await account("treasury");
    const authorization = `Bearer ${key}`;
    expect(JSON.parse((await send({ authorization })).body).code).not.toBe("ORIGIN_NOT_ALLOWED");
    const foreign = { authorization, origin: "https://evil.example" };
    expect(JSON.parse((await send(foreign)).body).code).toBe("ORIGIN_NOT_ALLOWED");
    const treasury = await desk.person(["treasury"]);
    const cookie = treasury.cookie ?? "";
    expect(JSON.parse((await send({ cookie })).body).code).toBe("ORIGIN_NOT_ALLOWED");
    const signIn = await desk.app.inject({
      method: "POST",
      url: "/v1/admin/sign_in/passkey_options",
      headers: { authorization },
    });
    expect(signIn.json().code).toBe("ORIGIN_NOT_ALLOWED");
  });

  test("is limited over all processes when keys fail, and one that works passes", async () => {
    const { key } = await account("viewer");
    const settings = { failedKeysPerFiveMinutes: 3 };
    const processes = [
      buildAdminServer(desk.deps, settings),
      buildAdminServer(desk.deps, settings),
    ];
    const read = async (index: number, text: string) => {
      const headers = { authorization: `Bearer ${text}` };
      const request = { url: "/v1/admin/payouts", headers, remoteAddress: "192.0.2.77" };
      return (await processes[index % 2]?.inject(request))?.statusCode;
    };
    const statuses: unknown[] = [];
    for (let index = 0; index < 6; index += 1) {
      const wrong = makeApiKey(desk.deps.environment, desk.deps.ids, "exs").text;
      statuses.push(await read(index, wrong));
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
    expect([await read(0, key), await read(1, key)]).toEqual([200, 200]);
    await Promise.all(processes.map((one) => one.close()));
  });
});
