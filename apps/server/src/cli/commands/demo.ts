import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { OrderData, QuoteData } from "@exchange/contract";
import type { CurrencyItem, Exchange, PaymentMethodItem } from "@exchange/node";
import { readDemoCredentials } from "../../start/demo.ts";
import { readPidFile } from "../../start/pid-file.ts";
import { callCheckout } from "../checkout-api.ts";
import { type Command, type CommandContext, type CommandInput, UsageError } from "../command.ts";
import { DEMO_ORDERS, DEMO_VISITS, type DemoOrder, type DemoStep } from "../demo/orders.ts";
import { API_OPTIONS, apiUrlOf, openMerchantApi } from "../merchant-api.ts";
import { table } from "../table.ts";

export const demoSeed: Command = {
  name: "demo seed",
  summary:
    "Make a day of orders in the running sandbox, so that the console has something to show.",
  options: API_OPTIONS,
  example: "demo seed",
  run: async (context, input) => {
    const shop = openShop(context, input);
    const wanted = DEMO_ORDERS.flatMap((order) =>
      order.amounts.map((amount) => ({ order, amount })),
    );
    const failures: string[] = [];
    const made: number[] = [];
    await inLanes(wanted, async ({ order, amount }) => {
      try {
        made.push(await playOrder(shop, order, amount));
      } catch (error) {
        failures.push((error as Error).message);
      }
    });
    for (let visit = 0; visit < DEMO_VISITS; visit += 1) await openSession(shop, "DE");
    const statuses = await Promise.all(
      made.map(async (id) => (await shop.api.orders.read(id)).status),
    );
    const counts = [...new Set(statuses)].map(
      (status) => [status, statuses.filter((one) => one === status).length] as const,
    );
    const rows = counts.map(([status, count]) => [status, String(count)]);
    const failed =
      failures.length === 0
        ? ""
        : `\n\n${failures.length} orders could not be made. The first: ${failures[0]}`;
    return {
      json: { orders: made, statuses: Object.fromEntries(counts), visits: DEMO_VISITS, failures },
      text: `Made ${made.length} orders and ${DEMO_VISITS} visits. Orders under way continue by themselves.\n\n${table([["STATUS", "ORDERS"], ...rows])}${failed}`,
      ok: failures.length === 0,
    };
  },
};

/** The merchant's calls, and the address at which customers call. */
interface Shop {
  readonly api: Exchange;
  readonly url: string;
  /** The catalogue that was read so far, by operation and country. */
  readonly offers: Map<string, Promise<Offers>>;
}

interface Offers {
  readonly currencies: readonly CurrencyItem[];
  readonly methods: readonly PaymentMethodItem[];
}

function openShop(context: CommandContext, input: CommandInput): Shop {
  const config = context.config();
  if (config.environment === "prod") {
    throw new UsageError("prod has no sandbox and takes no demo orders. Use this command in dev.");
  }
  const demo = readDemoCredentials(config.dataDir);
  const running = readPidFile(config.dataDir)?.address ?? `http://localhost:${config.port}`;
  const url = apiUrlOf(input, context.variables, running);
  const variables = {
    ...(demo && { EXCHANGE_CLIENT_ID: demo.clientId, EXCHANGE_API_KEY: demo.apiKey }),
    ...context.variables,
    EXCHANGE_URL: url,
  };
  return { api: openMerchantApi({ ...context, variables }, input), url, offers: new Map() };
}

/** The sandbox's customers come four at a time. */
const LANES = 4;

async function inLanes<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** The calls of a customer's popup. */
type Popup = <Data>(path: string, body?: object) => Promise<Data>;

async function openSession({ api, url }: Shop, countryCode: string): Promise<Popup> {
  const sessionId = `demo-${randomUUID()}`;
  const email = `customer-${sessionId.slice(-6)}@example.com`;
  const customer = { countryCode, email };
  const { accessToken } = await api.publicTokens.create({ sessionId, customer });
  return (path, body) => callCheckout(`${url}/checkout${path}`, accessToken, body);
}

async function playOrder(shop: Shop, order: DemoOrder, amount: number): Promise<number> {
  const countryCode = order.spend === "gbp" ? "GB" : "DE";
  const popup = await openSession(shop, countryCode);
  const { quoteId } = await popup<QuoteData>("/quotes", {
    operationType: order.operation,
    baseAmount: amount,
    ...(await idsOf(shop, order, countryCode)),
  });
  const { orderId } = await popup<OrderData>("/orders", { ...order.request, quoteId });
  for (const step of order.steps) await perform(step, { ...shop, popup, orderId, order, amount });
  return orderId;
}

/** Returns the catalogue's ids of what the order names. */
async function idsOf(shop: Shop, order: DemoOrder, countryCode: string) {
  const { currencies, methods } = await offersOf(shop, order.operation, countryCode);
  const method = find(methods, order.method);
  return {
    baseCurrencyId: find(currencies, order.spend).id,
    targetCurrencyId: find(currencies, order.receive).id,
    paymentMethodId: method.id,
    deliveryMethodId: find(method.deliveryMethods ?? [], order.delivery).id,
  };
}

/** Reads the catalogue of an operation in a country once. */
function offersOf(
  { api, offers }: Shop,
  operationType: DemoOrder["operation"],
  countryCode: string,
): Promise<Offers> {
  const key = `${operationType} ${countryCode}`;
  const read = async (): Promise<Offers> => {
    const query = { operationType, countryCode };
    const { fiatCurrencies, cryptoCurrencies } = await api.currencies.list(query);
    const methods = await api.paymentMethods.list({ ...query, includeDeliveryMethods: "true" });
    return { currencies: [...fiatCurrencies, ...cryptoCurrencies], methods };
  };
  const found = offers.get(key) ?? read();
  offers.set(key, found);
  return found;
}

function find<Item extends { readonly reference: string | null }>(
  items: readonly Item[],
  reference: string,
): Item {
  const found = items.find((item) => item.reference === reference);
  if (found) return found;
  throw new UsageError(`The catalogue of this sandbox does not offer "${reference}".`);
}

interface Played extends Shop {
  readonly popup: Popup;
  readonly orderId: number;
  readonly order: DemoOrder;
  readonly amount: number;
}

const CARD = { expiryMonth: 12, expiryYear: 2099, cvv: "123", holderName: "Ada Lovelace" };
const ADDRESS = { line1: "1 Main St", city: "Berlin", postalCode: "10115", countryCode: "DE" };

async function perform(step: DemoStep, played: Played): Promise<void> {
  const { api, popup, orderId, order, amount } = played;
  const payments = `/orders/${orderId}/payments`;
  switch (step.kind) {
    case "card": {
      const card = { ...CARD, number: step.number };
      await popup(payments, { type: "card", card, billingAddress: ADDRESS, frequency: "one_time" });
      return;
    }
    case "instructions":
      await popup(payments, { type: order.method === "crypto" ? "crypto" : "bank_transfer" });
      return;
    case "deposit": {
      const { kind: _kind, part, ...changes } = step;
      const paid = part === undefined ? {} : { amount: Number((amount * part).toFixed(8)) };
      await api.sandbox.payDeposit({ orderId, ...paid, ...changes });
      return;
    }
    case "await":
      return awaitStatus(api, orderId, step.status);
    case "refund":
      await api.orders.refund(orderId);
      return;
    case "cancel":
      await api.orders.cancel(orderId);
  }
}

const PATIENCE_ROUNDS = 600;
const ROUND_MS = 100;

async function awaitStatus(api: Exchange, orderId: number, status: string): Promise<void> {
  for (let round = 0; round < PATIENCE_ROUNDS; round += 1) {
    if ((await api.orders.read(orderId)).status === status) return;
    await sleep(ROUND_MS);
  }
  throw new Error(`order ${orderId} is not ${status} after a minute; does a worker run?`);
}
