import { setTimeout as sleep } from "node:timers/promises";
import type { OrderData } from "@exchange/contract";
import type { Answer } from "../../support/http/api.ts";
import { createToken, type Merchant, newSessionId } from "../../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  type BuyChoice,
  CARDS,
  type Customer,
  customerWith,
  type Ok,
  payByCard,
  placeOrder,
  readOrder,
} from "../../support/orders/purchase.ts";
import type { Service } from "../../support/service/service.ts";

/** The record of one customer, outside the system: what was answered with 2xx. */
export interface Acknowledged {
  readonly customer: Customer;
  orderId?: number;
  isPaid?: boolean;
  status?: OrderData["status"];
}

/** The record of all customers. */
export interface Record {
  readonly orders: Acknowledged[];
  /** When the service acknowledged a write, in milliseconds. */
  readonly writesMs: number[];
  /** How often each other answer came, by status and code. */
  readonly refusals: Map<string, number>;
}

export const emptyRecord = (): Record => ({ orders: [], writesMs: [], refusals: new Map() });

export interface Shop {
  /** The API processes. A customer uses them in turn, as behind a balancer. */
  readonly apis: readonly Service[];
  readonly merchant: Merchant;
  readonly choice: BuyChoice;
}

const AGAIN_MS = 200;
/** A customer gives a step up after this time, for example because the order is lost. */
const PATIENCE_MS = 90_000;
const ENDS: readonly OrderData["status"][] = ["completed", "failed", "expired", "cancelled"];

/** Lets one customer after the other buy, until it is over. Each ends the order that it began. */
export async function buyOn(shop: Shop, record: Record, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      await buy(shop, record);
    } catch (error) {
      count(record, (error as Error).message);
    }
  }
}

async function buy(shop: Shop, record: Record): Promise<void> {
  const customer = await begin(shop, record);
  const own: Acknowledged = { customer };
  record.orders.push(own);
  await order(shop, record, own);
  await pay(shop, record, own);
  await waitForEnd(shop, record, own);
}

/** Opens a session. Each attempt has the same id, as a merchant's page would repeat it. */
async function begin(shop: Shop, record: Record): Promise<Customer> {
  const sessionId = newSessionId();
  const created = await repeat(shop, record, async (api) => {
    const answer = await createToken(api, shop.merchant, { sessionId });
    return noteWrite(record, answer, 201);
  });
  const [api] = shop.apis as [Service];
  return customerWith(api, sessionId, created.body.data.accessToken);
}

/** Places an order. After an unknown outcome the session says whether there is one. */
async function order(shop: Shop, record: Record, own: Acknowledged): Promise<void> {
  own.orderId = await repeat(shop, record, async (api) => {
    const customer = customerWith(api, own.customer.sessionId, own.customer.token);
    const session = await customer.call<Ok<{ orderId?: number | null }>>({
      path: "/v1/checkout/session",
    });
    if (session.status !== 200) return refused(record, session);
    if (session.body.data.orderId) return session.body.data.orderId;
    const quote = await customer.call<Ok<{ quoteId: string }>>(quoteRequest(shop.choice));
    if (quote.status !== 200) return refused(record, quote);
    const placed = await placeOrder(customer, quote.body.data.quoteId, {
      walletAddress: BITCOIN_ADDRESS,
    });
    return noteWrite(record, placed, 201)?.body.data.orderId;
  });
}

const quoteRequest = ({ base, target, card }: BuyChoice) => ({
  method: "POST",
  path: "/v1/checkout/quotes",
  body: {
    operationType: "B",
    baseCurrencyId: base.id,
    baseAmount: 100,
    targetCurrencyId: target.id,
    paymentMethodId: card.id,
  },
});

/** Pays by card. After an unknown outcome the order says whether it is paid. */
async function pay(shop: Shop, record: Record, own: Acknowledged): Promise<void> {
  const { sessionId, token } = own.customer;
  await repeat(shop, record, async (api) => {
    const customer = customerWith(api, sessionId, token);
    const found = await readOrder(customer, own.orderId ?? 0);
    if (found.status !== 200) return refused(record, found);
    if (found.body.data.status !== "awaiting_payment") return found;
    return noteWrite(record, await payByCard(customer, own.orderId ?? 0, CARDS.visa), 201);
  });
  own.isPaid = true;
}

async function waitForEnd(shop: Shop, record: Record, own: Acknowledged): Promise<void> {
  const { sessionId, token } = own.customer;
  await repeat(shop, record, async (api) => {
    const answer = await readOrder(customerWith(api, sessionId, token), own.orderId ?? 0);
    if (answer.status !== 200) return refused(record, answer);
    own.status = answer.body.data.status;
    return ENDS.includes(own.status) ? answer : undefined;
  });
}

/** Asks one process after the other until one returns a result. */
async function repeat<T>(
  { apis }: Shop,
  record: Record,
  ask: (api: Service) => Promise<T | undefined>,
): Promise<T> {
  const startMs = performance.now();
  for (let attempt = Math.floor(Math.random() * apis.length); ; attempt++) {
    const api = apis[attempt % apis.length] as Service;
    const result = await ask(api).catch((error: Error) => count(record, faultOf(error)));
    if (result !== undefined) return result;
    if (performance.now() - startMs > PATIENCE_MS) throw new Error("a customer gave a step up");
    await sleep(AGAIN_MS);
  }
}

/** The processes of the API never stop, so a broken connection is a fault, as is an answer outside the contract. */
const faultOf = ({ message }: Error): string => `fault: ${message.slice(0, 300)}`;

function noteWrite<Body>(
  record: Record,
  answer: Answer<Body>,
  status: number,
): Answer<Body> | undefined {
  if (answer.status !== status) return refused(record, answer);
  record.writesMs.push(performance.now());
  return answer;
}

const refused = (record: Record, { status, body }: Answer): undefined =>
  count(record, `${status} ${(body as { readonly code?: string }).code}`);

function count({ refusals }: Record, what: string): undefined {
  refusals.set(what, (refusals.get(what) ?? 0) + 1);
}
