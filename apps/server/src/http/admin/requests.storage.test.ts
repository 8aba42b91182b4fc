import { randomUUID } from "node:crypto";
import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { beforeAll, expect, test, vi } from "vitest";
import { makeRequestLog } from "../../flows/merchants/request-log.ts";
import { makeApiKey } from "../../secrets/api-key.ts";
import { clearOldRequests } from "../../storage/retention.ts";
import { type ConsoleBrowser, csvRows, csvTime, useConsole } from "../../testing/console-world.ts";
import { makeHttpWorld } from "../../testing/http-world.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

const desk = useConsole(() => makeHttpWorld());
let ours: ConsoleBrowser;
let theirs: ConsoleBrowser;
beforeAll(async () => {
  ours = await desk.person(["merchant_developer"], desk.world.shop.clientId);
  theirs = await desk.person(["merchant_developer"], MERCHANT_ID);
});

const COUNTRIES = { method: "GET", url: "/v1/exchange/countries" } as const;
const list = async (query: Record<string, string | number> = {}, person = ours) => {
  const reply = await person.call(CALLS.listRequests, { query });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
};
/** The log is up to a second late. */
const find = (requestId: unknown) =>
  vi.waitFor(
    async () => {
      const { data } = await list({ requestId: String(requestId) });
      expect(data).toHaveLength(1);
      return data[0];
    },
    { timeout: 60_000 },
  );

test("a developer finds a call of their server by the request id of its answer", async () => {
  const { headers } = desk.world.shop;
  const done = await desk.world.call({ ...COUNTRIES, headers });
  const found = await find(done.headers["x-request-id"]);
  expect(found).toMatchObject({
    ...{ method: "GET", path: "/v1/exchange/countries", status: 200, code: null, reason: null },
    keyId: desk.world.shop.apiKey.split("_")[2],
  });
  const refused = await desk.world.call({ method: "GET", url: "/v1/orders/12345678", headers });
  expect(await find(refused.headers["x-request-id"])).toMatchObject({
    ...{ path: "/v1/orders/{orderId}", status: 404, code: "NOT_FOUND", orderId: 12345678 },
  });
  const failed = await list({ outcome: "failed" });
  expect(failed.data.map(({ requestId }) => requestId)).toEqual([refused.headers["x-request-id"]]);
});

test("a refused call is in the log of the key's merchant with the reason, and one with nobody's key in none", async () => {
  const { headers, apiKey } = desk.world.shop;
  const as = (changed: Record<string, string>) =>
    desk.world.call({ ...COUNTRIES, headers: { ...headers, ...changed } });
  const refused = await as({ "x-client-id": MERCHANT_ID });
  expect(refused.status).toBe(401);
  expect(await find(refused.headers["x-request-id"])).toMatchObject({
    ...{ status: 401, code: "UNAUTHORIZED", reason: "other_client", keyId: apiKey.split("_")[2] },
  });
  const unknown = await as({ "x-api-key": makeApiKey("dev", desk.deps.ids).text });
  expect(unknown.status).toBe(401);
  // A later call is in the log, so the unknown one would be.
  const later = await as({});
  await find(later.headers["x-request-id"]);
  const rows = await desk.query("select from api_requests where request_id = $1", [
    unknown.headers["x-request-id"],
  ]);
  expect(rows).toEqual([]);
});

test("a customer's browser is in the log when its call failed, without the customer's words", async () => {
  const authorization = `Bearer ${await desk.world.token()}`;
  const call = { method: "GET", headers: { authorization } } as const;
  const secret = "secretword";
  const url = `/v1/checkout/currencies?${secret}=${secret}`;
  const failed = await desk.world.call({ ...call, url });
  expect(failed.status).toBe(400);
  const found = await find(failed.headers["x-request-id"]);
  expect(found).toMatchObject({ status: failed.status, keyId: null });
  expect(JSON.stringify(found)).not.toContain(secret);
});

test("two merchants never meet, and pages follow each other", async () => {
  expect((await list({}, theirs)).data).toEqual([]);
  const all = (await list({ limit: 100 })).data;
  const [own] = all;
  expect((await list({ requestId: own?.requestId ?? "" }, theirs)).data).toEqual([]);
  const first = await list({ limit: 2 });
  const second = await list({ limit: 100, cursor: first.nextCursor ?? "" });
  expect([...first.data, ...second.data]).toEqual(all);
  expect(second.nextCursor).toBeNull();
});

test("the file of the log has the calls of the list by the same filters, and none of another merchant", async () => {
  const file = async (query: Record<string, string> = {}, person = ours) => {
    const reply = await person.call(CALLS.exportRequests, { query });
    expect([reply.status, reply.headers["content-disposition"]]).toEqual([
      200,
      'attachment; filename="requests.csv"',
    ]);
    return csvRows(reply.text);
  };
  const textOf = (value: string | number | null) => String(value ?? "");
  for (const query of [{}, { outcome: "failed" }]) {
    const { data } = await list({ limit: 100, ...query });
    expect(data.length).toBeGreaterThan(2);
    expect(await file(query)).toEqual(
      data.map((call) => ({
        request: call.requestId,
        time: csvTime(call.at),
        ...{ method: call.method, path: call.path, status: String(call.status) },
        ...{ code: textOf(call.code), reason: textOf(call.reason), key: textOf(call.keyId) },
        ...{ order: textOf(call.orderId), milliseconds: String(call.milliseconds) },
      })),
    );
  }
  const [one] = await file();
  expect(await file({ requestId: one?.["request"] ?? "" })).toEqual([one]);
  expect(await file({}, theirs)).toEqual([]);
});

test("a call with a number that is not an order id, or without a body, loses no other call of its second", async () => {
  const { headers } = desk.world.shop;
  const replies = [
    await desk.world.call({ method: "GET", url: `/v1/orders/${"9".repeat(20)}`, headers }),
    await desk.world.call({ method: "GET", url: `/v1/orders/${2 ** 53}`, headers }),
    await desk.world.call({ ...COUNTRIES, method: "HEAD", headers }),
    await desk.world.call({ ...COUNTRIES, headers }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([400, 400, 200, 200]);
  const ids = replies.map((reply) => reply.headers["x-request-id"]);
  const found = [];
  for (const id of ids) found.push(await find(id));
  expect(found.map((call) => [call?.method, call?.orderId])).toEqual(
    Array<unknown>(4).fill(["GET", null]),
  );
});

test("a slow database has one insert of a process at a time, and the calls of meanwhile follow it", async () => {
  const { clientId: merchantId } = desk.world.shop;
  const log = makeRequestLog(desk.deps);
  const shared = { merchantId, method: "GET", route: "/v1/slow", code: null, reason: null };
  const flushes = await desk.deps.database.transaction(async (tx) => {
    await tx.runScript("lock table api_requests in share mode");
    const begun = [1, 2, 3].map(async (milliseconds) => {
      log.note({
        ...{ ...shared, status: 200, keyId: null, orderId: null },
        ...{ requestId: randomUUID(), milliseconds },
      });
      await log.flush();
    });
    const waiting = () =>
      desk.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into api_requests%'",
      );
    await vi.waitFor(async () => expect(await waiting()).not.toEqual([]), 60_000);
    // Time for more of them.
    await desk.query("select pg_sleep(0.5)");
    expect(await waiting()).toHaveLength(1);
    return begun;
  });
  await Promise.all(flushes);
  const rows = await desk.query("select from api_requests where route = '/v1/slow'");
  expect(rows).toHaveLength(3);
});

test("a busy second keeps its failed calls before its successful ones, in the order of their answers", async () => {
  const { clientId: merchantId } = desk.world.shop;
  const log = makeRequestLog(desk.deps);
  const failed: string[] = [];
  const shared = { merchantId, method: "GET", route: "/v1/busy", code: null, reason: null };
  for (const _second of [1, 2]) {
    for (const status of [...Array<number>(500).fill(200), ...Array<number>(60).fill(404)]) {
      const one = { keyId: null, orderId: null, milliseconds: 1, requestId: randomUUID(), status };
      log.note({ ...shared, ...one });
      if (status === 404) failed.push(one.requestId);
    }
    await log.flush();
  }
  const rows = await desk.query<{ status: number; count: number }>(
    "select status, count(*)::int from api_requests where route = '/v1/busy' group by 1 order by 1",
  );
  expect(rows).toEqual([
    { status: 200, count: 40 },
    { status: 404, count: 120 },
  ]);
  const first = await list({ outcome: "failed", limit: 100 });
  const second = await list({ outcome: "failed", limit: 20, cursor: first.nextCursor ?? "" });
  const listed = [...first.data, ...second.data].map(({ requestId }) => requestId);
  expect(listed).toEqual(failed.toReversed());
});

test("a merchant with many calls in a second does not hide those of another", async () => {
  const log = makeRequestLog(desk.deps);
  const shared = { method: "GET", route: "/v1/shared", code: null, reason: null };
  const note = (merchantId: string, status: number, count: number): void => {
    for (let call = 0; call < count; call += 1) {
      const one = { keyId: null, orderId: null, milliseconds: call, requestId: randomUUID() };
      log.note({ ...shared, ...one, merchantId, status });
    }
  };
  const busy = desk.world.shop.clientId;
  note(busy, 200, 500);
  note(busy, 429, 500);
  note(MERCHANT_ID, 200, 3);
  note(MERCHANT_ID, 404, 70);
  note(busy, 200, 500);
  await log.flush();
  const rows = await desk.query<{ merchant: string; status: number; count: number }>(
    "select merchant_id as merchant, status, count(*)::int from api_requests where route = '/v1/shared' group by 1, 2",
  );
  const countOf = (merchant: string, status: number) =>
    rows.find((row) => row.merchant === merchant && row.status === status)?.count;
  expect([countOf(busy, 200), countOf(MERCHANT_ID, 200)]).toEqual([17, 3]);
  expect([countOf(busy, 429), countOf(MERCHANT_ID, 404)]).toEqual([50, 50]);
});

test("rows are cleared after seven days", async () => {
  await desk.query(
    "update api_requests set at = business_now() - interval '8 days' where route = '/v1/busy'",
  );
  expect(await clearOldRequests(desk.deps.database, 1_000)).toBe(160);
  expect(await clearOldRequests(desk.deps.database, 1_000)).toBe(0);
});
