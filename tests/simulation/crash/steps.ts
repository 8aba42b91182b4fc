import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckoutSession, OrderData } from "@exchange/contract";
import { createToken, merchantCall } from "../../support/orders/merchant.ts";
import {
  type Customer,
  customerWith,
  type Ok,
  placeOrder,
  readOrder,
} from "../../support/orders/purchase.ts";
import { sql } from "../books.ts";
import type { Lane } from "./lane.ts";

/** On a busy machine a journey takes a while. */
const WAIT_MS = 60_000;
const POLL_MS = 100;
const BESIDES_SECONDS = 86_400;

/** One session of one customer in a lane. */
export interface Scene {
  readonly lane: Lane;
  readonly customer: Customer;
}

/** The exchange of an order, by the catalogue's references. */
export interface Wish {
  readonly operationType: "B" | "S" | "CC" | "FF";
  readonly base: string;
  readonly amount: number;
  readonly target: string;
  readonly payment: string;
  readonly delivery?: string;
  readonly order: Readonly<Record<string, unknown>>;
}

const idOf = async (lane: Lane, table: string, reference: string): Promise<number> => {
  const [row] = await lane.database.query<{ id: number }>(
    sql(`select id from ${table} where reference = $1`),
    [reference],
  );
  if (!row) throw new Error(`the catalogue lacks ${reference}`);
  return row.id;
};

const companions = new Map<string, Scene>();

/** Returns the scene of a second customer, the same one after each crash: a session with an order gets no token. */
export async function besides({ lane, customer }: Scene): Promise<Scene> {
  const found = companions.get(customer.sessionId);
  if (found) return found;
  // The first session's id is looked for in the webhooks, so this one must not contain it.
  const sessionId = createHash("sha256").update(customer.sessionId).digest("hex");
  const created = await createToken(lane.service, lane.merchant, {
    sessionId,
    expiresIn: BESIDES_SECONDS,
    customer: { countryCode: "DE" },
  });
  const { accessToken } = created.body.data;
  const scene = { lane, customer: customerWith(lane.service, sessionId, accessToken) };
  companions.set(customer.sessionId, scene);
  return scene;
}

/** Opens the popup's session: returns its order, or places one when there is none. */
export async function ordered({ lane, customer }: Scene, wish: Wish): Promise<OrderData> {
  const session = await customer.call<Ok<CheckoutSession>>({ path: "/v1/checkout/session" });
  const { orderId } = session.body.data;
  if (orderId) return (await readOrder(customer, orderId)).body.data;
  const quote = await customer.call<Ok<{ quoteId: string }>>({
    method: "POST",
    path: "/v1/checkout/quotes",
    body: {
      operationType: wish.operationType,
      baseCurrencyId: await idOf(lane, "currencies", wish.base),
      baseAmount: wish.amount,
      targetCurrencyId: await idOf(lane, "currencies", wish.target),
      paymentMethodId: await idOf(lane, "payment_methods", wish.payment),
      ...(wish.delivery === undefined
        ? {}
        : { deliveryMethodId: await idOf(lane, "delivery_methods", wish.delivery) }),
    },
  });
  if (quote.status !== 200) throw new Error(`no quote: ${quote.text}`);
  const placed = await placeOrder(customer, quote.body.data.quoteId, wish.order);
  if (placed.status !== 201) throw new Error(`no order: ${placed.text}`);
  return placed.body.data;
}

/** Waits until the order is as wished; gives the order. */
export async function untilOrder(
  { customer }: Scene,
  orderId: number,
  done: (order: OrderData) => boolean,
): Promise<OrderData> {
  const untilMs = performance.now() + WAIT_MS;
  for (;;) {
    const { status, text, body } = await readOrder(customer, orderId);
    // A busy service may refuse a reading, which is then repeated.
    if (status !== 503 && done(body.data)) return body.data;
    if (performance.now() > untilMs) throw new Error(`order ${orderId} stays as it is: ${text}`);
    await sleep(POLL_MS);
  }
}

const BOUND =
  sql(`select from payout_intents intent join chain_send_outputs output on output.intent_id = intent.id
  where intent.order_id = $1`);

/** Waits until the order's payout has had a place on its chain. */
export async function untilBound({ lane }: Scene, orderId: number): Promise<void> {
  const untilMs = performance.now() + WAIT_MS;
  while ((await lane.database.query(BOUND, [orderId])).length === 0) {
    if (performance.now() > untilMs) throw new Error(`order ${orderId} was never bound`);
    await sleep(POLL_MS);
  }
}

const FILLING = sql(`select from chain_sends
  where purpose = 'cancel' and state in ('bound', 'signed', 'sent')`);

/** Waits until every place that is being filled is final. */
export async function untilFilled({ lane }: Scene): Promise<void> {
  const untilMs = performance.now() + WAIT_MS;
  while ((await lane.database.query(FILLING)).length > 0) {
    if (performance.now() > untilMs) throw new Error("a place was never filled");
    await sleep(POLL_MS);
  }
}

export const untilStatus = (
  scene: Scene,
  { orderId }: OrderData,
  status: OrderData["status"],
): Promise<OrderData> => untilOrder(scene, orderId, (order) => order.status === status);

// The payer's bank or wallet writes the sandbox's books, not ours. A payment has its own id, so that a
// payer who repeats it after a crash does not pay twice.
const SEND_MONEY = `insert into sandbox.bank_transfers (id, reference, asset_reference, units, settles_at)
  select md5(due.order_id::text)::uuid, due.reference, currency.reference,
    trunc(due.units * $2 / 100), business_now()
  from payment_instructions due join currencies currency on currency.id = due.asset_id
  where due.order_id = $1 and due.rail = 'bank' on conflict do nothing`;
const SEND_COINS = `insert into sandbox.chain_deposits (id, network_code, address, memo,
    asset_reference, units, transaction_hash, confirmations, blocks)
  select md5(due.order_id::text)::uuid, due.network_code, due.address, due.memo,
    currency.reference, trunc(due.units * $2 / 100), md5(due.order_id::text), 1000, 1
  from payment_instructions due join currencies currency on currency.id = due.asset_id
  where due.order_id = $1 and due.rail = 'chain' on conflict do nothing`;
const LOOK_NOW = `update jobs set run_at = business_now()
  where order_id = $1 and kind = 'watch_payment' and lease_token is null`;

/** Reads the payment instructions and sends a part of the amount, in percent. */
export async function sendMoney(scene: Scene, order: OrderData, percent = 100): Promise<void> {
  const { lane, customer } = scene;
  const { orderId } = order;
  if (order.payment.instructions === null) {
    const type =
      order.operationType === "S" || order.operationType === "CC" ? "crypto" : "bank_transfer";
    const answer = await customer.call({
      method: "POST",
      path: `/v1/checkout/orders/${orderId}/payments`,
      body: { type },
    });
    if (answer.status >= 300) throw new Error(`no instructions: ${answer.text}`);
  }
  for (const text of [SEND_MONEY, SEND_COINS]) {
    await lane.database.query(sql(text), [orderId, percent]);
  }
  await lane.database.query(sql(LOOK_NOW), [orderId]);
}

/** Refunds the order as its merchant does. Repeated after a crash, it may be refunded already. */
export async function refunded(scene: Scene, order: OrderData): Promise<OrderData> {
  const { lane } = scene;
  if (order.status === "in_review") {
    await merchantCall(lane.service, lane.merchant, {
      method: "POST",
      path: `/v1/orders/${order.orderId}/refunds`,
      body: {},
    });
  }
  return untilStatus(scene, order, "refunded");
}

const END_WINDOW = `update orders set payment_expires_at = business_now(), version = version + 1
  where id = $1 and status = 'awaiting_payment'`;
const EXPIRE_NOW = `update jobs set run_at = business_now()
  where order_id = $1 and kind = 'expire_order' and lease_token is null`;

/** Ends the time to pay, and runs the job that expires the order. */
export async function endPaymentWindow({ lane }: Scene, { orderId }: OrderData): Promise<void> {
  for (const text of [END_WINDOW, EXPIRE_NOW]) await lane.database.query(sql(text), [orderId]);
}

/** Carries out the operator's decision about an order in review. */
export const operatorDecides = (
  { lane }: Scene,
  order: OrderData,
  decision: "release" | "refund",
): Promise<void> =>
  lane.front().decide(decision, { merchantId: lane.merchant.clientId, orderId: order.orderId });
