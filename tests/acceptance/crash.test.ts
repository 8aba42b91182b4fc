import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { CheckoutSession, OrderData } from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchangeJson } from "../support/command-line.ts";
import { queryDatabase } from "../support/database.ts";
import {
  addWebhook,
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/merchant.ts";
import { eventually } from "../support/processes.ts";
import {
  type BuyChoice,
  buyChoice,
  CARDS,
  type Customer,
  customerWith,
  type Ok,
  orderWithStatus,
  payByCard,
  placeOrder,
  readOrder,
  takeQuote,
} from "../support/purchase.ts";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import { ROOT, type StartedService, startService } from "../support/service.ts";

/** Every place where the service offers to be killed, read from its own list. */
const FAILPOINTS = [
  ...readFileSync(path.join(ROOT, "apps/server/src/failpoints.ts"), "utf8").matchAll(
    /^ {2}"([a-z_]+\.[a-z_]+)",$/gm,
  ),
].map(([, name = ""]) => name);

let service: StartedService;
let merchant: Merchant;
let choice: BuyChoice;
let receiver: Receiver;

const restart = (env: NodeJS.ProcessEnv = {}): Promise<StartedService> =>
  startService({
    dataDir: service.dataDir,
    env: { ...service.env, EXCHANGE_FAILPOINT: "", ...env },
  });

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
  merchant = await createMerchant(service);
  await addWebhook(service, merchant, receiver);
  choice = await buyChoice(service, merchant);
  await service.stop();
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
  await rm(service.dataDir, { recursive: true, force: true });
});

/** Buys as far as the service lives; what a killed service leaves unanswered is no fault here. */
async function buyUntilKilled(customer: Customer): Promise<void> {
  try {
    const { quoteId } = await takeQuote(customer, choice);
    const placed = await placeOrder(customer, quoteId);
    await payByCard(customer, placed.body.data.orderId, CARDS.visa);
  } catch {
    // The connection broke: that is the crash the test is about.
  }
}

const killed = (running: StartedService): Promise<number | string> =>
  eventually("the service is killed at its failpoint", async () => {
    const isUp = await fetch(`${running.url}/healthz`).then(
      () => true,
      () => false,
    );
    return isUp ? undefined : running.process.exited;
  });

/** What the popup does when it opens again: looks where the session stands and goes on from there. */
async function finish(customer: Customer): Promise<OrderData> {
  const session = await customer.call<Ok<CheckoutSession>>({ path: "/v1/checkout/session" });
  const orderId =
    session.body.data.orderId ??
    (await placeOrder(customer, (await takeQuote(customer, choice)).quoteId)).body.data.orderId;
  const order = (await readOrder(customer, orderId)).body.data;
  if (order.status === "awaiting_payment") {
    expect((await payByCard(customer, orderId, CARDS.visa)).status).toBe(201);
  }
  return orderWithStatus(customer, orderId, "completed");
}

const deliveriesOf = (sessionId: string): Received[] =>
  receiver.received.filter(({ body }) => body.includes(sessionId));

const COUNTS = `
  select (select count(*) from orders where session_id = $2)::int as orders,
    (select count(*) from sandbox.card_captures c join payment_attempts a on c.reference = a.id::text
      where a.order_id = $1)::int as captures,
    (select count(*) from sandbox.chain_transactions t join payout_intents p
      on t.intent_id = p.id::text where p.order_id = $1)::int as payouts`;

test("the service offers failpoints", () => {
  expect(FAILPOINTS.length).toBeGreaterThanOrEqual(15);
});

describe.each(FAILPOINTS)("killed at %s", (failpoint) => {
  test("the order ends right: one capture, one payout, both webhooks, a balanced ledger", async () => {
    service = await restart({ EXCHANGE_FAILPOINT: failpoint });
    const sessionId = newSessionId();
    const created = await createToken(service, merchant, { sessionId, expiresIn: 86_400 });
    const token = created.body.data.accessToken;
    await buyUntilKilled(customerWith(service, sessionId, token));
    await killed(service);

    service = await restart();
    const order = await finish(customerWith(service, sessionId, token));
    expect(order.fulfilled).toBe(true);
    const types = await eventually("both webhooks", () => {
      const seen = deliveriesOf(sessionId).map(({ body }) => JSON.parse(body).eventType as string);
      return seen.includes("OrderCreated") && seen.includes("OrderFulfillment") ? seen : undefined;
    });
    expect(new Set(types)).toEqual(new Set(["OrderCreated", "OrderFulfillment"]));
    const ids = deliveriesOf(sessionId).map(({ headers }) => headers["x-webhook-id"]);
    expect(new Set(ids).size).toBe(2);
    const [counts] = await queryDatabase(service, COUNTS, [order.orderId, sessionId]);
    expect(counts).toEqual({ orders: 1, captures: 1, payouts: 1 });
    expect(await exchangeJson(service, "ledger", "check")).toMatchObject({ ok: true });
    await service.stop();
  });
});
