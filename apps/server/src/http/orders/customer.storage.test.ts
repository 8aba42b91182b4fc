import { randomUUID } from "node:crypto";
import { ENDPOINTS, type OrderData } from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BITCOIN_ADDRESS,
  type Browser,
  browserWith,
  type Ok,
  openBrowser,
  takeQuote,
} from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
  type Reply,
} from "../../testing/http-world.ts";
import { cardPayment } from "../../testing/orders.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

/** Opens a session with the merchant's word about the customer. */
const opened = (customer?: Readonly<Record<string, string>>): Promise<Browser> =>
  openBrowser(world, customer ? { customer } : {});

async function place<Body = Ok<OrderData>>(
  browser: Browser,
  customer?: Readonly<Record<string, string>>,
): Promise<Reply<Body>> {
  const { quoteId } = await takeQuote(world, browser);
  const payload = { quoteId, walletAddress: BITCOIN_ADDRESS, ...(customer ? { customer } : {}) };
  return browser<Body>("/orders", { payload });
}

const read = async (orderId: number): Promise<OrderData> => {
  const { headers } = world.shop;
  const reply = await world.call<Ok<OrderData>>({ url: `/v1/orders/${orderId}`, headers });
  expect(faultsOf(ENDPOINTS.readOrder, reply.body)).toEqual([]);
  return reply.body.data;
};

const CARD = cardPayment();

const payFrom = <Body = Ok<OrderData>>(
  browser: Browser,
  orderId: number,
  address: Readonly<Record<string, string>> = {},
) =>
  browser<Body>(`/orders/${orderId}/payments`, {
    payload: {
      ...CARD,
      billingAddress: { ...CARD.billingAddress, ...address },
      frequency: "one_time",
    },
  });

test("the browser cannot rename the customer", async () => {
  const customer = { firstName: "Ivan", lastName: "Sanctioned", countryCode: "DE" };
  const browser = await opened(customer);
  const placed = await place(browser, { lastName: "Smith", email: "ivan@example.com" });
  expect(placed.status).toBe(201);
  const { orderId } = placed.body.data;
  expect((await read(orderId)).customer).toEqual({ ...customer, email: "ivan@example.com" });
  const paid = await payFrom(browser, orderId);
  expect(paid.body.data).toMatchObject({ status: "in_review", statusReason: "compliance" });
});

test("the browser fills the gaps that the merchant left", async () => {
  const customer = { firstName: "Ada", lastName: "Lovelace", countryCode: "de" };
  const placed = await place(await opened(), customer);
  expect((await read(placed.body.data.orderId)).customer).toEqual({
    ...customer,
    countryCode: "DE",
  });
});

test.each(["ZZ", "KP", "kp", "XX"])("a customer in %s is refused", async (countryCode) => {
  const reply = await place<ErrorReply>(await opened(), { countryCode });
  expect(reply.status).toBe(400);
  expect(["INVALID_COUNTRY", "PAYMENT_METHOD_UNAVAILABLE"]).toContain(reply.body.code);
});

test("the country rule applies to the customer that a newer token names", async () => {
  const sessionId = randomUUID();
  const tokenFor = (countryCode: string) => world.token({ sessionId, customer: { countryCode } });
  const { quoteId } = await takeQuote(world, browserWith(world, await tokenFor("DE")));
  const browser = browserWith(world, await tokenFor("KP"));
  const payload = { quoteId, walletAddress: BITCOIN_ADDRESS };
  const reply = await browser("/orders", { payload });
  expect([reply.status, reply.body.code]).toEqual([400, "PAYMENT_METHOD_UNAVAILABLE"]);
});

test("the merchant's metadata and customer do not reach the browser", async () => {
  const metadata = { note: "CANARY-METADATA" };
  const customer = { reference: "CANARY-REFERENCE", email: "canary@example.com" };
  const browser = await openBrowser(world, { metadata, customer });
  const placed = await place(browser);
  const { orderId } = placed.body.data;
  const again = await browser(`/orders/${orderId}`);
  const cancelled = await browser(`/orders/${orderId}/cancel`, { method: "POST" });
  for (const { text } of [placed, again, cancelled]) {
    expect(text).not.toContain("CANARY");
    expect(text).not.toContain("canary@");
  }
  expect(faultsOf(ENDPOINTS.placeOrder, placed.body)).toEqual([]);
  expect(await read(orderId)).toMatchObject({ metadata, customer });
});

test("neither the browser nor the merchant reads of screening", async () => {
  const browser = await opened({ lastName: "Sanctioned" });
  const placed = await place(browser);
  const { orderId } = placed.body.data;
  const paid = await payFrom(browser, orderId);
  const { headers } = world.shop;
  const merchants = await world.call({ url: `/v1/orders/${orderId}`, headers });
  const sessions = await world.call({
    url: `/v1/sessions/${placed.body.data.sessionId}`,
    headers,
  });
  for (const { text } of [paid, merchants, sessions]) {
    expect(text).toContain("compliance");
    expect(text).not.toMatch(/screen/i);
  }
});

describe("contract (g): a billing address", () => {
  test.each([
    ["in Hong Kong without a postal code", { postalCode: "", countryCode: "HK" }, 201],
    ["in lower case", { postalCode: " ", countryCode: "ae" }, 201],
    ["in Germany without a postal code", { postalCode: "" }, 400],
    ["in no country", { countryCode: "XX" }, 400],
  ])("%s", async (_what, change, status) => {
    const browser = await opened();
    const { orderId } = (await place(browser)).body.data;
    const reply = await payFrom<ErrorReply>(browser, orderId, change);
    expect(reply.status).toBe(status);
    if (status === 400) {
      const isCountry = "countryCode" in change;
      expect(reply.body.code).toBe(isCountry ? "INVALID_COUNTRY" : "INVALID_INPUT");
      const member = isCountry ? "countryCode" : "postalCode";
      expect(reply.body.details?.[0]?.path).toBe(`body.billingAddress.${member}`);
    }
  });
});
