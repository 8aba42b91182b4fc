import { ENDPOINTS, type OrderData, type SandboxClock } from "@exchange/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { advanceClockAsOperator } from "../../flows/advance-clock.ts";
import { buildHttpServer } from "../../http/server.ts";
import { type JobWorker, startJobs } from "../../jobs/worker.ts";
import { randomIds } from "../../secrets/random-ids.ts";
import { makeSyncedClock } from "../../start/business-clock.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { clearOldKeys } from "../../storage/retention.ts";
import {
  BITCOIN_ADDRESS,
  type Browser,
  browserWith,
  byTransfer,
  type Ok,
  openBrowser,
  placeOrder,
  takeQuote,
} from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  GENEROUS,
  type HttpWorld,
  makeHttpWorld,
} from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeSandbox } from "../sandbox.ts";

let world: HttpWorld;
let jobs: JobWorker;

// Each test moves a clock of its own.
beforeEach(async () => {
  const clock = makeSyncedClock(() => performance.now());
  const syncClock = async () => clock.sync(await readBusinessNow(database()));
  world = await makeHttpWorld({ deps: { clock, syncClock } });
  jobs = startJobs(world.deps);
});
afterEach(async () => {
  await jobs.stop();
  await world.close();
});

const database = (): Database => world.database;

const advance = <Body = Ok<SandboxClock>>(advanceSeconds: unknown) =>
  world.call<Body>({
    method: "POST",
    url: "/v1/sandbox/clock",
    headers: world.shop.headers,
    payload: { advanceSeconds },
  });

async function untilStatus(browser: Browser, orderId: number, status: string): Promise<OrderData> {
  for (;;) {
    const { body } = await browser<Ok<OrderData>>(`/orders/${orderId}`);
    if (body.data.status === status) return body.data;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("an unpaid order expires after 31 minutes in a moment, and its token goes on reading it", async () => {
  const browser = await openBrowser(world, { expiresIn: 20 * 60 });
  const { orderId, createdAt } = await placeOrder(world, browser);
  const reply = await advance(31 * 60);
  expect(reply.status).toBe(200);
  expect(faultsOf(ENDPOINTS.advanceSandboxClock, reply.body)).toEqual([]);
  expect(reply.body.data.aheadSeconds).toBe(1860);
  expect(reply.body.data.businessTime - createdAt).toBeGreaterThanOrEqual(1860);
  const order = await untilStatus(browser, orderId, "expired");
  expect(order.statusReason).toBe("payment_timeout");
  expect(order.updatedAt - order.createdAt).toBeGreaterThanOrEqual(1860);
});

test("an order whose window is still open stays as it is", async () => {
  const browser = await openBrowser(world);
  const early = await placeOrder(world, browser);
  await advance(15 * 60);
  const second = await openBrowser(world);
  const late = await placeOrder(world, second);
  await advance(16 * 60);
  await untilStatus(browser, early.orderId, "expired");
  await untilStatus(second, late.orderId, "awaiting_payment");
  const paying = await second<Ok<OrderData>>(`/orders/${late.orderId}/cancel`, { method: "POST" });
  expect(paying.body.data.status).toBe("cancelled");
});

test("a quote expires with it at once", async () => {
  const browser = await openBrowser(world);
  const { quoteId } = await takeQuote(world, browser);
  await advance(31);
  const payload = { quoteId, walletAddress: BITCOIN_ADDRESS };
  const reply = await browser("/orders", { payload });
  expect([reply.status, reply.body.code]).toEqual([409, "QUOTE_EXPIRED"]);
});

test("it never goes back, nor further than dates can tell", async () => {
  for (const seconds of [-1, 0, 1.5, "60", 31_536_001]) {
    const reply = await advance<ErrorReply>(seconds);
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  }
  for (let year = 1; year <= 100; year += 1) {
    expect((await advance(31_536_000)).body.data.aheadSeconds).toBe(year * 31_536_000);
  }
  expect((await advance<ErrorReply>(1)).body.code).toBe("INVALID_INPUT");
});

test("where the operator keeps the clock, no merchant moves it", async () => {
  const sandbox = makeSandbox({
    database: world.database,
    books: world.database,
    ids: randomIds,
    publicUrl: world.deps.publicUrl,
    clockMover: "operator",
    network: () => undefined,
  });
  const settings = { version: "0.0.0", rateLimits: GENEROUS };
  const app = buildHttpServer(world.deps, settings, sandbox.registerRoutes);
  const token = await world.token();
  const { orderId } = await placeOrder(world, browserWith(world, token));
  const before = await readBusinessNow(world.database);
  const post = (url: string, payload: object) =>
    app.inject({ method: "POST", url, headers: world.shop.headers, payload });
  const clock = await post("/v1/sandbox/clock", { advanceSeconds: 31_536_000 });
  expect([clock.statusCode, clock.json()]).toMatchObject([404, { code: "NOT_FOUND" }]);
  const expired = await post(`/v1/sandbox/orders/${orderId}/advance`, { status: "expired" });
  expect([expired.statusCode, expired.json()]).toMatchObject([
    409,
    {
      code: "INVALID_ORDER_STATE",
      message: expect.stringContaining("The operator moves the clock"),
    },
  ]);
  const late = await app.inject({
    method: "POST",
    url: `/v1/checkout/orders/${orderId}/simulate_payment`,
    headers: { authorization: `Bearer ${token}` },
    payload: { payment: "late" },
  });
  expect([late.statusCode, late.json()]).toMatchObject([404, { code: "NOT_FOUND" }]);
  const movedMs = (await readBusinessNow(world.database)).getTime() - before.getTime();
  expect(movedMs).toBeLessThan(60_000);
  await app.close();
});

test("the operator moves the clock, and the log names the person", async () => {
  const command = { seconds: 3_600, by: operatorNamed("anna") };
  expect(await advanceClockAsOperator(world.deps, command)).toMatchObject({ aheadSeconds: 3_600 });
  expect(await listControlChanges(world.database, { limit: 1 })).toMatchObject([
    { person: "anna", action: "advance_clock", after: { aheadSeconds: 3_600 } },
  ]);
});

test("a repeated jump of two days is one jump, and frees no Idempotency-Key", async () => {
  const jump = () =>
    world.call<Ok<SandboxClock>>({
      method: "POST",
      url: "/v1/sandbox/clock",
      headers: { ...world.shop.headers, "idempotency-key": "jump" },
      payload: { advanceSeconds: 172_800 },
    });
  const first = await jump();
  await clearOldKeys(world.database, 1_000);
  const again = await jump();
  expect([again.text, again.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
  expect((await advance(1)).body.data.aheadSeconds).toBe(172_801);
});

test("in prod there is no such endpoint", async () => {
  const prod = await makeHttpWorld({ deps: { environment: "prod" } });
  const { headers } = prod.shop;
  const payload = { advanceSeconds: 60 };
  const url = "/v1/sandbox/clock";
  const reply = await prod.call({ method: "POST", url, headers, payload });
  expect([reply.status, reply.body["code"]]).toEqual([404, "NOT_FOUND"]);
  await prod.close();
});

test("the checkout simulates a payment after the window, which moves the clock", async () => {
  const simulate = await byTransfer(world);
  const late = await simulate("late");
  expect(late.body.data).toMatchObject({ status: "in_review", statusReason: "late_payment" });
  expect(late.body.data.payment.deposits).toHaveLength(1);
});
