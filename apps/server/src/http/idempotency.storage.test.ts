import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "../flows/merchants/create-key.ts";
import { statement } from "../storage/postgres/database.ts";
import { clearOldKeys } from "../storage/retention.ts";
import { type Ok, openBrowser, placeOrder } from "../testing/checkout-browser.ts";
import {
  type CreatedToken,
  type ErrorReply,
  type HttpWorld,
  makeHttpWorld,
  type Reply,
} from "../testing/http-world.ts";
import { operatorNamed } from "../testing/operators.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const countSessions = async (sessionId: string): Promise<number> => {
  const rows = await world.database.query(
    statement("sessions_of_test", "select 1 from sessions where session_id = $1"),
    [sessionId],
  );
  return rows.length;
};

const key = () => ({ "idempotency-key": randomUUID() });

test("the same key and body get the stored answer", async () => {
  const headers = key();
  const first = await world.createToken(
    { sessionId: "kept", metadata: { a: "1", b: "2" } },
    headers,
  );
  const second = await world.createToken(
    { metadata: { b: "2", a: "1" }, sessionId: "kept" },
    headers,
  );
  expect(second.status).toBe(201);
  expect(second.text).toBe(first.text);
  expect(first.headers["idempotent-replayed"]).toBeUndefined();
  expect(second.headers["idempotent-replayed"]).toBe("true");
});

test("another body is a conflict, which is 400 here", async () => {
  const headers = key();
  await world.createToken({ sessionId: "conflict-1" }, headers);
  const reply = await world.createToken<ErrorReply>({ sessionId: "conflict-2" }, headers);
  expect([reply.status, reply.body.code]).toEqual([400, "IDEMPOTENCY_CONFLICT"]);
  expect(await countSessions("conflict-2")).toBe(0);
});

test("an absent body and an empty object are one request", async () => {
  const call = (url: string, rest: InjectOptions) =>
    world.call<Ok<{ id: string; secret: string }>>({
      method: "POST",
      url: `/v1/webhook_endpoints${url}`,
      ...rest,
      headers: { ...world.shop.headers, ...rest.headers },
    });
  const { id } = (await call("", { payload: { url: "https://shop.example/hooks" } })).body.data;
  const headers = key();
  const first = await call(`/${id}/rotate_secret`, { headers });
  const second = await call(`/${id}/rotate_secret`, { headers, payload: {} });
  expect([first.status, second.text]).toEqual([200, first.text]);
  expect(second.headers["idempotent-replayed"]).toBe("true");
  const other = await call(`/${id}/rotate_secret`, { headers, payload: { overlapSeconds: 60 } });
  expect(other.status).toBe(409);
  const { orderId } = await placeOrder(world, await openBrowser(world));
  const cancel = { method: "POST", url: `/v1/orders/${orderId}/cancel` } as const;
  const keyed = { ...world.shop.headers, ...key() };
  const cancelled = await world.call({ ...cancel, headers: keyed });
  const again = await world.call({ ...cancel, headers: keyed, payload: {} });
  expect([cancelled.status, again.text]).toEqual([200, cancelled.text]);
});

/** Creates a session. Repeats a call that gave up waiting for the first one. */
async function createPatiently(
  payload: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<Reply<CreatedToken>> {
  const startMs = performance.now();
  const reply = await world.createToken(payload, headers);
  if (reply.body.code !== "IDEMPOTENCY_CONFLICT") return reply;
  expect(performance.now() - startMs).toBeGreaterThan(4_500);
  return createPatiently(payload, headers);
}

test("20 calls at once with one key get one answer", async () => {
  const headers = key();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => createPatiently({ sessionId: "one-answer" }, headers)),
  );
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  const replayed = replies.filter((reply) => reply.headers["idempotent-replayed"] === "true");
  expect(replayed).toHaveLength(19);
});

test("a key repeats a token that a newer one has replaced, and the reference warns of it", async () => {
  const headers = key();
  const first = await world.createToken({ sessionId: "cart" }, headers);
  await world.createToken({ sessionId: "cart" }, key());
  const again = await world.createToken({ sessionId: "cart" }, headers);
  expect([again.status, again.text]).toEqual([201, first.text]);
  const authorization = `Bearer ${again.body.data.accessToken}`;
  const reply = await world.call({ url: "/v1/checkout/session", headers: { authorization } });
  expect(reply.body).toMatchObject({ code: "TOKEN_INVALID" });
  for (const page of ["endpoints", "agents"]) {
    const file = new URL(`../../../../docs/reference/${page}.md`, import.meta.url);
    expect(readFileSync(file, "utf8")).toMatch(/new key for each opening of\s+the checkout/);
  }
});

test("a refused request keeps nothing: the same key may be used again", async () => {
  const headers = key();
  expect((await world.createToken({ sessionId: "a\n" }, headers)).status).toBe(400);
  expect((await world.createToken({ sessionId: "mended", scope: ["none"] }, headers)).status).toBe(
    400,
  );
  expect((await world.createToken({ sessionId: "mended" }, headers)).status).toBe(201);
});

test("two merchants may use the same key", async () => {
  const headers = key();
  const other = await world.addShop();
  const mine = await world.createToken({ sessionId: "same-key" }, headers);
  const theirs = await world.createToken(
    { sessionId: "same-key" },
    { ...headers, ...other.headers },
  );
  expect(theirs.status).toBe(201);
  expect(theirs.text).not.toBe(mine.text);
});

test("a key with other scopes gets no stored answer, because it may read less or more", async () => {
  const sessionId = randomUUID();
  await world.createToken({ sessionId, customer: { firstName: "Ada" } });
  const limited = { merchantId: world.shop.clientId, by: operatorNamed("anna") };
  const { apiKey } = await createKey(world.deps, { ...limited, scopes: ["orders.write"] });
  const full = world.shop.headers;
  const writer = { ...full, "x-api-key": apiKey };
  const url = `/v1/sessions/${sessionId}/revoke_token`;
  const revoke = (headers: Record<string, string>, idempotencyKey: string) =>
    world.call<ErrorReply>({
      method: "POST",
      url,
      headers: { ...headers, "idempotency-key": idempotencyKey },
    });
  for (const [first, other] of [
    [full, writer],
    [writer, full],
  ] as const) {
    const idempotencyKey = randomUUID();
    const stored = await revoke(first, idempotencyKey);
    expect(stored.text.includes("Ada")).toBe(first === full);
    const refused = await revoke(other, idempotencyKey);
    expect([refused.status, refused.body.code]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
    expect(refused.text).not.toContain("Ada");
    const again = await revoke(first, idempotencyKey);
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([stored.text, "true"]);
  }
});

test("a key with every scope repeats what an earlier release stored, which hashed the body alone", async () => {
  const headers = key();
  await world.createToken({ sessionId: "hashed" }, headers);
  const [row] = await world.database.query<{ fingerprint: Buffer }>(
    statement("stored_fingerprint", "select fingerprint from idempotency_keys where key = $1"),
    [headers["idempotency-key"]],
  );
  const earlier = createHash("sha256").update('{"sessionId":"hashed"}').digest();
  expect(row?.fingerprint).toEqual(earlier);
});

test("the answer is not kept in the clear", async () => {
  const headers = key();
  const { body } = await world.createToken({ sessionId: "sealed" }, headers);
  const [row] = await world.database.query<{ response: Buffer }>(
    statement("sealed_answer", "select response from idempotency_keys where key = $1"),
    [headers["idempotency-key"]],
  );
  expect(row?.response.length).toBeGreaterThan(100);
  expect(row?.response.includes(body.data.accessToken)).toBe(false);
});

test("a holder that crashed gives way when its time is over, to the same request only", async () => {
  const headers = key();
  await world.createToken({ sessionId: "crashed" }, headers);
  await world.database.query(
    statement(
      "crash_holder",
      "update idempotency_keys set status = null, response = null, locked_until = clock_timestamp() - interval '1 second' where key = $1",
    ),
    [headers["idempotency-key"]],
  );
  const other = await world.createToken<ErrorReply>({ sessionId: "other" }, headers);
  expect(other.body.code).toBe("IDEMPOTENCY_CONFLICT");
  const again = await world.createToken({ sessionId: "crashed" }, headers);
  expect(again.status).toBe(201);
  expect(again.headers["idempotent-replayed"]).toBeUndefined();
});

test("a request that still runs says when to ask again, and another request with its key does not", async () => {
  const headers = key();
  await world.createToken({ sessionId: "running" }, headers);
  await world.database.query(
    statement(
      "run_holder",
      "update idempotency_keys set status = null, response = null where key = $1",
    ),
    [headers["idempotency-key"]],
  );
  const running = await world.createToken<ErrorReply>({ sessionId: "running" }, headers);
  expect([running.status, running.body.code]).toEqual([400, "IDEMPOTENCY_CONFLICT"]);
  expect(Number(running.headers["retry-after"])).toBeGreaterThan(0);
  const other = await world.createToken<ErrorReply>({ sessionId: "not running" }, headers);
  expect([other.status, other.body.code]).toEqual([400, "IDEMPOTENCY_CONFLICT"]);
  expect(other.headers["retry-after"]).toBeUndefined();
});

test("after a day the answer is deleted, and the key may name something else", async () => {
  const headers = key();
  await world.createToken({ sessionId: "yesterday" }, headers);
  const age = statement(
    "age_key",
    "update idempotency_keys set created_at = created_at - interval '25 hours' where key = $1",
  );
  await world.database.query(age, [headers["idempotency-key"]]);
  expect((await world.createToken({ sessionId: "today" }, headers)).status).toBe(201);
  await world.database.query(age, [headers["idempotency-key"]]);
  expect(await clearOldKeys(world.database, 1_000)).toBe(1);
  const left = statement("left_keys", "select 1 from idempotency_keys where key = $1");
  expect(await world.database.query(left, [headers["idempotency-key"]])).toEqual([]);
});

test.each([["x".repeat(256)], [""]])("a key of %j is refused", async (text) => {
  const reply = await world.createToken<ErrorReply>(
    { sessionId: "any" },
    { "idempotency-key": text },
  );
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
});
