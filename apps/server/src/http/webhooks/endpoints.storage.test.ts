import { randomUUID } from "node:crypto";
import {
  ENDPOINTS,
  WEBHOOK_LIMITS,
  type WebhookEndpointData,
  type WebhookEndpointWithSecret,
} from "@exchange/contract";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addWebhookEndpoint } from "../../flows/webhooks/add-endpoint.ts";
import { changeWebhookEndpoint } from "../../flows/webhooks/change-endpoint.ts";
import { statement } from "../../storage/postgres/database.ts";
import type { Ok } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
  type Shop,
} from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";

let world: HttpWorld;
let shop: Shop;
beforeAll(async () => {
  world = await makeHttpWorld({ deps: { webhookTargets: { allowSandboxTargets: false } } });
});
beforeEach(async () => {
  shop = await world.addShop();
});
afterAll(() => world.close());

const call = <Body = ErrorReply>(url: string, options: InjectOptions = {}) =>
  world.call<Body>({ url: `/v1/webhook_endpoints${url}`, headers: shop.headers, ...options });
const post = <Body>(url: string, payload: object = {}, headers: Record<string, string> = {}) =>
  call<Body>(url, { method: "POST", payload, headers: { ...shop.headers, ...headers } });
const patch = <Body = Ok<WebhookEndpointData>>(id: string, payload: object) =>
  call<Body>(`/${id}`, { method: "PATCH", payload });

const URL_OF_SHOP = "https://shop.example/hook";
const create = async (payload: object = {}): Promise<WebhookEndpointWithSecret> => {
  const reply = await post<Ok<WebhookEndpointWithSecret>>("", { url: URL_OF_SHOP, ...payload });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};

test("one is registered with a secret that no other answer has, read, listed and removed", async () => {
  const reply = await post<Ok<WebhookEndpointWithSecret>>("", { url: URL_OF_SHOP });
  expect(reply.status).toBe(201);
  expect(faultsOf(ENDPOINTS.createWebhookEndpoint, reply.body)).toEqual([]);
  const { secret, ...shown } = reply.body.data;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toEqual({
    id: shown.id,
    url: URL_OF_SHOP,
    eventTypes: ["OrderCreated", "OrderFulfillment"],
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    pausedUntil: null,
    previousSecretUntil: null,
    createdAt: shown.createdAt,
  });
  const read = await call<Ok<WebhookEndpointData>>(`/${shown.id}`);
  expect(read.body.data).toEqual(shown);
  const listed = await call<{ data: unknown }>("");
  expect(faultsOf(ENDPOINTS.listWebhookEndpoints, listed.body)).toEqual([]);
  expect(listed.body).toMatchObject({ data: [shown], nextCursor: null });
  expect((await call(`/${shown.id}`, { method: "DELETE" })).status).toBe(204);
  expect((await call(`/${shown.id}`)).body.code).toBe("NOT_FOUND");
  expect((await call(`/${shown.id}`, { method: "DELETE" })).status).toBe(404);
});

test("the same Idempotency-Key registers one, and shows the same secret again", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const first = await post("", { url: URL_OF_SHOP }, headers);
  const second = await post("", { url: URL_OF_SHOP }, headers);
  expect(second.text).toBe(first.text);
  expect(second.headers["idempotent-replayed"]).toBe("true");
  expect((await call<{ data: unknown[] }>("")).body.data).toHaveLength(1);
});

test("another merchant's is not found by any call", async () => {
  const { id } = await create();
  shop = await world.addShop();
  const replies = [
    await call(`/${id}`),
    await call(`/${id}`, { method: "DELETE" }),
    await patch<ErrorReply>(id, { enabled: false }),
    await post<ErrorReply>(`/${id}/rotate_secret`),
    await post<ErrorReply>(`/${id}/test`),
  ];
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual(
    Array(5).fill([404, "NOT_FOUND"]),
  );
  expect((await call<{ data: unknown[] }>("")).body.data).toEqual([]);
});

test("a merchant has at most twenty, also when many are added at once", async () => {
  const replies = await Promise.all(
    Array.from({ length: WEBHOOK_LIMITS.endpointsMax + 4 }, () =>
      post<ErrorReply>("", { url: URL_OF_SHOP }),
    ),
  );
  const refused = replies.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    Array(4).fill([400, "INVALID_INPUT"]),
  );
  expect(refused[0]?.body.message).toContain("at most 20");
});

test.each([
  ["no URL", {}],
  ["plain HTTP", { url: "http://shop.example/hook" }],
  ["a private address", { url: "https://192.168.0.1/hook" }],
  ["a user name", { url: "https://user@shop.example/hook" }],
  ["an odd port", { url: "https://shop.example:8080/hook" }],
  ["no URL at all", { url: "shop" }],
  ["an unknown event", { url: URL_OF_SHOP, eventTypes: ["OrderLost"] }],
  ["no event", { url: URL_OF_SHOP, eventTypes: [] }],
  ["an event twice", { url: URL_OF_SHOP, eventTypes: ["OrderCreated", "OrderCreated"] }],
  ["a member nobody knows", { url: URL_OF_SHOP, secret: "whsec_mine" }],
])("%s is refused with INVALID_INPUT that says where", async (_what, payload) => {
  const reply = await post<ErrorReply>("", payload);
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  expect(reply.body.details?.[0]?.path).toMatch(/^body/);
});

describe("changing one", () => {
  test("changes what is named and nothing else", async () => {
    const { id, secret: _secret, ...before } = await create();
    const eventTypes = ["OrderUpdated"];
    const changed = await patch(id, { eventTypes });
    expect(faultsOf(ENDPOINTS.changeWebhookEndpoint, changed.body)).toEqual([]);
    expect(changed.body.data).toEqual({ id, ...before, eventTypes });
    const url = "https://other.example:8443/x";
    expect((await patch(id, { url })).body.data).toEqual({ id, ...before, url, eventTypes });
  });

  test("disables it, which the merchant did, and enables it again", async () => {
    const { id } = await create();
    const disabled = await patch(id, { enabled: false });
    expect(disabled.body.data).toMatchObject({ enabled: false, disabledReason: "merchant" });
    expect(disabled.body.data.disabledAt).toBeGreaterThan(0);
    const enabled = await patch(id, { enabled: true });
    expect(enabled.body.data).toMatchObject({
      enabled: true,
      disabledReason: null,
      disabledAt: null,
    });
  });

  test.each([
    ["nothing", {}],
    ["a URL no webhook may go to", { url: "https://10.0.0.1/" }],
    ["a time of its own for the overlap", { previousSecretUntil: 1_900_000_000 }],
    ["its secret", { secret: "whsec_c2VjcmV0" }],
  ])("to %s is refused", async (_what, payload) => {
    const { id } = await create();
    const reply = await patch<ErrorReply>(id, payload);
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  });
});

describe("rotating its secret", () => {
  const rotate = async (id: string, payload: object = {}) => {
    const reply = await post<Ok<WebhookEndpointWithSecret>>(`/${id}/rotate_secret`, payload);
    expect(faultsOf(ENDPOINTS.rotateWebhookSecret, reply.body)).toEqual([]);
    return reply.body.data;
  };
  const DAY_SECONDS = 86_400;

  test("shows a new one, and tells that the other signs too for a day", async () => {
    const before = await create();
    const askedAt = Math.floor(Date.now() / 1000);
    const after = await rotate(before.id);
    expect(after.secret).toMatch(/^whsec_/);
    expect(after.secret).not.toBe(before.secret);
    const rotatedAt = (after.previousSecretUntil ?? 0) - DAY_SECONDS;
    expect(rotatedAt).toBeGreaterThanOrEqual(askedAt);
    expect(rotatedAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  test("without an overlap ends the other at once, and so does asking for its end", async () => {
    const { id } = await create();
    expect((await rotate(id, { overlapSeconds: 0 })).previousSecretUntil).toBeNull();
    expect((await rotate(id, { overlapSeconds: 60 })).previousSecretUntil).toBeGreaterThan(0);
    const ended = await patch(id, { previousSecretUntil: null });
    expect(ended.body.data.previousSecretUntil).toBeNull();
  });

  test("leaves no secret in the clear in the database, its log included", async () => {
    const before = await create();
    const after = await rotate(before.id);
    const rows = await world.database.query<{ row: string }>(
      statement(
        "test_all_of_endpoint",
        `select e::text as row from webhook_endpoints e where id = $1
         union all select l::text from webhook_endpoint_log l where endpoint_id = $1`,
      ),
      [before.id],
    );
    expect(rows).toHaveLength(3);
    const all = rows.map(({ row }) => row).join("\n");
    for (const secret of [before.secret, after.secret]) {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      for (const form of [secret, key.toString("hex"), Buffer.from(secret).toString("hex")]) {
        expect(all).not.toContain(form);
      }
    }
  });

  test("for longer than a day is refused", async () => {
    const { id } = await create();
    const reply = await post<ErrorReply>(`/${id}/rotate_secret`, { overlapSeconds: 86_401 });
    expect(reply.body.code).toBe("INVALID_INPUT");
  });
});

test("a removed endpoint keeps no secret, the one before a rotation included", async () => {
  const { id } = await create();
  await post(`/${id}/rotate_secret`);
  await call(`/${id}`, { method: "DELETE" });
  const secrets = statement(
    "test_secrets_left",
    "select num_nonnulls(secret_sealed, previous_secret_sealed) as left from webhook_endpoints where id = $1",
  );
  expect(await world.database.query(secrets, [id])).toEqual([{ left: 0 }]);
});

test("changes of an endpoint are logged, and the log cannot be changed", async () => {
  const { id } = await create();
  await patch(id, { enabled: false });
  await patch(id, { enabled: true, eventTypes: ["OrderUpdated"] });
  await post(`/${id}/rotate_secret`);
  await patch(id, { previousSecretUntil: null });
  await call(`/${id}`, { method: "DELETE" });
  const log = statement(
    "test_log_of",
    "select what from webhook_endpoint_log where endpoint_id = $1 order by number",
  );
  const rows = await world.database.query<{ what: string }>(log, [id]);
  expect(rows.map(({ what }) => what)).toEqual([
    "added",
    "disabled",
    "changed",
    "enabled",
    "secret_rotated",
    "overlap_ended",
    "removed",
  ]);
  const forge = statement("test_forge_log", "update webhook_endpoint_log set what = 'added'");
  await expect(world.database.query(forge)).rejects.toThrow();
});

/** Turns an endpoint of the shop on or off as the operator. */
const turn = (endpointId: string, enabled: boolean) =>
  changeWebhookEndpoint(world.deps, {
    merchantId: shop.clientId,
    endpointId,
    by: operatorNamed("anna"),
    enabled,
  });
const registerAt = (url: string) => post<ErrorReply & Ok<{ id: string }>>("", { url });
const BANNED = "https://shop.example/taken-over";

test("a merchant cannot register a URL again that the operator disabled", async () => {
  const url = BANNED;
  const register = () => registerAt(url);
  const { id } = (await register()).body.data;
  const other = await create();
  await turn(id, false);
  const refuses = async () => {
    for (const reply of [await register(), await patch<ErrorReply>(other.id, { url })]) {
      expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
      expect(reply.body.message).toContain("ask the operator to enable");
    }
  };
  await refuses();
  await patch(id, { url: "https://shop.example/moved-away" });
  await refuses();
  await turn(id, true);
  expect((await register()).status).toBe(201);
  const again = (await register()).body.data.id;
  await turn(again, false);
  await call(`/${again}`, { method: "DELETE" });
  await refuses();
  // The operator may add it, and decides with it.
  await addWebhookEndpoint(world.deps, {
    merchantId: shop.clientId,
    url,
    operator: operatorNamed("anna"),
  });
  expect((await register()).status).toBe(201);
});

test("an endpoint from before the ban of its URL allows nothing after it was removed", async () => {
  const first = await create({ url: BANNED });
  const decoy = await create({ url: BANNED });
  await call(`/${decoy.id}`, { method: "DELETE" });
  await turn(first.id, false);
  expect((await registerAt(BANNED)).body.code).toBe("INVALID_INPUT");
});

test("the ban counts from the operator's act, even if the merchant had disabled the endpoint", async () => {
  const add = () =>
    addWebhookEndpoint(world.deps, {
      ...{ merchantId: shop.clientId, url: BANNED, operator: operatorNamed("anna") },
    });
  const first = await create({ url: BANNED });
  await patch(first.id, { enabled: false });
  await add();
  await turn(first.id, false);
  expect((await registerAt(BANNED)).body.code).toBe("INVALID_INPUT");
  await add();
  expect((await registerAt(BANNED)).status).toBe(201);
});

test("a merchant cannot enable another endpoint at the URL of the ban", async () => {
  const first = await create({ url: BANNED });
  const second = await create({ url: `${BANNED}?second` });
  await patch(second.id, { enabled: false });
  await turn(first.id, false);
  const enabled = await patch<ErrorReply>(second.id, { enabled: true });
  expect([enabled.status, enabled.body.code]).toEqual([400, "INVALID_INPUT"]);
  await turn(first.id, true);
  expect((await patch(second.id, { enabled: true })).status).toBe(200);
});

test("a ban covers each spelling of its URL and any query, and no other path", async () => {
  const { id } = await create({ url: BANNED });
  await turn(id, false);
  for (const url of [
    ...["#x", "?", "?a", "/", "//", "/#x"].map((end) => BANNED + end),
    "https://shop.example./taken-over",
    "https://SHOP.example:443//./taken%2Dover",
  ]) {
    const reply = await registerAt(url);
    expect([url, reply.status, reply.body.code]).toEqual([url, 400, "INVALID_INPUT"]);
  }
  for (const url of [`${BANNED}/too`, "https://shop.example:8443/taken-over"]) {
    expect([url, (await registerAt(url)).status]).toEqual([url, 201]);
  }
});

test("a ban covers a URL that is longer than an entry of the log", async () => {
  const url = `https://shop.example/${"%E2%82%AC".repeat(60)}/${"a".repeat(600)}`;
  const { id } = await create({ url });
  await turn(id, false);
  await patch(id, { url: "https://shop.example/moved-away" });
  expect((await registerAt(`${url}?again`)).body.code).toBe("INVALID_INPUT");
});

test("a merchant cannot enable an endpoint that the operator disabled", async () => {
  const { id } = await create();
  await patch(id, { enabled: false });
  // The operator's reason replaces the merchant's own.
  await turn(id, false);
  for (const change of [{ enabled: true }, { enabled: true, url: "https://shop.example/other" }]) {
    const refused = await patch<ErrorReply>(id, change);
    expect([refused.status, refused.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(refused.body.message).toContain("Ask the operator");
  }
  await patch(id, { enabled: false });
  const moved = await patch(id, { url: "https://shop.example/other" });
  expect(moved.body.data).toMatchObject({ enabled: false, disabledReason: "operator" });
  await turn(id, true);
  expect((await patch(id, { enabled: false })).body.data.disabledReason).toBe("merchant");
  expect((await patch(id, { enabled: true })).body.data.enabled).toBe(true);
});
