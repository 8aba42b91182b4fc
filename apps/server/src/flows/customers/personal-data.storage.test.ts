import { Writable } from "node:stream";
import type { OrderData, SessionData } from "@exchange/contract";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type JobWorker, startJobs } from "../../jobs/worker.ts";
import { logOptions } from "../../start/log.ts";
import { statement } from "../../storage/postgres/database.ts";
import { eraseOldOrders } from "../../storage/retention.ts";
import { CANARY, type CanaryOrders, findInTables, sendCanary } from "../../testing/canary.ts";
import { found } from "../../testing/catalogue.ts";
import type { Ok } from "../../testing/checkout-browser.ts";
import { type CommandLine, openCommandLine } from "../../testing/command-line.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";

const lines: string[] = [];
const write = (chunk: unknown, _encoding: string, done: () => void) => {
  lines.push(String(chunk));
  done();
};
const log = pino(logOptions("trace"), new Writable({ write }));

let world: HttpWorld;
let jobs: JobWorker;
let line: CommandLine;
let orders: CanaryOrders;
beforeAll(async () => {
  world = await makeHttpWorld({ deps: { log } });
  jobs = startJobs(world.deps);
  line = await openCommandLine(world.database);
  const { headers } = world.shop;
  const payload = { url: "http://localhost:1/hooks" };
  await world.call({ method: "POST", url: "/v1/webhook_endpoints", headers, payload });
  orders = await sendCanary(world);
  await complete(orders.bought);
  const url = `/v1/sandbox/orders/${orders.sold}/advance`;
  const paid = { status: "processing" };
  expect(await world.call({ method: "POST", url, headers, payload: paid })).toMatchObject({
    status: 200,
  });
  await complete(orders.sold);
});
afterAll(async () => {
  await jobs.stop();
  await line.close();
  await world.close();
});

const merchant = async <Data>(url: string, options: { method?: "GET" | "POST" } = {}) =>
  (await world.call<Ok<Data>>({ ...options, url: `/v1${url}`, headers: world.shop.headers })).body
    .data;
const readOrder = (id: number) => merchant<OrderData>(`/orders/${id}`);
const events = () => merchant<readonly unknown[]>("/events");

async function complete(id: number): Promise<void> {
  const isCompleted = async () => expect((await readOrder(id)).status).toBe("completed");
  await vi.waitFor(isCompleted, { timeout: 60_000 });
}

const words = Object.values(CANARY);
const customer = () => ["--merchant", world.shop.clientId, "--email", CANARY.email.toUpperCase()];
const byReference = () => ["--merchant", world.shop.clientId, "--reference", CANARY.reference];
const raw = (text: string) => world.database.query(statement(text.slice(0, 60), text));

interface Exported {
  readonly sessions: readonly (SessionData & { readonly payoutFields: object })[];
  readonly wallets: readonly object[];
}
const exported = (...more: string[]) =>
  line.runJson<Exported>("customers", "export", ...customer(), ...more);

test("a person's data from every call is in no table's text and in no log", async () => {
  expect(lines.length).toBeGreaterThan(10);
  expect(await findInTables(world.database, words)).toEqual([]);
  for (const word of words) expect(lines.join("").toLowerCase()).not.toContain(word.toLowerCase());
});

test("the merchant reads the customer as before", async () => {
  const { email, firstName } = CANARY;
  expect(await readOrder(orders.bought)).toMatchObject({
    customer: { email, firstName, countryCode: "DE" },
    metadata: { note: CANARY.metadata },
  });
  const sold = await readOrder(orders.sold);
  expect(sold.delivery.fields.map(({ value }) => value)).toContainEqual(
    expect.stringMatching(/3000$/),
  );
  expect(await merchant(`/sessions/${sold.sessionId}`)).toMatchObject({ customer: { email } });
  const { out } = await line.run("orders", "explain", "--order", String(orders.sold));
  expect(out).toContain(`Customer: ${firstName} ${CANARY.lastName}, ${email}`);
  expect(out).not.toContain(CANARY.iban);
});

test("the export has all that is held about a customer, found by e-mail or reference", async () => {
  const all = await exported();
  expect(all.sessions).toHaveLength(4);
  expect(all.wallets).toHaveLength(1);
  const text = JSON.stringify(all);
  expect(words.filter((word) => !text.includes(word))).toEqual([]);
  expect(all.sessions[0]).toMatchObject({ deliveries: expect.any(Array) });
  const again = await line.runJson<Exported>("customers", "export", ...byReference());
  expect(again.sessions).toHaveLength(4);
  const other = await line.runJson<Exported>(
    ...["customers", "export", "--merchant", world.shop.clientId, "--email", "x@a.example"],
  );
  expect(other).toEqual({ sessions: [], wallets: [] });
});

test("an operator finds the orders of a customer by e-mail in any letter case, and by reference", async () => {
  type Found = readonly { orderId: number; foundBy: readonly string[] }[];
  const byEmail = await line.runJson<Found>("orders", "find", CANARY.email.toUpperCase());
  const ids = new Set(byEmail.map(({ orderId }) => orderId));
  expect(ids).toEqual(new Set(Object.values(orders)));
  expect(byEmail[0]?.foundBy).toEqual(["e-mail"]);
  const byReferenceToo = await line.runJson<Found>("orders", "find", CANARY.reference);
  expect(new Set(byReferenceToo.map(({ orderId }) => orderId))).toEqual(ids);
});

test("a customer of another merchant is not found by the same e-mail", async () => {
  const { clientId } = await world.addShop();
  const other = ["--merchant", clientId, "--email", CANARY.email];
  expect(await line.runJson("customers", "export", ...other)).toEqual({
    sessions: [],
    wallets: [],
  });
});

test.each([
  ["either --reference or --email", ["--merchant", "m"]],
  ["and not both", ["--merchant", "m", "--email", "a@b.example", "--reference", "r"]],
  ["--client is missing", ["--email", "a@b.example"]],
])("wrong usage says %s", async (why, options) => {
  for (const name of ["export", "erase"]) {
    const refused = await line.run("customers", name, ...options);
    expect(refused).toMatchObject({ status: 2, errors: expect.stringContaining(why) });
  }
});

test("a customer with an order under way is not erased", async () => {
  const refused = await line.run("customers", "erase", ...customer());
  expect(refused.status).toBe(1);
  expect(refused.errors).toContain(String(orders.waiting));
  expect(refused.errors).toContain("cancel or refund");
  expect((await exported()).sessions).toHaveLength(4);
});

test("a crash half-way through an erasure changes nothing", async () => {
  await merchant(`/orders/${orders.waiting}/cancel`, { method: "POST" });
  await raw(`create function refuse_log() returns trigger language plpgsql as $$
    begin raise exception 'the log is full'; end $$`);
  await raw(`create trigger control_log_full before insert on control_log for each row
    when (new.action = 'erase_customer') execute function refuse_log()`);
  expect((await line.run("customers", "erase", ...customer())).status).toBe(1);
  await raw("drop trigger control_log_full on control_log");
  expect((await exported()).sessions).toHaveLength(4);
});

test("after an erasure amounts and ledger stay, the person is gone, and events stay", async () => {
  const [before, eventsBefore] = [await readOrder(orders.sold), await events()];
  const erased = await line.runJson("customers", "erase", ...customer());
  expect(erased).toMatchObject({ sessions: 1, wallets: 1, erasedOrders: [] });
  expect(await exported()).toEqual({ sessions: [], wallets: [] });
  expect((await line.run("orders", "find", CANARY.email)).out).toContain("No order has");
  const after = await readOrder(orders.sold);
  expect(before.customerUrl).toEqual(expect.any(String));
  expect(after).toMatchObject({ customer: {}, metadata: {}, customerUrl: null });
  expect(after.customer).toEqual({});
  expect(after.delivery).toEqual({ ...before.delivery, fields: [] });
  const { customer: _c, metadata: _m, delivery: _d, customerUrl: _u, ...rest } = before;
  expect(after).toMatchObject(rest);
  expect(await events()).toEqual(eventsBefore);
  expect(await merchant(`/sessions/${after.sessionId}`)).toMatchObject({
    customer: {},
    returnUrl: null,
  });
  expect(await line.runJson("ledger", "check")).toMatchObject({ ok: true });
});

test("the log of an erasure names the operator and the orders, and not the person", async () => {
  const [row] = await line
    .runJson<{ action: string; person: string; after: object }[]>(
      ...["payouts", "log", "--limit", "1000"],
    )
    .then((rows) => rows.filter(({ action }) => action === "erase_customer"));
  expect(row).toMatchObject({ subject: world.shop.clientId, account: expect.any(String) });
  expect(JSON.stringify(row)).toContain(String(orders.sold));
  expect(await findInTables(world.database, words)).toEqual([]);
});

test("to erase a customer again changes nothing and logs nothing", async () => {
  const count = async () => found((await raw("select count(*) as n from control_log"))[0]);
  const before = await count();
  const again = await line.runJson("customers", "erase", ...customer());
  expect(again).toMatchObject({ sessions: 0, wallets: 0, erasedOrders: [] });
  expect(await count()).toEqual(before);
});

test("what the law keeps is exported for an authority until its time is over", async () => {
  expect(JSON.stringify(await exported("--locked"))).toContain(CANARY.iban);
  expect(await eraseOldOrders(world.database, 1_000, 1_826)).toBe(0);
  await raw("update installation set clock_offset = interval '1825 days'");
  expect(await eraseOldOrders(world.database, 1_000, 1_826)).toBe(0);
  await raw("update installation set clock_offset = interval '1827 days'");
  expect(await eraseOldOrders(world.database, 1_000, 1_826)).toBe(3);
  expect(await exported("--locked")).toEqual({ sessions: [], wallets: [] });
  expect(await readOrder(orders.sold)).toMatchObject({ customer: {}, status: "completed" });
});
