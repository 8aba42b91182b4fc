import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrderView } from "../../domain/orders/view.ts";
import { startClearing } from "../../jobs/clearing.ts";
import { sandboxCallbacks, signCallback } from "../../sandbox/callbacks/callbacks.ts";
import { JOBS_DUE_CHANNEL } from "../../storage/jobs/jobs.ts";
import { type Database, statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeDatabase } from "../../testing/database.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { ORDERS, placeAndAsk } from "../../testing/orders.ts";
import { depsOn, makeRole, type TestRole } from "../../testing/service-roles.ts";
import { CALLBACK_BYTES_MAX } from "./routes.ts";

const SECRET = Buffer.alloc(32, 7);
const PATH = "/rails/sandbox/callbacks";
const RETENTION = {
  ordersRetentionDays: 100,
  sessionsRetentionDays: 100,
  walletsRetentionDays: 100,
  addressesRetentionDays: 100,
};

let owner: Database;
let api: TestRole;
let world: HttpWorld;
let order: OrderView;

/** The API's own database role serves the callbacks, so that its rights are tested too. */
beforeAll(async () => {
  owner = await makeDatabase();
  api = await makeRole(owner, "api");
  world = await makeHttpWorld({
    database: owner,
    deps: {
      ...depsOn(api.database),
      callbacks: new Map([["sandbox", sandboxCallbacks([SECRET])]]),
    },
  });
  const { deps, openSession } = world;
  order = await placeAndAsk({ deps, openSession }, ORDERS.buyByBank);
});
afterAll(async () => {
  await api.close();
  await world.close();
});

const run = <Row>(text: string, ...values: unknown[]) =>
  owner.query<Row>(statement(text.slice(0, 60), text), values);

interface StoredRow {
  readonly event_key: string;
  readonly body_sealed: Buffer;
}

const inbox = () => run<StoredRow>("select * from provider_callbacks order by event_key");

const eventOf = (id: string | undefined, about: unknown): string => JSON.stringify({ id, about });
const deposit = () => ({ kind: "deposit", reference: found(order.instruction).reference });

let addresses = 0;
const send = (
  body: string | Buffer,
  {
    path = PATH,
    signature = signCallback(SECRET, Buffer.from(body), new Date()),
    remoteAddress = `198.51.100.${(addresses = (addresses + 1) % 250)}`,
    ...headers
  }: Readonly<Record<string, string>> = {},
) =>
  world.call({
    method: "POST",
    url: path,
    payload: body,
    remoteAddress,
    headers: { "content-type": "application/json", "sandbox-signature": signature, ...headers },
  });

/** Lets the order's jobs wait an hour, and returns those that are due after the work. */
async function hurriedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  await run("update jobs set run_at = business_now() + interval '1 hour'");
  await work();
  const rows = await run<{ kind: string }>("select kind from jobs where run_at <= business_now()");
  return rows.map(({ kind }) => kind);
}

test("a callback is stored sealed, and makes only the job due that looks at its subject", async () => {
  const body = eventOf("evt_1", deposit());
  let wakes = 0;
  const leave = await owner.listen(JOBS_DUE_CHANNEL, () => {
    wakes += 1;
  });
  expect(await hurriedBy(async () => expect((await send(body)).status).toBe(204))).toEqual([
    "watch_payment",
  ]);
  await expect.poll(() => wakes).toBeGreaterThan(0);
  await leave();
  const [row] = await inbox();
  expect(row?.event_key).toBe("id:evt_1");
  expect(found(row).body_sealed.toString("latin1")).not.toContain("evt_1");
  const opened = world.deps.secrets.open(
    found(row).body_sealed,
    "provider_callbacks:sandbox:id:evt_1:body",
  );
  expect(Buffer.from(opened, "base64").toString()).toBe(body);
});

test("a repetition has the same answer, is stored once and hurries nothing", async () => {
  const body = eventOf("evt_2", deposit());
  await send(body);
  expect(await hurriedBy(async () => expect((await send(body)).status).toBe(204))).toEqual([]);
  expect((await inbox()).filter(({ event_key }) => event_key === "id:evt_2")).toHaveLength(1);
});

test("a job that runs now is marked to run once more", async () => {
  await run("update jobs set lease_token = gen_random_uuid(), hurried = false");
  await send(eventOf("evt_running", deposit()));
  const rows = await run("select kind from jobs where hurried");
  expect(rows).toEqual([{ kind: "watch_payment" }]);
  await run("update jobs set lease_token = null, hurried = false");
});

const OTHERS: readonly (readonly [string, () => string | Buffer, readonly string[]])[] = [
  ["an event without an id", () => eventOf(undefined, deposit()), ["watch_payment"]],
  ["an event about something else", () => eventOf("evt_1b", { kind: "dispute" }), []],
  ["an unknown reference", () => eventOf("evt_1c", { kind: "payment", reference: "x" }), []],
  ["a reference with NUL", () => eventOf("evt_1d", { kind: "payment", reference: "\0" }), []],
  ["an id with NUL", () => eventOf("\0", deposit()), ["watch_payment"]],
  ["bytes that are not JSON", () => Buffer.from([0xff, 0, 0xfe]), []],
];

test.each(OTHERS)("%s is stored", async (_name, body, kinds) => {
  const before = (await inbox()).length;
  expect(await hurriedBy(async () => expect((await send(body())).status).toBe(204))).toEqual(kinds);
  expect((await inbox()).length).toBe(before + 1);
});

test("a callback is not believed: the order has no money without the rail's own word", async () => {
  await send(eventOf("evt_lie", { ...deposit(), state: "settled", amount: 1_000_000 }));
  expect(await run("select 1 from deposits")).toEqual([]);
});

const BODY = eventOf("evt_refused", null);
const signedAt = (seconds: number) =>
  signCallback(SECRET, Buffer.from(BODY), new Date(Date.now() + seconds * 1_000));

test.each([
  ["an unknown provider", 404, "NOT_FOUND", BODY, { path: "/rails/nobody/callbacks" }],
  ["no signature", 401, "UNAUTHORIZED", BODY, { signature: "" }],
  ["a changed byte", 401, "UNAUTHORIZED", `${BODY} `, { signature: signedAt(0) }],
  [
    "another secret",
    401,
    "UNAUTHORIZED",
    BODY,
    { signature: signCallback(Buffer.alloc(32), Buffer.from(BODY), new Date()) },
  ],
  ["an old signature", 401, "UNAUTHORIZED", BODY, { signature: signedAt(-400) }],
  ["a signature of the future", 401, "UNAUTHORIZED", BODY, { signature: signedAt(4_000) }],
  ["a large body", 413, "PAYLOAD_TOO_LARGE", "x".repeat(CALLBACK_BYTES_MAX + 1), {}],
] as const)("%s is refused and stores nothing", async (_name, status, code, body, options) => {
  const before = (await inbox()).length;
  const reply = await send(body, options);
  expect([reply.status, reply.body["code"]]).toEqual([status, code]);
  expect((await inbox()).length).toBe(before);
});

test("any content type is read, as exactly the bytes that arrived", async () => {
  const body = `{ "id": "evt_type",\r\n "about": null }`;
  expect((await send(body, { "content-type": "text/plain; charset=latin1" })).status).toBe(204);
});

test("a flood of strangers costs their address its turn, and no statement", async () => {
  const remoteAddress = "203.0.113.9";
  const strange = { remoteAddress, signature: "t=1,v1=0" };
  const before = (await inbox()).length;
  const statuses = new Set<number>();
  for (let index = 0; index < 60; index += 1) statuses.add((await send(BODY, strange)).status);
  expect([...statuses]).toEqual([401]);
  const refused = await send(BODY, strange);
  expect([refused.status, refused.body["code"]]).toEqual([429, "RATE_LIMITED"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect((await inbox()).length).toBe(before);
  expect((await send(eventOf("evt_calm", null))).status).toBe(204);
});

test("callbacks are deleted after 30 days", async () => {
  await run("update provider_callbacks set received_at = business_now() - interval '31 days'");
  await send(eventOf("evt_young", null));
  const stop = startClearing({ ...world.deps, database: owner }, RETENTION);
  await expect
    .poll(async () => (await inbox()).map(({ event_key }) => event_key))
    .toEqual(["id:evt_young"]);
  await stop();
});
