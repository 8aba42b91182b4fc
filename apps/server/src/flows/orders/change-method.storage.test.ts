import { ENDPOINTS, type OrderData, type QuoteData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobWorker, startJobs } from "../../jobs/worker.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import {
  BITCOIN_ADDRESS,
  type Browser,
  type Ok,
  openBrowser,
  placeOrder,
  wantedExchange,
} from "../../testing/checkout-browser.ts";
import { faultsOf, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { cardPayment } from "../../testing/orders.ts";
import { payByCard } from "../payments/pay-by-card.ts";

let world: HttpWorld;
let jobs: JobWorker;
beforeAll(async () => {
  world = await makeHttpWorld();
  jobs = startJobs(world.deps);
});
afterAll(async () => {
  await jobs.stop();
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const DECLINED = "4000000000000002";
const CHALLENGED = "4000000000002503";

interface Placed {
  readonly browser: Browser;
  readonly orderId: number;
  read(): Promise<OrderData>;
  until(done: (order: OrderData) => boolean): Promise<OrderData>;
  post<Body = Ok<OrderData>>(path: string, payload?: object): ReturnType<typeof browserCall<Body>>;
}

const browserCall = <Body>(browser: Browser, path: string, payload: object) =>
  browser<Body>(path, { payload });

/** An order for bitcoin that is paid by card, after one payment with this card. */
async function paidWith(number: string, session: object = {}): Promise<Placed> {
  const browser = await openBrowser(world, { customer: { countryCode: "DE" }, ...session });
  const { orderId } = await placeOrder(world, browser);
  const read = async () => (await browser<Ok<OrderData>>(`/orders/${orderId}`)).body.data;
  const placed: Placed = {
    browser,
    orderId,
    read,
    async until(done) {
      for (;;) {
        const order = await read();
        if (done(order)) return order;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    post: (path, payload = {}) => browserCall(browser, `/orders/${orderId}${path}`, payload),
  };
  await placed.post("/payments", { ...cardPayment(number), frequency: "one_time" });
  return placed;
}

const isDeclined = ({ payment }: OrderData): boolean => payment.outcome === "declined";
const offersOf = async (placed: Placed) =>
  (await placed.post<Ok<QuoteData[]>>("/method_offers")).body.data;
const sepaOf = (offers: readonly QuoteData[]): QuoteData =>
  found(offers.find(({ paymentMethod }) => paymentMethod.reference === "sepa"));

test("an order whose card was refused is paid by transfer, at the offer's price, within its session", async () => {
  const placed = await paidWith(DECLINED);
  const declined = await placed.until(isDeclined);
  const reply = await placed.post<Ok<QuoteData[]>>("/method_offers");
  expect(faultsOf(ENDPOINTS.offerMethods, reply.body)).toEqual([]);
  const offers = reply.body.data;
  expect(offers.some(({ paymentMethod }) => paymentMethod.reference === "card")).toBe(false);
  const offer = sepaOf(offers);
  expect(offer).toMatchObject({ time: { minDays: 0, maxDays: 2 } });
  const changed = await placed.post("/change_method", { quoteId: offer.quoteId });
  expect(faultsOf(ENDPOINTS.changeMethod, changed.body)).toEqual([]);
  expect(changed.body.data).toMatchObject({
    orderId: placed.orderId,
    status: "awaiting_payment",
    quote: { quoteId: offer.quoteId, receive: offer.receive, spend: declined.quote.spend },
    payment: { type: "bank_transfer", outcome: "pending", received: 0 },
  });
  const { payment } = changed.body.data;
  expect(payment.expiresAt - declined.payment.expiresAt).toBeGreaterThan(2 * 86_400);
  await placed.post("/payments", { type: "bank_transfer" });
  await placed.post("/simulate_payment", { payment: "exact" });
  const done = await placed.until(({ status }) => status === "completed");
  expect(done.exchangeDetails.amountToSend).toBe(offer.receive.amount);
  expect(done.timeline.map(({ note }) => note)).toContain(
    "the customer pays by SEPA bank transfer instead",
  );
});

const LAST_EVENT = statement(
  "test_last_event",
  `select event_type as type, payload::jsonb -> 'details' as details from events
   where order_id = $1 order by sequence desc limit 1`,
);

test("the shop is told of the new method and of the amount that it sends", async () => {
  const placed = await paidWith(DECLINED);
  await placed.until(isDeclined);
  const { quoteId, receive } = sepaOf(await offersOf(placed));
  expect((await placed.post("/change_method", { quoteId })).status).toBe(200);
  const [event] = await world.database.query(LAST_EVENT, [placed.orderId]);
  expect(event).toMatchObject({
    type: "OrderUpdated",
    details: {
      status: "awaiting_payment",
      paymentMethod: "SEPA bank transfer",
      exchangeDetails: { amountToSend: receive.amount },
    },
  });
});

test("an offer that promises more coins than we have is refused, and may be taken once we have them", async () => {
  const placed = await paidWith(DECLINED);
  await placed.until(isDeclined);
  const { receiveAssetId } = found(await findOrder(world.database, BigInt(placed.orderId)));
  const run = (text: string) => world.database.transaction((tx) => tx.runScript(text));
  await run(
    `insert into treasury_limits (asset_id, floor_units, set_by) values (${receiveAssetId}, 0, 'test')`,
  );
  const { quoteId } = sepaOf(await offersOf(placed));
  const short = await placed.post<{ code: string }>("/change_method", { quoteId });
  await run(`delete from treasury_limits where asset_id = ${receiveAssetId}`);
  expect([short.status, short.body.code]).toEqual([503, "LIQUIDITY_UNAVAILABLE"]);
  expect((await placed.post("/change_method", { quoteId })).status).toBe(200);
});

test("of many answers one counts, and a card is not charged for an order that became a transfer", async () => {
  const placed = await paidWith(DECLINED);
  await placed.until(isDeclined);
  const [one, other] = [sepaOf(await offersOf(placed)), sepaOf(await offersOf(placed))];
  const ids = [one.quoteId, other.quoteId, one.quoteId, other.quoteId];
  const replies = await Promise.all(
    ids.map((quoteId) => placed.post("/change_method", { quoteId })),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const card = await placed.post<{ code: string }>("/payments", {
    type: "card",
    card: {
      number: "4000000000002701",
      expiryMonth: 12,
      expiryYear: 2040,
      cvv: "123",
      holderName: "A",
    },
    billingAddress: { line1: "1", city: "B", postalCode: "1", countryCode: "DE" },
    frequency: "one_time",
  });
  expect([card.status, card.body.code]).toEqual([400, "INVALID_INPUT"]);
});

test("a card that was being stored when the order became a transfer is not charged", async () => {
  const placed = await paidWith(DECLINED);
  await placed.until(isDeclined);
  const orderId = BigInt(placed.orderId);
  const order = found(await findOrder(world.database, orderId));
  const { merchantId, sessionId } = order;
  const { quoteId } = sepaOf(await offersOf(placed));
  expect((await placed.post("/change_method", { quoteId })).status).toBe(200);
  const card = {
    ...{ number: "4000000000002701", expiryMonth: 12, expiryYear: 2040 },
    ...{ cvv: "123", holderName: "Ada Lovelace" },
  };
  const payment = { type: "card", card, billingAddress: {} } as const;
  await expect(
    payByCard(world.deps, { merchantId, sessionId, orderId, order, payment }),
  ).rejects.toMatchObject({
    code: "INVALID_ORDER_STATE",
  });
});

test("a session that is locked to its method is offered no other", async () => {
  const placed = await paidWith(DECLINED, { lock: { paymentMethod: "card" } });
  await placed.until(isDeclined);
  expect(await offersOf(placed)).toEqual([]);
});

test("a transfer that the country of the order does not have is not offered, whatever the session and the merchant have", async () => {
  const usd = found(world.deps.catalogue().currencyByCodeOrReference("usd")).id;
  const ach = found(world.deps.catalogue().paymentMethodByReference("ach")).id;
  const wanted = { ...wantedExchange(world), baseCurrencyId: usd };
  const waysFor = async (countryCode: string) => {
    const browser = await openBrowser(world, { customer: {} });
    const orderWith = async (exchange: object) => {
      const quote = await browser<Ok<QuoteData>>("/quotes", { payload: exchange });
      return browser<Ok<OrderData> & { code: string }>("/orders", {
        payload: {
          ...{ quoteId: quote.body.data.quoteId, walletAddress: BITCOIN_ADDRESS },
          customer: { countryCode },
        },
      });
    };
    if (countryCode === "DE") {
      const direct = await orderWith({ ...wanted, paymentMethodId: ach });
      expect(direct.body.code).toBe("PAYMENT_METHOD_UNAVAILABLE");
    }
    const { orderId } = (await orderWith(wanted)).body.data;
    await browser(`/orders/${orderId}/payments`, {
      payload: { ...cardPayment(DECLINED), frequency: "one_time" },
    });
    await expect
      .poll(async () => (await browser<Ok<OrderData>>(`/orders/${orderId}`)).body.data)
      .toMatchObject({ payment: { outcome: "declined" } });
    const offers = await browser<Ok<QuoteData[]>>(`/orders/${orderId}/method_offers`, {
      method: "POST",
    });
    return offers.body.data.map(({ paymentMethod }) => paymentMethod.reference);
  };
  expect(await waysFor("DE")).not.toContain("ach");
  expect(await waysFor("US")).toContain("ach");
});

test("nothing is offered before a card was refused, while one is under way, or to another session", async () => {
  const browser = await openBrowser(world);
  const { orderId } = await placeOrder(world, browser);
  const early = await browser(`/orders/${orderId}/method_offers`, { method: "POST" });
  expect([early.status, early.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  const challengedOrder = await paidWith(CHALLENGED);
  await challengedOrder.until(({ payment }) => payment.attempt?.status === "challenge");
  const busy = await challengedOrder.post<{ code: string }>("/method_offers");
  expect([busy.status, busy.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  const placed = await paidWith(DECLINED);
  await placed.until(isDeclined);
  const { quoteId } = sepaOf(await offersOf(placed));
  const stranger = await browser(`/orders/${placed.orderId}/change_method`, {
    payload: { quoteId },
  });
  expect([stranger.status, stranger.body.code]).toEqual([404, "NOT_FOUND"]);
  const foreign = await challengedOrder.post<{ code: string }>("/change_method", { quoteId });
  expect([foreign.status, foreign.body.code]).toEqual([404, "NOT_FOUND"]);
});

test("the database refuses another way to pay without a quote that was used for it", async () => {
  const placed = await paidWith(DECLINED);
  await placed.until(isDeclined);
  const sepa = found(world.deps.catalogue().paymentMethodByReference("sepa")).id;
  const forged = world.database.query(
    {
      name: "forge_method",
      text: "update orders set payment_method_id = $1, version = version + 1 where id = $2",
    },
    [sepa, placed.orderId],
  );
  await expect(forged).rejects.toThrow("what an order promises cannot be changed");
});
