import { Writable } from "node:stream";
import type { CheckoutSession, OrderData } from "@exchange/contract";
import { ENDPOINTS } from "@exchange/contract";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Mailer } from "../domain/ports/mailer.ts";
import { mailAddressDigest } from "../flows/customers/personal-data.ts";
import {
  REQUESTS_OF_ORDER_MAX,
  REQUESTS_TO_ADDRESS_MAX,
  requestMails,
} from "../flows/mails/request.ts";
import { type JobWorker, startJobs } from "../jobs/worker.ts";
import { logOptions } from "../start/log.ts";
import { countOfWindow } from "../storage/limits/rate-windows.ts";
import { claimMails } from "../storage/mails/claim.ts";
import { clearOldMails, putReceiptAside } from "../storage/mails/mails.ts";
import { unnamedStatement } from "../storage/postgres/database.ts";
import { type Browser, browserWith, type Ok, placeOrder } from "../testing/checkout-browser.ts";
import { faultsOf, type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";
import { type MailServer, startMailServer } from "../testing/mail-server.ts";
import { makeMailRound } from "./mails.ts";

const ADA = "Ada@example.org";
const lines: string[] = [];
const write = (chunk: unknown, _encoding: string, done: () => void) => {
  lines.push(String(chunk));
  done();
};
const log = pino(logOptions("trace"), new Writable({ write }));

let world: HttpWorld;
let jobs: JobWorker;
let server: MailServer;
beforeAll(async () => {
  world = await makeHttpWorld({ deps: { log, offersMail: true } });
  jobs = startJobs(world.deps);
  server = await startMailServer();
});
afterAll(async () => {
  await jobs.stop();
  await server.close();
  await world.close();
});
beforeEach(async () => {
  server.received.length = 0;
  server.refuseWith = 0;
  await run("delete from mails");
  await run("delete from rate_windows");
});

const run = (text: string) => world.database.write(unnamedStatement(text));
const rows = () =>
  world.database.query<Record<string, unknown>>(
    unnamedStatement(`select kind, outcome, attempts, last_fault as fault, address is null as "isEmpty"
      from mails order by kind`),
  );
const { signal } = new AbortController();
const PER_HOUR = 1_000;
const send = (mailer: Mailer = server.mailer) =>
  makeMailRound(world.deps, { mailer, perHour: PER_HOUR })(signal);
/** Makes every mail due now. */
const retry = () => run("update mails set next_attempt_at = clock_timestamp()");

async function ordered() {
  const browser = browserWith(world, await world.token({ customer: { email: ADA } }));
  const order = await placeOrder(world, browser);
  return { order, browser };
}
const ask = (browser: Browser, order: OrderData, body: object = {}) =>
  browser(`/orders/${order.orderId}/mails`, {
    payload: { email: ADA, kinds: ["link"], language: "en", ...body },
  });
const keyOf = ({ orderId }: OrderData) => ({
  merchantId: world.shop.clientId,
  orderId: BigInt(orderId),
});
const merchant = (url: string, payload: object = {}) =>
  world.call({ method: "POST", url: `/v1${url}`, headers: world.shop.headers, payload });

test("the link goes to the address once, from the order's page too, and no log has either", async () => {
  const { order, browser } = await ordered();
  const page = browserWith(world, order.customerUrl?.split("/o/")[1] ?? "");
  for (const caller of [browser, page]) {
    const reply = await ask(caller, order);
    expect(reply.status).toBe(200);
    expect(faultsOf(ENDPOINTS.mailOrder, reply.body)).toEqual([]);
  }
  await ask(browser, order, { email: ADA.toUpperCase() });
  await Promise.all([send(), send()]);
  await retry();
  await send();
  expect(server.received).toHaveLength(1);
  const [mail] = server.received;
  expect(mail?.to).toEqual([ADA]);
  expect(mail?.text).toContain(order.customerUrl);
  expect(mail?.text).toMatch(/^Subject: Your order at Shop\r$/m);
  expect(mail?.text).toMatch(/^From: Example Pay <pay@example.com>\r$/m);
  // An id may have the same digits.
  expect(mail?.text).not.toMatch(new RegExp(`\\b${order.totalPrice}\\b`));
  expect(await rows()).toEqual([
    { kind: "link", outcome: "sent", attempts: 1, fault: null, isEmpty: true },
  ]);
  const secret = order.customerUrl?.split("/o/")[1] ?? "";
  expect(lines.filter((line) => line.includes(secret) || /ada@example/i.test(line))).toEqual([]);
});

test("a receipt waits for its order, and is dropped when the order is refused for good", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order, { kinds: ["receipt", "link"] });
  const failed = await ordered();
  await ask(failed.browser, failed.order, { kinds: ["receipt"] });
  await send();
  expect(server.received).toHaveLength(1);
  const advance = async ({ orderId }: OrderData, status: string) =>
    expect(await merchant(`/sandbox/orders/${orderId}/advance`, { status })).toMatchObject({
      status: 200,
    });
  await advance(order, "processing");
  await advance(failed.order, "failed");
  const read = () => browser<Ok<OrderData>>(`/orders/${order.orderId}`);
  await vi.waitFor(async () => expect((await read()).body.data.status).toBe("completed"), {
    timeout: 60_000,
  });
  await send();
  expect(server.received).toHaveLength(2);
  expect(server.received[1]?.text).toContain("Receipt for your order at Shop");
  expect(server.received[1]?.text).toContain(`Order number: ${order.orderId}`);
  expect(server.received[1]?.text).toContain("You paid: =E2=82=AC100.00");
  const outcomes = (await rows()).map(({ kind, outcome }) => [kind, outcome]);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ["link", "sent"],
      ["receipt", "sent"],
      ["receipt", "dropped"],
    ]),
  );
});

test("the receipt of a cancelled order is read once, and again after late money moved the order", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order, { kinds: ["receipt"] });
  const move = (set: string) =>
    run(`update orders set ${set}, version = version + 1 where id = ${order.orderId}`);
  await move("status = 'cancelled', status_reason = 'merchant_cancelled'");
  await send();
  const aside = () =>
    world.database.query<{ isAside: boolean }>(
      unnamedStatement(`select next_attempt_at = 'infinity' as "isAside" from mails`),
    );
  expect(await aside()).toEqual([{ isAside: true }]);
  expect((await claimMails(world.database, PER_HOUR)).customers).toEqual([]);
  await move("status = 'in_review', status_reason = 'late_payment', held_from = 'cancelled'");
  expect(await aside()).toEqual([{ isAside: false }]);
  await move("status = 'refund_pending', held_from = null");
  await move("status = 'refunded'");
  await send();
  expect(await rows()).toMatchObject([{ outcome: "dropped", isEmpty: true }]);
});

test("a receipt whose order moves between claim and attempt is not put aside", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order, { kinds: ["receipt"] });
  const [{ addressDigest } = { addressDigest: new Uint8Array() }] = await world.database.query<{
    addressDigest: Uint8Array;
  }>(unnamedStatement(`select address_digest as "addressDigest" from mails`));
  const key = { ...keyOf(order), kind: "receipt" as const, addressDigest };
  expect(await putReceiptAside(world.database, key)).toBe(0);
});

test("all workers together send no more mails in an hour than the limit, and the others wait", async () => {
  const orders = [await ordered(), await ordered(), await ordered()];
  for (const { browser, order } of orders) await ask(browser, order);
  const rounds = [1, 2].map(() => makeMailRound(world.deps, { mailer: server.mailer, perHour: 2 }));
  lines.length = 0;
  await Promise.all(rounds.map((round) => round(signal)));
  await retry();
  for (const round of rounds) await round(signal);
  await rounds[0]?.(signal);
  expect(server.received).toHaveLength(2);
  const warnings = lines.filter((line) => line.includes("EXCHANGE_MAILS_PER_HOUR"));
  expect(warnings).toHaveLength(2);
  const isHeldBack = async () => (await world.deps.metrics.mailsHeldBack.get()).values[0]?.value;
  expect(await isHeldBack()).toBe(1);
  await run("update rate_windows set ends_at = clock_timestamp()");
  await rounds[0]?.(signal);
  expect(server.received).toHaveLength(3);
  expect(await isHeldBack()).toBe(0);
});

test("an attempt that no server took does not use the limit up", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order);
  const round = makeMailRound(world.deps, { mailer: server.mailer, perHour: 2 });
  server.refuseWith = 451;
  for (const _attempt of [1, 2, 3]) {
    await retry();
    await round(signal);
  }
  server.refuseWith = 0;
  await retry();
  await round(signal);
  expect(server.received).toHaveLength(1);
});

test("a server that is away, is busy or refuses the login loses nothing", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order);
  const away = await startMailServer();
  await away.close();
  await send(away.mailer);
  const locked = await startMailServer({ user: "exchange", pass: "wrong" });
  await retry();
  await send(locked.mailer);
  await locked.close();
  server.refuseWith = 451;
  await retry();
  await send();
  expect(await rows()).toMatchObject([{ outcome: null, attempts: 3, fault: "server" }]);
  server.refuseWith = 0;
  await send();
  expect(server.received).toHaveLength(0);
  await retry();
  await send();
  expect(server.received).toHaveLength(1);
  expect(lines.join("")).toContain('"fault":"login"');
  expect(lines.join("")).toContain('"fault":"connect"');
});

test("an address that the server refuses for good gets no further attempt", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order);
  server.refuseWith = 550;
  await send();
  expect(await rows()).toMatchObject([{ outcome: "refused", attempts: 1, isEmpty: true }]);
});

test("a process that dies after the claim loses no mail, and two processes claim each once", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order);
  const claims = await Promise.all([1, 2].map(() => claimMails(world.database, PER_HOUR)));
  expect(claims.flatMap(({ customers }) => customers)).toHaveLength(1);
  await send();
  expect(server.received).toHaveLength(0);
  await retry();
  await send();
  expect(server.received).toHaveLength(1);
});

test("nothing is sent after the page was revoked or the customer was erased", async () => {
  const [revoked, erased] = [await ordered(), await ordered()];
  await ask(revoked.browser, revoked.order);
  await ask(erased.browser, erased.order);
  await merchant(`/orders/${revoked.order.orderId}/revoke_customer_url`);
  await run(`delete from data_keys k using orders o
    where o.id = ${erased.order.orderId} and k.row_key = o.session_id`);
  await send();
  expect(server.received).toHaveLength(0);
  expect((await rows()).map(({ outcome }) => outcome)).toEqual(["dropped", "dropped"]);
  expect((await ask(revoked.browser, revoked.order)).status).toBe(409);
});

test("requests that the limit of their order refuses use up nothing of an address", async () => {
  const { order, browser } = await ordered();
  await run(`insert into rate_windows (rate_limit, key, count, ends_at)
    values ('mails_of_order', '${order.orderId}', ${REQUESTS_OF_ORDER_MAX}, now() + interval '1 hour')`);
  const refused = await ask(browser, order, { email: "grace@example.org" });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3_500);
  const digest = mailAddressDigest(world.deps, "grace@example.org");
  const key = Buffer.from(digest).toString("base64url");
  expect(await countOfWindow(world.database, { limit: "mails_to_address", key })).toBe(0);
});

test("an order has a limit that it learns of, and an address has one that no answer shows", async () => {
  const first = await ordered();
  for (let count = 0; count < REQUESTS_OF_ORDER_MAX; count++) {
    expect((await ask(first.browser, first.order)).status).toBe(200);
  }
  const refused = await ask(first.browser, first.order);
  expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(86_000);
  const key = Buffer.from(mailAddressDigest(world.deps, ADA)).toString("base64url");
  await run(`update rate_windows set count = ${REQUESTS_TO_ADDRESS_MAX}
    where rate_limit = 'mails_to_address' and key = '${key}'`);
  const second = await ordered();
  expect((await ask(second.browser, second.order)).status).toBe(200);
  expect(await rows()).toHaveLength(1);
});

test.each([
  ["two addresses", { email: "a@example.org,b@example.org" }],
  ["a name", { email: "Ada <ada@example.org>" }],
  ["a header", { email: "a@example.org\r\nBcc: b@example.org" }],
  ["no kind", { kinds: [] }],
  ["another language", { language: "tlh" }],
])("%s is refused", async (_what, body) => {
  const { order, browser } = await ordered();
  expect((await ask(browser, order, body)).status).toBe(400);
});

test("another customer's order is not found, and without a mail server no mail is offered", async () => {
  const [mine, other] = [await ordered(), await ordered()];
  expect((await ask(mine.browser, other.order)).status).toBe(404);
  const read = (browser: Browser) => browser<Ok<CheckoutSession>>("/session");
  const page = browserWith(world, mine.order.customerUrl?.split("/o/")[1] ?? "");
  expect((await read(mine.browser)).body.data).toMatchObject({
    offersMail: true,
    customer: { email: ADA },
  });
  expect((await read(page)).body.data).toMatchObject({ offersMail: true, customer: {} });
  await expect(
    requestMails(
      { ...world.deps, offersMail: false },
      { ...keyOf(mine.order), email: ADA, kinds: ["link"], language: "en" },
    ),
  ).rejects.toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
});

test("mails are deleted 90 days after they ended", async () => {
  const { order, browser } = await ordered();
  await ask(browser, order);
  await send();
  expect(await clearOldMails(world.database, 10)).toBe(0);
  await run("update mails set ended_at = ended_at - interval '91 days'");
  expect(await clearOldMails(world.database, 10)).toBe(1);
});
