import type {
  CurrencyItem,
  ExchangeCurrencies,
  OperationType,
  PaymentMethodItem,
  QuoteData,
} from "@exchange/contract";
import { expect } from "vitest";
import type { Answer, ErrorAnswer } from "../http/api.ts";
import { createMerchant, type Merchant, merchantCall } from "../orders/merchant.ts";
import type { Ok } from "../orders/purchase.ts";
import type { Service } from "../service/service.ts";

/** A merchant's server that uses the documented endpoints, and nothing else, to prepare a quote. */
export interface Integration {
  readonly merchant: Merchant;
  get<Body = ErrorAnswer>(path: string): Promise<Answer<Body>>;
  post<Body = ErrorAnswer>(path: string, body: unknown): Promise<Answer<Body>>;
  currencies(operationType: OperationType): Promise<ExchangeCurrencies>;
  methods(operationType: OperationType): Promise<PaymentMethodItem[]>;
  /** Returns the documented body of a quote for the operation. */
  quoteRequest(operationType: OperationType): Promise<Readonly<Record<string, unknown>>>;
  quote(operationType: OperationType): Promise<Answer<Ok<QuoteData>>>;
}

const COUNTRY = "CA";

/** The exchange of each operation: what is spent, how much of it, and what is received. */
const EXCHANGES: Readonly<Record<OperationType, readonly [string, number, string]>> = {
  B: ["cad", 100, "btc"],
  S: ["btc", 0.01, "cad"],
  CC: ["eth", 0.5, "btc"],
  FF: ["cad", 100, "eur"],
};

export async function startIntegration(service: Service): Promise<Integration> {
  const merchant = await createMerchant(service);
  const get = <Body>(path: string) => merchantCall<Body>(service, merchant, { path: `/v1${path}` });
  const post = <Body>(path: string, body: unknown) =>
    merchantCall<Body>(service, merchant, { method: "POST", path: `/v1${path}`, body });
  const currencies = async (operationType: OperationType) => {
    const query = `operationType=${operationType}&countryCode=${COUNTRY}`;
    return (await get<Ok<ExchangeCurrencies>>(`/exchange/currencies?${query}`)).body.data;
  };
  const methods = async (operationType: OperationType) => {
    const query = `operationType=${operationType}&countryCode=${COUNTRY}`;
    return (await get<Ok<PaymentMethodItem[]>>(`/payment-methods?${query}`)).body.data;
  };
  const quoteRequest = async (operationType: OperationType) => {
    const { cryptoCurrencies, fiatCurrencies } = await currencies(operationType);
    const idOf = (reference: string): number =>
      itemOf([...cryptoCurrencies, ...fiatCurrencies], reference).id;
    const [base, baseAmount, target] = EXCHANGES[operationType];
    const [method] = await methods(operationType);
    return {
      operationType,
      baseCurrencyId: idOf(base),
      baseAmount,
      targetCurrencyId: idOf(target),
      paymentMethodId: method?.id,
    };
  };
  const quote = async (operationType: OperationType) =>
    post<Ok<QuoteData>>("/exchange/quotes", await quoteRequest(operationType));
  return { merchant, get, post, currencies, methods, quoteRequest, quote };
}

export const itemOf = (items: readonly CurrencyItem[], reference: string): CurrencyItem =>
  items.find((item) => item.reference === reference) ?? expect.fail(`no currency ${reference}`);
