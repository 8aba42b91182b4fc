import type {
  CardToken,
  CountryItem,
  CurrencyItem,
  DeliveryMethodItem,
  ExchangeCurrencies,
  OperationType,
  OrderData,
  PaymentMethodItem,
  QuoteData,
} from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobWorker, startJobs } from "../../apps/server/src/jobs/worker.ts";
import { addressInForm } from "../../apps/server/src/sandbox/chains/address-forms.ts";
import { checkLedger } from "../../apps/server/src/storage/ledger/checks.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import {
  type Browser,
  browserWith,
  type Ok,
} from "../../apps/server/src/testing/checkout-browser.ts";
import {
  type HttpWorld,
  makeHttpWorld,
  type Reply,
} from "../../apps/server/src/testing/http-world.ts";
import { booksOf } from "./books.ts";

const OPERATIONS = ["B", "S", "CC", "FF"] as const satisfies readonly OperationType[];
/** The orders at a time: more would wait for the same two processors. */
const AT_ONCE = 12;
const POLL_MS = 40;
const WAIT_MS = 60_000;
/** A request may take long here: none is refused for it. */
const IN_FLIGHT = { requestsMax: 512, deadlineMs: 300_000 };

/** One way to exchange, as a customer of a country finds it in the lists. */
interface Way {
  readonly operation: OperationType;
  readonly country: CountryItem;
  readonly payment: PaymentMethodItem;
  readonly delivery: DeliveryMethodItem;
  readonly base: CurrencyItem;
  readonly target: CurrencyItem;
}

let world: HttpWorld;
let jobs: JobWorker;
beforeAll(async () => {
  world = await makeHttpWorld({ settings: { inFlight: IN_FLIGHT } });
  jobs = startJobs(world.deps);
});
afterAll(async () => {
  await jobs.stop();
  await world.close();
});

async function list<Data>(path: string): Promise<Data> {
  const reply = await world.call<Ok<Data>>({ url: `/v1${path}`, headers: world.shop.headers });
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
  return reply.body.data;
}

const nameOf = ({ operation, payment, delivery }: Way): string =>
  `${operation}: pay by ${payment.reference}, get by ${delivery.reference}`;

/** Every operation, payment method and delivery method together, each where it is offered first. */
async function everyWay(): Promise<readonly Way[]> {
  const ways = new Map<string, Way>();
  for (const country of await list<CountryItem[]>("/exchange/countries")) {
    for (const operation of OPERATIONS.filter((one) => country.operationTypes.includes(one))) {
      const query = `operationType=${operation}&countryCode=${country.code}`;
      const methods = await list<PaymentMethodItem[]>(
        `/payment-methods?${query}&includeDeliveryMethods=true`,
      );
      const currencies = await list<ExchangeCurrencies>(`/exchange/currencies?${query}`);
      for (const way of waysIn({ operation, country, methods, currencies, number: ways.size })) {
        if (!ways.has(nameOf(way))) ways.set(nameOf(way), way);
      }
    }
  }
  return [...ways.values()];
}

function* waysIn(lists: {
  readonly operation: OperationType;
  readonly country: CountryItem;
  readonly methods: readonly PaymentMethodItem[];
  readonly currencies: ExchangeCurrencies;
  readonly number: number;
}): Generator<Way> {
  const { operation, country, methods, currencies } = lists;
  const { cryptoCurrencies, fiatCurrencies } = currencies;
  let { number } = lists;
  for (const payment of methods) {
    for (const delivery of payment.deliveryMethods ?? []) {
      number += 1;
      const bases = operation === "S" || operation === "CC" ? cryptoCurrencies : fiatCurrencies;
      const targets = operation === "B" || operation === "CC" ? cryptoCurrencies : fiatCurrencies;
      const base = pick(bases, payment.currencyCodes ?? null, number);
      const others = targets.filter(({ id }) => id !== base?.id);
      const target = pick(others, delivery.currencyCodes, number * 7);
      if (base && target) yield { operation, country, payment, delivery, base, target };
    }
  }
}

/** Another one each time, so that all coins and currencies have their turn. */
function pick(
  items: readonly CurrencyItem[],
  codes: readonly string[] | null,
  number: number,
): CurrencyItem | undefined {
  const fitting = items.filter(({ code }) => codes === null || codes.includes(code));
  return fitting[number % Math.max(1, fitting.length)];
}

/** An answer for everything a delivery method may ask for. */
const FIELDS: Readonly<Record<string, string>> = {
  accountHolder: "Ada Lovelace",
  iban: "DE89370400440532013000",
  bic: "COBADEFFXXX",
  bankAccount: "DE89370400440532013000",
  bankName: "Sandbox Bank",
  sortCode: "108800",
  ukAccountNumber: "00012345",
  usRoutingNumber: "110000000",
  usAccountNumber: "000123456789",
  canadianInstitution: "004",
  canadianTransit: "12345",
  canadianAccountNumber: "1234567",
  email: "ada@example.com",
  phone: "+254712345678",
  pixKey: "ada@example.com",
  cpf: "52998224725",
  clabe: "032180000118359719",
  upiId: "ada@sandboxbank",
  payId: "ada@example.com",
  pickupCity: "Nairobi",
};

const CARD = {
  number: "4000000000002701",
  expiryMonth: 12,
  expiryYear: 2099,
  cvv: "123",
  holderName: "Ada Lovelace",
};

const must = <Data>(reply: Reply<Ok<Data>>): Data => {
  if (reply.status >= 300) throw new Error(reply.text);
  return reply.body.data;
};

const seed = new Uint8Array(32).fill(7);

function addressOf(currency: CurrencyItem): string {
  const network = world.deps.catalogue().currencyById(currency.id)?.networkCode ?? "";
  return addressInForm(found(world.deps.catalogue().network(network)).addressFormat, seed);
}

async function payoutFields(call: Browser, delivery: DeliveryMethodItem) {
  const fields: Record<string, string> = {};
  for (const { name } of delivery.requiredFields) {
    fields[name] =
      name === "cardToken"
        ? must(await call<Ok<CardToken>>("/cards", { payload: { card: CARD } })).cardToken
        : found(FIELDS[name]);
  }
  return fields;
}

/** Takes a quote for the smallest amount, which the refusal of a smaller one states. */
async function quoted(call: Browser, way: Way): Promise<QuoteData> {
  const ask = (baseAmount: number) =>
    call<Ok<QuoteData> & { min?: number; details?: readonly { min?: number }[] }>("/quotes", {
      payload: {
        operationType: way.operation,
        baseCurrencyId: way.base.id,
        baseAmount,
        targetCurrencyId: way.target.id,
        paymentMethodId: way.payment.id,
        deliveryMethodId: way.delivery.id,
      },
    });
  const tiny = await ask(way.operation === "S" || way.operation === "CC" ? 0.00001 : 1);
  const least = tiny.body.min ?? tiny.body.details?.[0]?.min;
  if (tiny.status === 200) return tiny.body.data;
  if (least === undefined) throw new Error(tiny.text);
  return must(await ask(least));
}

async function placed(call: Browser, way: Way): Promise<OrderData> {
  const quote = await quoted(call, way);
  const receivesCoins = way.operation === "B" || way.operation === "CC";
  const sendsCoins = way.operation === "S" || way.operation === "CC";
  return must(
    await call<Ok<OrderData>>("/orders", {
      payload: {
        quoteId: quote.quoteId,
        ...(receivesCoins
          ? { walletAddress: addressOf(way.target) }
          : { payout: await payoutFields(call, way.delivery) }),
        ...(sendsCoins ? { refundAddress: addressOf(way.base) } : {}),
      },
    }),
  );
}

async function pay(call: Browser, way: Way, { orderId }: OrderData): Promise<void> {
  const pays = (payload: object) => call<Ok<OrderData>>(`/orders/${orderId}/payments`, { payload });
  if (way.payment.type === "card") {
    const billingAddress = {
      ...{ line1: "1 Main St", city: "Town", postalCode: "10115" },
      countryCode: way.country.code,
    };
    must(await pays({ type: "card", card: CARD, billingAddress, frequency: "one_time" }));
    return;
  }
  must(await pays({ type: way.payment.type === "crypto" ? "crypto" : "bank_transfer" }));
  const deposit = await world.call<Ok<unknown>>({
    method: "POST",
    url: "/v1/sandbox/deposits",
    headers: world.shop.headers,
    payload: { orderId },
  });
  must(deposit);
}

async function complete(way: Way): Promise<void> {
  const customer = { countryCode: way.country.code };
  const call = browserWith(world, await world.token({ customer }));
  const order = await placed(call, way);
  await pay(call, way, order);
  const untilMs = performance.now() + WAIT_MS;
  for (;;) {
    const { status, statusReason } = must(await call<Ok<OrderData>>(`/orders/${order.orderId}`));
    if (status === "completed") return;
    const isOver = performance.now() > untilMs;
    if (isOver || status === "in_review") throw new Error(`it is ${status} (${statusReason})`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

test("every way to exchange that the catalogue offers completes in the sandbox", async () => {
  const ways = await everyWay();
  expect(ways.length).toBeGreaterThan(150);
  const waiting = [...ways];
  const faults: string[] = [];
  const work = async (): Promise<void> => {
    for (let way = waiting.shift(); way; way = waiting.shift()) {
      const name = `${nameOf(way)}, ${way.base.reference} to ${way.target.reference} in ${way.country.code}`;
      await complete(way).catch((error: Error) => faults.push(`${name}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(faults).toEqual([]);
  const { captures, transfers, bankPayouts } = await booksOf(world.database).ofRails();
  expect(captures).toBe(ways.filter(({ payment }) => payment.type === "card").length);
  expect(transfers + bankPayouts).toBe(ways.length);
  expect(await checkLedger(world.database)).toMatchObject({ ok: true, problems: [] });
});
