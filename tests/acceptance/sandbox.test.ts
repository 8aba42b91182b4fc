import type {
  CardToken,
  CurrencyItem,
  ExchangeCurrencies,
  OrderData,
  PaymentMethodItem,
  QuoteData,
  SandboxDeposit,
} from "@exchange/contract";
import { beforeAll, expect, inject, test } from "vitest";
import {
  createMerchant,
  createToken,
  type Merchant,
  merchantCall,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  type Customer,
  customerWith,
  type Ok,
  orderWithStatus,
} from "../support/orders/purchase.ts";

const service = inject("service");
let merchant: Merchant;
beforeAll(async () => {
  merchant = await createMerchant(service);
});

const ETHEREUM = "0x52908400098527886E0F7030069857D2E4169EE7";
const BITCOIN = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const ACCOUNT = { accountHolder: "Ada Lovelace", iban: "DE89370400440532013000" };

interface Wanted {
  readonly operationType: "B" | "S" | "CC" | "FF";
  readonly countryCode: string;
  readonly base: string;
  readonly amount: number;
  readonly target: string;
  readonly method: string;
  readonly delivery?: number;
  readonly requestMembers: Readonly<Record<string, unknown>>;
}

const SALE: Wanted = {
  operationType: "S",
  countryCode: "DE",
  base: "eth",
  amount: 0.1,
  target: "eur",
  method: "crypto",
  delivery: 2,
  requestMembers: { payout: ACCOUNT, refundAddress: ETHEREUM },
};

const ORDERS = {
  "a purchase by bank transfer": {
    operationType: "B",
    countryCode: "DE",
    base: "eur",
    amount: 100,
    target: "btc",
    method: "sepa",
    requestMembers: { walletAddress: BITCOIN },
  },
  "a sale": SALE,
  "a swap": {
    operationType: "CC",
    countryCode: "DE",
    base: "eth",
    amount: 0.1,
    target: "btc",
    method: "crypto",
    requestMembers: { walletAddress: BITCOIN, refundAddress: ETHEREUM },
  },
  "a transfer": {
    operationType: "FF",
    countryCode: "GB",
    base: "gbp",
    amount: 100,
    target: "eur",
    method: "faster_payments",
    delivery: 2,
    requestMembers: { payout: ACCOUNT },
  },
} as const satisfies Record<string, Wanted>;

const named = <Item extends { readonly reference: string | null }>(
  items: readonly Item[],
  reference: string,
): Item => {
  const found = items.find((item) => item.reference === reference);
  if (!found) throw new Error(`the catalogue lacks ${reference}`);
  return found;
};

const list = async <Data>(path: string, wanted: Wanted): Promise<Data> => {
  const query = `operationType=${wanted.operationType}&countryCode=${wanted.countryCode}`;
  const answer = await merchantCall<Ok<Data>>(service, merchant, { path: `${path}?${query}` });
  return answer.body.data;
};

async function openSession({ countryCode }: Wanted): Promise<Customer> {
  const sessionId = newSessionId();
  const created = await createToken(service, merchant, { sessionId, customer: { countryCode } });
  return customerWith(service, sessionId, created.body.data.accessToken);
}

const post = async <Data>(customer: Customer, path: string, body: object): Promise<Data> => {
  const call = { method: "POST", path: `/v1/checkout${path}`, body };
  const answer = await customer.call<Ok<Data>>(call);
  if (answer.status > 201) throw new Error(answer.text);
  return answer.body.data;
};

/** Places the order and asks where its money is to go. */
async function place(customer: Customer, wanted: Wanted): Promise<number> {
  const lists = await list<ExchangeCurrencies>("/v1/exchange/currencies", wanted);
  const currencies: CurrencyItem[] = [...lists.cryptoCurrencies, ...lists.fiatCurrencies];
  const methods = await list<PaymentMethodItem[]>("/v1/payment-methods", wanted);
  const quote = await post<QuoteData>(customer, "/quotes", {
    operationType: wanted.operationType,
    baseCurrencyId: named(currencies, wanted.base).id,
    baseAmount: wanted.amount,
    targetCurrencyId: named(currencies, wanted.target).id,
    paymentMethodId: named(methods, wanted.method).id,
    ...(wanted.delivery === undefined ? {} : { deliveryMethodId: wanted.delivery }),
  });
  const body = { ...wanted.requestMembers, quoteId: quote.quoteId };
  const { orderId } = await post<OrderData>(customer, "/orders", body);
  const type = wanted.method === "crypto" ? "crypto" : "bank_transfer";
  await post(customer, `/orders/${orderId}/payments`, { type });
  return orderId;
}

const play = <Data>(path: string, body: object) =>
  merchantCall<Ok<Data>>(service, merchant, { method: "POST", path: `/v1/sandbox${path}`, body });

test.each(Object.entries(ORDERS))("%s that is paid is completed", async (_name, wanted) => {
  const customer = await openSession(wanted);
  const orderId = await place(customer, wanted);
  const paid = await play<SandboxDeposit>("/deposits", { orderId });
  expect([paid.status, paid.body.data.amount]).toEqual([201, wanted.amount]);
  const done = await orderWithStatus(customer, orderId, "completed");
  expect(done).toMatchObject({ fulfilled: true, operationType: wanted.operationType });
  expect(done.payment.received).toBe(wanted.amount);
});

test("a sale to a debit card is paid to the card that was tokenized", async () => {
  const customer = await openSession(SALE);
  const card = { number: "4000000000002701", expiryMonth: 12, expiryYear: 2040 };
  const { cardToken } = await post<CardToken>(customer, "/cards", {
    card: { ...card, cvv: "123", holderName: "Ada Lovelace" },
  });
  const payout = { accountHolder: "Ada Lovelace", cardToken };
  const requestMembers = { payout, refundAddress: ETHEREUM };
  const orderId = await place(customer, { ...SALE, delivery: 14, requestMembers });
  await play("/deposits", { orderId });
  const done = await orderWithStatus(customer, orderId, "completed");
  expect(done.delivery.type).toBe("card_push");
  expect(JSON.stringify(done)).not.toContain(cardToken);
});

test("an order is brought through review to its refund", async () => {
  const customer = await openSession(SALE);
  const orderId = await place(customer, SALE);
  const advance = (status: string, statusReason?: string) =>
    play<OrderData>(`/orders/${orderId}/advance`, { status, statusReason });
  expect((await advance("payment_pending")).status).toBe(200);
  expect((await advance("in_review", "overpaid")).body.data.statusReason).toBe("overpaid");
  expect((await advance("refund_pending")).status).toBe(200);
  const done = await orderWithStatus(customer, orderId, "refunded");
  expect(done.refunds.length).toBeGreaterThan(0);
  expect(done.refunds.every(({ status }) => status === "refunded")).toBe(true);
  expect((await advance("completed")).status).toBe(409);
});
