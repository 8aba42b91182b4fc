import {
  createExchange,
  type Exchange,
  ExchangeError,
  toUnits,
  WebhookError,
  webhooks,
} from "@exchange/node";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import {
  addWebhook,
  createMerchant,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  type BuyChoice,
  buyChoice,
  CARDS,
  customerWith,
  orderWithStatus,
  type PlacedOrder,
  payByCard,
  placeOrder,
  takeQuote,
} from "../support/orders/purchase.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
let merchant: Merchant;
let exchange: Exchange;
let choice: BuyChoice;
let receiver: Receiver;
let secret: string;
beforeAll(async () => {
  merchant = await createMerchant(service);
  const { apiKey, clientId } = merchant;
  exchange = createExchange({ baseUrl: service.url, apiKey, clientId });
  choice = await buyChoice(service, merchant);
  receiver = await startReceiver();
  ({ secret } = await addWebhook(service, merchant, receiver));
});
afterAll(() => receiver.close());

/** An order whose token the library made. */
async function order(): Promise<PlacedOrder> {
  const sessionId = newSessionId();
  const lock = { operationType: "B", baseCurrency: "cad", baseAmount: 100 } as const;
  const token = await exchange.publicTokens.create({ sessionId, lock });
  const customer = customerWith(service, sessionId, token.accessToken);
  const placed = await placeOrder(customer, (await takeQuote(customer, choice)).quoteId);
  return { customer, orderId: placed.body.data.orderId };
}

async function buy(): Promise<{ readonly sessionId: string; readonly orderId: number }> {
  const { customer, orderId } = await order();
  await payByCard(customer, orderId, CARDS.visa);
  await orderWithStatus(customer, orderId, "completed");
  return { sessionId: customer.sessionId, orderId };
}

test("a sale: token, verified webhooks, and their order", async () => {
  const { sessionId, orderId } = await buy();
  const received = await vi.waitUntil(
    () => {
      const ours = receiver.received.filter(({ body }) => body.includes(`"orderId":${orderId},`));
      // A webhook that was answered late is delivered again.
      const ids = ours.map(({ headers }) => headers["x-webhook-id"]);
      const firsts = ours.filter((_, at) => ids.indexOf(ids[at]) === at);
      return firsts.length >= 2 ? firsts : undefined;
    },
    { timeout: 60_000 },
  );
  const events = received.map(({ body, headers }) =>
    webhooks.verify({ body, headers, secret, scheme: "both" }),
  );
  expect(events.map(({ eventType }) => eventType)).toEqual(["OrderCreated", "OrderFulfillment"]);
  expect(events).toMatchObject(Array(2).fill({ sessionId, isTest: false, isBodyProven: true }));
  for (const { body, headers } of received) {
    const forged = body.replace('"totalPrice":100', '"totalPrice":1');
    expect(() => webhooks.constructEvent(forged, headers, secret)).toThrow(WebhookError);
    expect(webhooks.constructEvent(body, headers, secret).sessionId).toBe(sessionId);
  }

  const sold = await exchange.orders.read(orderId);
  const { details } = events[1] ?? {};
  expect(sold).toMatchObject({ ...details, sessionId, fulfilled: true, status: "completed" });
  expect((await exchange.sessions.read(sessionId)).order).toEqual(sold);
  const refused = await exchange.orders.cancel(orderId).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "INVALID_ORDER_STATE", status: 409, retryable: false });
});

test("an order that is not paid is cancelled once, and one in the sandbox is brought on", async () => {
  const { orderId } = await order();
  const cancelled = await exchange.orders.cancel(orderId, { idempotencyKey: `end-${orderId}` });
  expect(cancelled).toMatchObject({ status: "cancelled", statusReason: "merchant_cancelled" });
  const again = await exchange.orders.cancel(orderId, { idempotencyKey: `end-${orderId}` });
  expect(again).toEqual(cancelled);

  const other = await order();
  const { timeline } = await exchange.sandbox.advanceOrder(other.orderId, { status: "processing" });
  expect(timeline.map(({ status }) => status)).toContain("processing");
  // It goes on by itself, and its last event would come into the lists of another test.
  await orderWithStatus(other.customer, other.orderId, "completed");
});

test("lists and events are read to their end, page by page", async () => {
  const sold = [await buy(), await buy()];
  const listed: number[] = [];
  for await (const { orderId } of exchange.orders.list({ limit: 1, status: "completed" })) {
    listed.push(orderId);
  }
  expect(listed.slice(0, 2)).toEqual(sold.map(({ orderId }) => orderId).reverse());
  const one = exchange.orders.list({ sessionId: sold[0]?.sessionId });
  expect(await one.toArray(5)).toMatchObject([{ orderId: sold[0]?.orderId }]);

  const sequences: number[] = [];
  for await (const { sequence } of exchange.events.list({ limit: 1 })) sequences.push(sequence);
  expect(sequences).toEqual(sequences.map((_, at) => at + 1));
  expect(sequences.length).toBeGreaterThanOrEqual(4);
  const rest = exchange.events.list({ after: sequences.length - 1 });
  expect(await rest.toArray(5)).toMatchObject([{ sequence: sequences.length }]);
});

test("what can be bought, within which limits, and for how much", async () => {
  const where = { operationType: "B", countryCode: "CA" } as const;
  const { fiatCurrencies, cryptoCurrencies } = await exchange.currencies.list(where);
  const base = fiatCurrencies.find(({ code }) => code === "CAD");
  const target = cryptoCurrencies.find(({ reference }) => reference === choice.target.reference);
  const methods = await exchange.paymentMethods.list({ ...where, includeDeliveryMethods: true });
  expect(methods.find(({ reference }) => reference === "card")?.deliveryMethods).toBeDefined();
  const countries = await exchange.countries.list();
  expect(countries.find(({ code }) => code === "CA")?.operationTypes).toContain("B");

  const [baseCurrencyId = 0, targetCurrencyId = 0] = [base?.id, target?.id];
  const paymentMethodId = choice.card.id;
  const pair = { operationType: "B", baseCurrencyId, targetCurrencyId, paymentMethodId } as const;
  const limits = await exchange.limits.read(pair);
  const quote = await exchange.quotes.create({ ...pair, baseAmount: 123.45 });
  const { min, max, currencyCode } = limits;
  expect(quote.limits).toEqual({ min, max, currencyCode });
  const decimals = target?.decimals ?? 0;
  const fees = quote.fees.map(({ amount }) => toUnits(amount, decimals));
  const fee = toUnits(quote.transactionFee.amount, decimals);
  expect(fees.reduce((sum, units) => sum + units, 0n)).toBe(fee);

  const tooMuch = await exchange.quotes
    .create({ ...pair, baseAmount: max + 1 })
    .catch((error: unknown) => error);
  expect(tooMuch).toMatchObject({ code: "AMOUNT_ABOVE_MAXIMUM", details: [{ max, currencyCode }] });
});

test("an endpoint is registered, tried and rotated, and what goes wrong on purpose is refused", async () => {
  const own = await startReceiver();
  const endpoint = await exchange.webhookEndpoints.create({ url: own.url });
  /** Has a webhook sent that tries the endpoint; gives what arrived. */
  const tried = async () => {
    const { id } = await exchange.webhookEndpoints.test(endpoint.id);
    return vi.waitUntil(() => own.received.find(({ headers }) => headers["x-webhook-id"] === id), {
      timeout: 60_000,
    });
  };
  const first = { ...(await tried()), secret: endpoint.secret };
  expect(webhooks.verify({ ...first, scheme: "both" })).toMatchObject({ isTest: true, attempt: 1 });

  const { secret: next } = await exchange.webhookEndpoints.rotateSecret(endpoint.id);
  const second = await tried();
  for (const one of [endpoint.secret, next]) {
    expect(webhooks.constructEvent(second.body, second.headers, one).isTest).toBe(true);
  }
  const both = { ...second, secret: [next, endpoint.secret], scheme: "both" } as const;
  expect(webhooks.verify(both).isBodyProven).toBe(true);

  for (const [fault, reason] of [
    ["corrupt_body", "signature_mismatch"],
    ["corrupt_signature", "signature_mismatch"],
    ["stale_timestamp", "timestamp_too_old"],
  ] as const) {
    await exchange.sandbox.plantWebhookFault({ fault, endpointId: endpoint.id });
    const { body, headers } = await tried();
    const receive = () => webhooks.constructEvent(body, headers, [next, endpoint.secret]);
    expect(receive).toThrow(expect.objectContaining({ reason }));
  }
  const deliveries = await exchange.webhookDeliveries.list({ endpointId: endpoint.id }).toArray(10);
  expect(deliveries).toHaveLength(5);
  await exchange.webhookEndpoints.remove(endpoint.id);
  await own.close();
});

test("a wallet is checked, kept, found and forgotten", async () => {
  const address = { walletAddress: BITCOIN_ADDRESS, currencyCode: "BTC" };
  expect(await exchange.wallets.lookUp(address)).toMatchObject({ success: true, wallet: null });
  const user = { firstName: "Ada", lastName: "Lovelace" };
  const wallet = await exchange.wallets.save({ ...address, user });
  expect(await exchange.wallets.read(wallet.id)).toEqual(wallet);
  expect(await exchange.wallets.list().toArray(10)).toEqual([wallet]);
  expect(await exchange.wallets.remove(wallet.id)).toBeUndefined();
  await expect(exchange.wallets.read(wallet.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a key does a thing once, and another thing not at all", async () => {
  const [request, idempotencyKey] = [{ sessionId: newSessionId() }, newSessionId()];
  const first = await exchange.publicTokens.create(request, { idempotencyKey });
  expect(await exchange.publicTokens.create(request, { idempotencyKey })).toEqual(first);
  const other = { ...request, expiresIn: 60 };
  await expect(exchange.publicTokens.create(other, { idempotencyKey })).rejects.toMatchObject({
    code: "IDEMPOTENCY_CONFLICT",
    idempotencyKey,
  });
});

test("a wrong key is one error, with a request to ask for and no word of the key", async () => {
  const apiKey = `${merchant.apiKey.slice(0, -4)}AAAA`;
  const stranger = createExchange({ ...merchant, baseUrl: service.url, apiKey });
  const error = await stranger.orders
    .list()
    .firstPage()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExchangeError);
  expect(error).toMatchObject({ code: "UNAUTHORIZED", status: 401, attempts: 1 });
  expect((error as ExchangeError).requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.stringify(error)).not.toContain(apiKey.slice(-20));
});
