import { ENDPOINTS, type SandboxDeposit } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobWorker, startJobs } from "../../jobs/worker.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { byTransfer, type Ok, openBrowser, placeOrder } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
} from "../../testing/http-world.ts";
import { playOrder } from "../../testing/sandbox-play.ts";
import { type Row, sandboxRows } from "../../testing/sandbox-table.ts";
import { advanceOrder } from "../world/advance-order.ts";
import { sandboxWorld } from "../world/world.ts";

let world: HttpWorld;
let jobs: JobWorker;
beforeAll(async () => {
  world = await makeHttpWorld();
  jobs = startJobs(world.deps);
});
afterAll(async () => {
  await jobs.stop();
  await world.close();
});

const plainRow: Row = { ...found(sandboxRows()[0]), requestMembers: [], steps: [], from: "" };
const order = (name: string) => playOrder(world, { ...plainRow, order: name });

const post = <Body = Ok<SandboxDeposit>>(url: string, payload: object, headers = {}) =>
  world.call<Body>({
    method: "POST",
    url: `/v1/sandbox${url}`,
    headers: { ...world.shop.headers, ...headers },
    payload,
  });
const deposit = <Body = Ok<SandboxDeposit>>(payload: object, headers = {}) =>
  post<Body>("/deposits", payload, headers);
const refused = async (payload: object) => {
  const { status, body } = await deposit<ErrorReply>(payload);
  return [status, body.code];
};

test("a deposit answers as documented, and the order has seen it by then", async () => {
  const placed = await order("sell");
  const reply = await deposit({ orderId: placed.id, confirmations: 3 });
  expect(reply.status).toBe(201);
  expect(faultsOf(ENDPOINTS.paySandboxDeposit, reply.body)).toEqual([]);
  expect(reply.body.data).toMatchObject({
    orderId: placed.id,
    amount: 0.1,
    currencyCode: "ETH",
    currencyReference: "eth",
    state: "in_block",
    confirmations: 3,
  });
  const { payment, status } = await placed.read();
  expect(status).toBe("payment_pending");
  expect(payment.deposits).toMatchObject([{ amount: 0.1, status: "seen", confirmations: 3 }]);
});

test("confirmations given in turn make it final, and the order completes", async () => {
  const placed = await order("sell");
  const { depositId } = (await deposit({ orderId: placed.id, confirmations: 0 })).body.data;
  expect((await placed.read()).status).toBe("awaiting_payment");
  const more = await deposit({ orderId: placed.id, depositId, confirmations: 11 });
  expect(more.body.data).toMatchObject({ depositId, confirmations: 11 });
  expect((await placed.read()).status).toBe("payment_pending");
  const last = await deposit({ orderId: placed.id, depositId });
  expect(last.body.data).toMatchObject({ state: "in_block", confirmations: 12 });
  await placed.until(({ status }) => status === "completed");
});

test("an orphaned deposit comes back under the same id, and counts once", async () => {
  const placed = await order("swap");
  const paid = (await deposit({ orderId: placed.id, confirmations: 1 })).body.data;
  const { depositId, transactionHash } = paid;
  const gone = await deposit({ orderId: placed.id, depositId, state: "orphaned" });
  expect(gone.body.data).toMatchObject({ state: "orphaned", confirmations: 0, transactionHash });
  expect(await placed.read()).toMatchObject({
    status: "awaiting_payment",
    statusReason: "chain_reorg",
  });
  await deposit({ orderId: placed.id, depositId });
  const done = await placed.until(({ status }) => status === "completed");
  expect(done.payment.deposits).toHaveLength(1);
});

test("a deposit with an idempotency key is paid once", async () => {
  const placed = await order("buy by transfer");
  const headers = { "idempotency-key": `pay-${placed.id}` };
  const payload = { orderId: placed.id, amount: 30 };
  const first = await deposit(payload, headers);
  const second = await deposit(payload, headers);
  expect(second.text).toBe(first.text);
  expect((await placed.read()).payment.deposits).toHaveLength(1);
});

test("what cannot be sent is refused, and nothing is paid", async () => {
  const [coins, bank, card] = [
    await order("sell"),
    await order("buy by transfer"),
    await order("buy by card"),
  ];
  const orderId = coins.id;
  expect(await refused({ orderId: card.id })).toEqual([409, "INVALID_ORDER_STATE"]);
  expect(await refused({ orderId: 5 })).toEqual([404, "NOT_FOUND"]);
  expect(await refused({ orderId, amount: 0 })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, amount: -1 })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, amount: "0.1" })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, confirmations: 1.5 })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, confirmations: -1 })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, currency: "nope" })).toEqual([400, "CURRENCY_NOT_FOUND"]);
  expect(await refused({ orderId, currency: "btc", amount: 1 })).toEqual([400, "NETWORK_MISMATCH"]);
  expect(await refused({ orderId, currency: "eur", amount: 1 })).toEqual([400, "NETWORK_MISMATCH"]);
  expect(await refused({ orderId, currency: "usdt" })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, state: "orphaned" })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, extra: 1 })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId: bank.id, amount: 0.001 })).toEqual([400, "AMOUNT_PRECISION"]);
  const paid = [(await coins.read()).payment.deposits, (await bank.read()).payment.deposits];
  expect(paid).toEqual([[], []]);
});

test("a deposit is moved on by its own order only, and by what its rail can do", async () => {
  const [mine, other] = [await order("buy by transfer"), await order("buy by transfer")];
  const orderId = mine.id;
  const { depositId } = (await deposit({ orderId, confirmations: 0 })).body.data;
  expect(await refused({ orderId: other.id, depositId })).toEqual([404, "NOT_FOUND"]);
  expect(await refused({ orderId, depositId: crypto.randomUUID() })).toEqual([404, "NOT_FOUND"]);
  expect(await refused({ orderId, depositId: "x" })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, depositId, amount: 5 })).toEqual([400, "INVALID_INPUT"]);
  expect(await refused({ orderId, depositId, state: "orphaned" })).toEqual([400, "INVALID_INPUT"]);
  const both = { orderId, depositId, state: "rejected", confirmations: 1 };
  expect(await refused(both)).toEqual([400, "INVALID_INPUT"]);
  expect((await deposit({ orderId, depositId })).body.data.state).toBe("settled");
  expect(await refused({ orderId, depositId, state: "rejected" })).toEqual([
    409,
    "INVALID_ORDER_STATE",
  ]);
});

test("another merchant's order can neither be paid nor advanced", async () => {
  const placed = await order("sell");
  const stranger = await world.addShop();
  for (const [url, payload] of [
    ["/deposits", { orderId: placed.id }],
    [`/orders/${placed.id}/advance`, { status: "cancelled" }],
  ] as const) {
    const reply = await post<ErrorReply>(url, payload, stranger.headers);
    expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
  }
  expect((await placed.read()).status).toBe("awaiting_payment");
});

test("advance answers as documented", async () => {
  const placed = await order("transfer");
  const reply = await placed.advance("processing");
  expect(faultsOf(ENDPOINTS.advanceSandboxOrder, reply.body)).toEqual([]);
  expect(reply.body.data.timeline.map(({ status }) => status)).toContain("processing");
  await placed.until(({ status }) => status === "completed");
});

test("a status the order had before is reached anew, with the usual reason", async () => {
  const placed = await order("buy by card");
  await placed.advance("payment_pending");
  const reply = await placed.advance("awaiting_payment");
  expect(reply.body.data).toMatchObject({
    status: "awaiting_payment",
    statusReason: "three_ds_failed",
  });
});

test("an order that goes on by itself is followed step by step, and no step is taken back", async () => {
  const placed = await order("buy by card");
  expect((await placed.advance("processing")).status).toBe(200);
  await placed.until(({ status }) => status === "completed");
  for (const status of ["sending", "completed"]) {
    const reply = await placed.advance(status);
    expect([reply.status, reply.body.data.status]).toEqual([200, "completed"]);
    expect(faultsOf(ENDPOINTS.advanceSandboxOrder, reply.body)).toEqual([]);
  }
  for (const status of ["processing", "sending", "completed"]) {
    expect((await placed.advance(status)).status).toBe(409);
  }
});

test("a step is reached only with the reason that the call names", async () => {
  const placed = await order("buy by card");
  await placed.advance("payment_pending");
  await placed.advance("awaiting_payment", "card_declined");
  await placed.advance("processing");
  await placed.until(({ status }) => status === "completed");
  expect((await placed.advance("sending", "provider_error")).status).toBe(409);
  expect((await placed.advance("sending")).status).toBe(200);
});

test("of two calls at once the later step is remembered", async () => {
  const placed = await order("buy by card");
  await placed.advance("processing");
  await placed.until(({ status }) => status === "completed");
  const [, later] = await Promise.all([placed.advance("sending"), placed.advance("completed")]);
  expect(later.status).toBe(200);
  expect((await placed.advance("sending")).status).toBe(409);
});

test("an order that nobody advanced is followed from where it is", async () => {
  const placed = await order("buy by card");
  await placed.do({ kind: "card", number: "4000 0000 0000 3030" });
  await placed.until(({ status }) => status === "completed");
  for (const status of ["payment_pending", "processing", "sending", "completed"]) {
    expect((await placed.advance(status)).status).toBe(409);
  }
});

test("an order whose payout was released is not held, and the refusal does not offer it", async () => {
  const requestMembers = [["payout.accountHolder", "Slow Settlement"]] as const;
  const placed = await playOrder(world, { ...plainRow, order: "transfer", requestMembers });
  await placed.advance("processing");
  const released = statement(
    "test_released",
    "select 1 from payout_intents where order_id = $1 and released_at is not null",
  );
  await expect.poll(() => world.database.query(released, [placed.id])).toHaveLength(1);
  const url = `/orders/${placed.id}/advance`;
  const reply = await post<ErrorReply>(url, {
    status: "in_review",
    statusReason: "limit_exceeded",
  });
  expect([reply.status, reply.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  expect(reply.body.message).toContain("in_review (delivery_rejected)");
  expect(reply.body.message).not.toContain("provider_error");
});

test("a rejected payout is sent anew when the order is released, and settles", async () => {
  const requestMembers = [["payout.accountHolder", "Slow Settlement"]] as const;
  const placed = await playOrder(world, { ...plainRow, order: "transfer", requestMembers });
  await placed.advance("processing");
  await placed.until(({ status }) => status === "sending");
  expect((await placed.advance("in_review")).body.data.statusReason).toBe("delivery_rejected");
  expect((await placed.advance("sending")).status).toBe(200);
  expect((await placed.advance("completed")).body.data).toMatchObject({
    status: "completed",
    fulfilled: true,
  });
});

test("money that was held too short is completed by advance, and nothing is paid twice", async () => {
  const placed = await order("buy by transfer");
  await placed.advance("in_review", "underpaid");
  await placed.advance("processing");
  const done = await placed.until(({ status }) => status === "completed");
  expect(done.payment.deposits.map(({ amount }) => amount)).toEqual([50, 50]);
  expect(done.payment.received).toBe(100);
  expect(done.refunds).toEqual([]);
});

test("a status that cannot follow is refused by naming those that can", async () => {
  const placed = await order("buy by card");
  const url = `/orders/${placed.id}/advance`;
  const jump = await post<ErrorReply>(url, { status: "completed" });
  expect([jump.status, jump.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  for (const status of ["payment_pending", "in_review", "processing", "expired", "cancelled"]) {
    expect(jump.body.message).toContain(status);
  }
  expect(jump.body.message).not.toContain("underpaid");
  const reason = await post<ErrorReply>(url, { status: "in_review", statusReason: "underpaid" });
  expect([reason.status, reason.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  await placed.advance("cancelled");
  const ended = await post<ErrorReply>(url, { status: "processing" });
  expect(ended.body.message).toContain("It has no next status.");
});

test("an order that holds money is not offered an expiry or a cancellation, and the clock stays", async () => {
  for (const [kind, reason] of [
    ["buy by transfer", "underpaid"],
    ["swap", "wrong_asset"],
  ] as const) {
    for (const released of [false, true]) {
      const placed = await order(kind);
      await placed.advance("in_review", reason);
      if (released) await placed.advance("awaiting_payment");
      const before = await readBusinessNow(world.database);
      for (const status of ["expired", "cancelled"]) {
        const refused = await post<ErrorReply>(`/orders/${placed.id}/advance`, { status });
        expect([refused.status, refused.body.code], `${kind} ${status}`).toEqual([
          409,
          "INVALID_ORDER_STATE",
        ]);
        expect(refused.body.message).not.toMatch(/can become: .*(expired|cancelled|late_payment)/);
      }
      const movedMs = (await readBusinessNow(world.database)).getTime() - before.getTime();
      expect(movedMs).toBeLessThan(60_000);
    }
  }
});

test("an order whose card was charged for a part is offered a refund alone", async () => {
  const placed = await order("buy by card");
  await placed.do({ kind: "card", number: "4000 0000 0000 3063" });
  await placed.until(({ status }) => status === "in_review");
  const url = `/orders/${placed.id}/advance`;
  const refused = await post<ErrorReply>(url, { status: "awaiting_payment" });
  expect([refused.status, refused.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  expect(refused.body.message).toMatch(/can become: refund_pending\.$/);
  expect((await placed.advance("refund_pending")).status).toBe(200);
});

test("an order that is held with a payment on its way is released to that payment, and not cancelled", async () => {
  const placed = await order("sell");
  await placed.advance("payment_pending");
  await placed.advance("in_review", "provider_error");
  const url = `/orders/${placed.id}/advance`;
  const refused = await post<ErrorReply>(url, { status: "cancelled" });
  expect(refused.body.message).toMatch(/can become: payment_pending\.$/);
  const released = await placed.advance("payment_pending");
  expect([released.status, released.body.data.payment.deposits.length]).toEqual([200, 1]);
});

test("words that are not a status are invalid input", async () => {
  const placed = await order("buy by card");
  const url = `/orders/${placed.id}/advance`;
  for (const body of [
    {},
    { status: "done" },
    { status: "in_review", statusReason: "why" },
    { status: ["in_review"] },
    { status: "in_review", by: "me" },
  ]) {
    const reply = await post<ErrorReply>(url, body);
    expect([reply.status, reply.body.code], JSON.stringify(body)).toEqual([400, "INVALID_INPUT"]);
  }
});

test("advance writes nothing that the engine has not decided", async () => {
  const placed = await order("sell");
  await placed.advance("in_review", "underpaid");
  const done = await placed.advance("refund_pending");
  expect(done.status).toBe(200);
  const order_ = await placed.until(({ status }) => status === "refunded");
  const [row] = await world.database.query<{ deposits: number; booked: number }>(
    statement(
      "test_booked",
      `select (select count(*)::int from deposits where order_id = $1) as deposits,
         (select count(*)::int from ledger_entries where order_id = $1) as booked`,
    ),
    [order_.orderId],
  );
  expect(row?.deposits).toBe(1);
  expect(row?.booked).toBeGreaterThanOrEqual(3);
});

test("in prod there are no such endpoints", async () => {
  const prod = await makeHttpWorld({ deps: { environment: "prod" } });
  for (const url of ["/v1/sandbox/deposits", "/v1/sandbox/orders/1/advance"]) {
    const reply = await prod.call({ method: "POST", url, headers: prod.shop.headers, payload: {} });
    expect([reply.status, reply.body["code"]]).toEqual([404, "NOT_FOUND"]);
  }
  await prod.close();
});

test("an order that does not follow is refused in time, with its status", async () => {
  const stalled = await makeHttpWorld();
  const placed = await playOrder(stalled, { ...plainRow, order: "sell" });
  // Nobody works on its jobs here.
  const command = {
    merchantId: stalled.shop.clientId,
    orderId: BigInt(placed.id),
    target: { status: "processing" },
    patienceMs: 200,
  } as const;
  await expect(
    advanceOrder(
      { ...stalled.deps, world: sandboxWorld(stalled.database), clockMover: "merchants" },
      command,
    ),
  ).rejects.toMatchObject({
    code: "INVALID_ORDER_STATE",
    message: expect.stringContaining("It is awaiting_payment") as string,
  });
  expect((await placed.read()).status).toBe("awaiting_payment");
  await stalled.close();
});

test("the checkout simulates its payment with the session's own token", async () => {
  const exact = await (await byTransfer(world))("exact");
  expect(exact.status).toBe(200);
  expect(faultsOf(ENDPOINTS.simulatePayment, exact.body)).toEqual([]);
  expect(exact.body.data.payment).toMatchObject({ received: 100, deposits: [{ amount: 100 }] });
  const pay = await byTransfer(world);
  expect((await pay("less")).body.data).toMatchObject({
    status: "in_review",
    statusReason: "underpaid",
    payment: { received: 50 },
  });
  expect((await pay("exact")).body.data.payment.received).toBe(100);
  expect((await (await byTransfer(world))("more")).body.data.statusReason).toBe("overpaid");
});

test("an order that is paid by card has no transfer to simulate, and another session none of it", async () => {
  const browser = await openBrowser(world);
  const { orderId } = await placeOrder(world, browser);
  const payload = { payment: "exact" };
  const card = await browser(`/orders/${orderId}/simulate_payment`, { payload });
  expect([card.status, card.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  const stranger = await openBrowser(world);
  const other = await stranger(`/orders/${orderId}/simulate_payment`, { payload });
  expect([other.status, other.body.code]).toEqual([404, "NOT_FOUND"]);
});

test("a late payment is refused before it moves the clock, unless the order can still expire", async () => {
  const browser = await openBrowser(world);
  const { orderId } = await placeOrder(world, browser);
  const before = await readBusinessNow(world.database);
  const payload = { payment: "late" };
  const card = await browser(`/orders/${orderId}/simulate_payment`, { payload });
  expect([card.status, card.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  const pay = await byTransfer(world);
  await pay("more");
  const paid = await pay("late");
  expect(paid.status).toBe(409);
  const movedMs = (await readBusinessNow(world.database)).getTime() - before.getTime();
  expect(movedMs).toBeLessThan(60_000);
});
