import type { ExchangeCurrencies, PaymentMethodItem, QuoteData } from "@exchange/contract";
import { type Decimal, multiplyDecimals, parseDecimal, rescale } from "@exchange/money";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { type Answer, call } from "../support/http/api.ts";
import { createMerchant, type Merchant, merchantCall } from "../support/orders/merchant.ts";
import { type BuyChoice, buyChoice, type Ok } from "../support/orders/purchase.ts";

const service = inject("service");
let merchant: Merchant;
let choice: BuyChoice;
beforeAll(async () => {
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
});

const validBody = (): Record<string, unknown> => ({
  operationType: "B",
  baseCurrencyId: choice.base.id,
  baseAmount: 250,
  targetCurrencyId: choice.target.id,
  paymentMethodId: choice.card.id,
});

const quote = <Body = Ok<QuoteData>>(
  changes: Record<string, unknown> = {},
): Promise<Answer<Body>> =>
  merchantCall<Body>(service, merchant, {
    method: "POST",
    path: "/v1/exchange/quotes",
    body: { ...validBody(), ...changes },
  });

interface LimitError {
  readonly code: string;
  readonly details?: readonly Record<string, unknown>[];
}

/** The request with the amount written exactly so. */
const quoteOfText = (amount: string): Promise<Answer<LimitError>> => {
  const rawBody = JSON.stringify({ ...validBody(), baseAmount: "AMOUNT" }).replace(
    '"AMOUNT"',
    amount,
  );
  return merchantCall(service, merchant, { method: "POST", path: "/v1/exchange/quotes", rawBody });
};

const exact = (value: number): Decimal => {
  const decimal = parseDecimal(String(value));
  if (decimal === undefined) throw new Error(`${value} is not a decimal`);
  return decimal;
};

test("a quote has the documented envelope and fields", async () => {
  const { status, body } = await quote();
  expect(status).toBe(200);
  expect({ success: body.success, code: body.code }).toEqual({ success: true, code: "ok" });
  const { data } = body;
  expect(data.spend).toEqual({ amount: 250, currencyCode: "CAD", currencyReference: "cad" });
  expect(data.receive).toMatchObject({
    currencyCode: "BTC",
    currencyReference: choice.target.reference,
  });
  expect(data.paymentMethod).toMatchObject({ id: choice.card.id, reference: "card" });
  expect(data.receivePaymentMethod.reference).toBe("crypto");
  expect(data.transactionFee.currencyCode).toBe("BTC");
  expect(data.delivery.fee.currencyCode).toBe("BTC");
  expect(data.expiresAt * 1000 - Date.now()).toBeLessThanOrEqual(31_000);
});

test("a customer who is paid by a local bank transfer is not told of an international wire", async () => {
  const where = "operationType=S&countryCode=CH";
  const withDelivery = `${where}&includeDeliveryMethods=true`;
  const read = <Data>(path: string): Promise<Answer<Ok<Data>>> =>
    merchantCall<Ok<Data>>(service, merchant, { path: `/v1${path}` });
  const { body: lists } = await read<ExchangeCurrencies>(`/exchange/currencies?${where}`);
  const { body: methods } = await read<PaymentMethodItem[]>(`/payment-methods?${withDelivery}`);
  const [crypto] = methods.data;
  const delivery = crypto?.deliveryMethods?.find(
    (each) => each.reference === "local_bank_transfer",
  );
  const idOf = (items: readonly { id: number; reference: string | null }[], name: string) =>
    items.find(({ reference }) => reference === name)?.id;
  const { body } = await quote({
    operationType: "S",
    baseCurrencyId: idOf(lists.data.cryptoCurrencies, "eth"),
    baseAmount: 0.5,
    targetCurrencyId: idOf(lists.data.fiatCurrencies, "chf"),
    paymentMethodId: crypto?.id,
    deliveryMethodId: delivery?.id,
  });
  const { reference, name } = body.data.receivePaymentMethod;
  expect([reference, name]).toEqual(["local_bank_transfer", "Local bank transfer"]);
});

test("spend × rate is receive and both fees, to the target's scale, and the fees add up", async () => {
  const { data } = (await quote()).body;
  const scale = choice.target.decimals;
  const unitsOf = (value: number): bigint => rescale(exact(value), scale, "down").units;
  const gross = rescale(
    multiplyDecimals(exact(data.spend.amount), exact(data.rate)),
    scale,
    "down",
  ).units;
  const right = [data.receive.amount, data.transactionFee.amount, data.delivery.fee.amount];
  expect(right.map(unitsOf).reduce((sum, units) => sum + units, 0n)).toBe(gross);
  const fees = data.fees.map(({ amount }) => unitsOf(amount));
  expect(fees.reduce((sum, units) => sum + units, 0n)).toBe(unitsOf(data.transactionFee.amount));
});

test("amounts are written in fixed notation, never with an exponent", async () => {
  const { text } = await quote();
  expect(text.replaceAll(/"[^"]*"/g, "")).not.toMatch(/[eE][+-]?\d/);
});

describe("amounts that are not valid", () => {
  test.each(["-1", "0", "-0", "0.0", "1e400", "-1e400", '"250"', "[250]", "{}", "null", "true"])(
    "%s is INVALID_INPUT",
    async (amount) => {
      const { status, body } = await quoteOfText(amount);
      expect([status, body.code]).toEqual([400, "INVALID_INPUT"]);
    },
  );

  test.each(["1234567890123456", "0.1234567891", "100000000000000000000"])(
    "%s has more digits than survive a double",
    async (amount) => {
      const { status, body } = await quoteOfText(amount);
      expect([status, body.code]).toEqual([400, "INVALID_INPUT"]);
    },
  );

  test("cents of cents are AMOUNT_PRECISION", async () => {
    const { status, body } = await quoteOfText("250.001");
    expect([status, body.code]).toEqual([400, "AMOUNT_PRECISION"]);
  });

  test("trailing zeros and an exponent are the same amount", async () => {
    const answers = await Promise.all(["250.00", "2.5e2", "25000e-2"].map(quoteOfText));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe("limits", () => {
  test("the figures of the quote are those of the errors", async () => {
    const { limits } = (await quote()).body.data;
    const low = await quoteOfText("0.01");
    expect([low.status, low.body.code]).toEqual([400, "AMOUNT_BELOW_MINIMUM"]);
    expect(low.body.details?.[0]).toMatchObject({ ...limits, boundBy: expect.any(String) });
    const high = await quoteOfText("99999999");
    expect([high.status, high.body.code]).toEqual([400, "AMOUNT_ABOVE_MAXIMUM"]);
    expect(high.body.details?.[0]).toMatchObject({ ...limits, boundBy: expect.any(String) });
  });
});

describe("ids that do not fit", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["an unknown base", { baseCurrencyId: 999_999 }, "CURRENCY_NOT_FOUND"],
    ["an unknown target", { targetCurrencyId: 999_999 }, "CURRENCY_NOT_FOUND"],
    ["an unknown payment method", { paymentMethodId: 999_999 }, "PAYMENT_METHOD_NOT_FOUND"],
    ["an unknown delivery method", { deliveryMethodId: 999_999 }, "DELIVERY_METHOD_UNAVAILABLE"],
    ["an unknown operation", { operationType: "X" }, "INVALID_OPERATION_TYPE"],
    ["another operation's pair", { operationType: "CC" }, "UNSUPPORTED_PAIR"],
    ["a string as id", { baseCurrencyId: "1" }, "INVALID_INPUT"],
    ["a fraction as id", { baseCurrencyId: 1.5 }, "INVALID_INPUT"],
    ["a negative id", { baseCurrencyId: -1 }, "CURRENCY_NOT_FOUND"],
    ["no base", { baseCurrencyId: undefined }, "INVALID_INPUT"],
    ["no amount", { baseAmount: undefined }, "INVALID_INPUT"],
    ["no operation", { operationType: undefined }, "INVALID_INPUT"],
  ])("%s", async (_title, changes, code) => {
    const { status, body } = await quote<LimitError>(changes);
    expect([status, body.code]).toEqual([400, code]);
  });

  test("a currency against itself is UNSUPPORTED_PAIR", async () => {
    const { status, body } = await quote<LimitError>({ targetCurrencyId: choice.base.id });
    expect([status, body.code]).toEqual([400, "UNSUPPORTED_PAIR"]);
  });
});

test("a public token is not a merchant credential", async () => {
  const answer = await call<LimitError>(service, {
    method: "POST",
    path: "/v1/exchange/quotes",
    body: validBody(),
    headers: { authorization: "Bearer x" },
  });
  expect([answer.status, answer.body.code]).toEqual([401, "UNAUTHORIZED"]);
});
