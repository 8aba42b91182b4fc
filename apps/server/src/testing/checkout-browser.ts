import type { OrderData, QuoteData } from "@exchange/contract";
import type { InjectOptions } from "fastify";
import type { ErrorReply, HttpWorld, Reply } from "./http-world.ts";

/** A Bitcoin address with a valid checksum. */
export const BITCOIN_ADDRESS = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

export interface Ok<Data> {
  readonly success: boolean;
  readonly code: string;
  readonly data: Data;
}

/** Calls the checkout's endpoints as the popup does, with one token. A payload makes it a POST. */
export type Browser = <Body = ErrorReply>(
  url: string,
  options?: InjectOptions,
) => Promise<Reply<Body>>;

export const browserWith =
  (world: HttpWorld, token: string): Browser =>
  (url, options = {}) =>
    world.call({
      ...options,
      method: options.payload ? "POST" : (options.method ?? "GET"),
      url: `/v1/checkout${url}`,
      headers: { authorization: `Bearer ${token}`, ...options.headers },
    });

/** Opens a session and returns its browser. */
export const openBrowser = async (
  world: HttpWorld,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Browser> => browserWith(world, await world.token(body));

/** The exchange that the tests order: bitcoin for 100 euro, by card. */
export function wantedExchange(world: HttpWorld): Record<string, unknown> {
  const catalogue = world.deps.catalogue();
  return {
    operationType: "B",
    baseCurrencyId: catalogue.currencyByCodeOrReference("eur")?.id,
    baseAmount: 100,
    targetCurrencyId: catalogue.currencyByCodeOrReference("btc")?.id,
    paymentMethodId: catalogue.paymentMethodByReference("card")?.id,
  };
}

export async function takeQuote(world: HttpWorld, call: Browser): Promise<QuoteData> {
  const reply = await call<Ok<QuoteData>>("/quotes", { payload: wantedExchange(world) });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.data;
}

export async function placeOrder(world: HttpWorld, call: Browser): Promise<OrderData> {
  const { quoteId } = await takeQuote(world, call);
  const payload = { quoteId, walletAddress: BITCOIN_ADDRESS };
  const reply = await call<Ok<OrderData>>("/orders", { payload });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.data;
}

/** Places an order that is paid by transfer. Returns the call with which its checkout simulates a payment. */
export async function byTransfer(world: HttpWorld) {
  const call = await openBrowser(world, { customer: { countryCode: "DE" } });
  const sepa = world.deps.catalogue().paymentMethodByReference("sepa")?.id;
  const wanted = { ...wantedExchange(world), paymentMethodId: sepa };
  const quote = await call<Ok<QuoteData>>("/quotes", { payload: wanted });
  const payload = { quoteId: quote.body.data.quoteId, walletAddress: BITCOIN_ADDRESS };
  const { orderId } = (await call<Ok<OrderData>>("/orders", { payload })).body.data;
  await call(`/orders/${orderId}/payments`, { payload: { type: "bank_transfer" } });
  return (payment: string) =>
    call<Ok<OrderData>>(`/orders/${orderId}/simulate_payment`, { payload: { payment } });
}
