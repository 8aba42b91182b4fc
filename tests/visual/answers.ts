import type {
  CheckoutQuoteRequest,
  CheckoutSession,
  MethodOutsideLimits,
  OperationType,
  QuoteData,
  WalletLookupResult,
} from "@exchange/contract";
import { CURRENCIES, methodsOf, TEST_CARDS } from "./catalogue.ts";

/** The time of every picture. */
export const NOW = new Date("2026-03-02T10:15:00Z");
export const nowSeconds = NOW.getTime() / 1_000;

/** An answer of the service: a status and a body, events, silence, or a cut connection. */
export type Reply =
  | { readonly status: number; readonly body: unknown }
  | { readonly events: readonly unknown[] }
  | "silence"
  | "cut";

export const ok = (data: unknown): Reply => ({
  status: 200,
  body: { success: true, code: "ok", data },
});

export const refused = (status: number, code: string, more: object = {}): Reply => ({
  status,
  body: { success: false, code, message: code, ...more },
});

export const session = (change: Partial<CheckoutSession> = {}): CheckoutSession => ({
  sessionId: "cart-1",
  status: "active",
  environment: "dev",
  expiresAt: nowSeconds + 1_800,
  scope: ["merchant.read", "order.read", "order.cancel"],
  merchant: { name: "Northwind Tea", logoUrl: null, primaryColor: null },
  operationTypes: ["B", "S", "CC", "FF"],
  countryCode: "DE",
  defaults: { baseCurrency: "eur", targetCurrency: "btc" },
  lock: { operationType: "B" },
  customer: {},
  returnUrl: null,
  locale: null,
  orderId: null,
  offersMail: false,
  unservedCountries: ["CU", "IR", "KP", "SY"],
  slippagePercent: 0.25,
  testCards: TEST_CARDS,
  ...change,
});

/** The price of one unit in euros. */
const EUROS: Readonly<Record<string, number>> = {
  EUR: 1,
  USD: 0.9,
  GBP: 1.15,
  JPY: 0.006,
  CAD: 0.62,
  BTC: 60_000,
  ETH: 2_900,
  USDT: 0.9,
  XLM: 0.11,
  XRP: 0.55,
};
const LIMITS = { min: 20, max: 5_000 };

const all = [...CURRENCIES.fiatCurrencies, ...CURRENCIES.cryptoCurrencies];
const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

interface Market {
  /** Below 1 it makes the price worse. */
  readonly drift?: number;
  readonly outsideLimits?: readonly MethodOutsideLimits[];
}

/** Quotes at a price that never moves. */
export function quoteFor(
  request: CheckoutQuoteRequest,
  { drift = 1, outsideLimits = [] }: Market = {},
): Reply {
  const base = all.find(({ id }) => id === request.baseCurrencyId);
  const target = all.find(({ id }) => id === request.targetCurrencyId);
  if (!base || !target) throw new Error("The checkout quoted a currency that the catalogue lacks.");
  const rate = ((EUROS[base.code] ?? 1) / (EUROS[target.code] ?? 1)) * drift;
  const spent = request.baseAmount ?? (request.targetAmount ?? 0) / (rate * 0.98);
  const spend = rounded(spent, base.decimals);
  const bounds = {
    min: rounded(LIMITS.min / (EUROS[base.code] ?? 1), base.decimals),
    max: rounded(LIMITS.max / (EUROS[base.code] ?? 1), base.decimals),
    currencyCode: base.code,
  };
  if (spend < bounds.min) return outside("AMOUNT_BELOW_MINIMUM", bounds);
  if (spend > bounds.max) return outside("AMOUNT_ABOVE_MAXIMUM", bounds);
  const pricing = { base, target, spend, rate, bounds };
  const compared = alternativesFor(pricing, request);
  return ok({
    ...priced(pricing, request),
    ...(compared && { alternatives: compared, outsideLimits }),
  });
}

/** Every way but the card brings two percent more. */
function alternativesFor(pricing: Pricing, request: CheckoutQuoteRequest) {
  if (!request.alternatives) return undefined;
  const isByPayment = request.alternatives === "paymentMethods";
  const methods = methodsOf(request.operationType);
  const ids = isByPayment
    ? methods.map(({ id }) => [id, request.deliveryMethodId ?? 1])
    : (methods[0]?.deliveryMethods ?? []).map(({ id }) => [request.paymentMethodId, id]);
  return ids.map(([paymentMethodId = 0, deliveryMethodId = 0], index) => {
    const better = index === 0 ? pricing.rate : pricing.rate * 1.02;
    const { spend, receive, delivery } = priced({ ...pricing, rate: better }, request);
    return { paymentMethodId, deliveryMethodId, spend, receive, deliveryFee: delivery.fee };
  });
}

const outside = (code: string, bounds: object): Reply =>
  refused(400, code, { details: [{ path: "baseAmount", issue: code, ...bounds }] });

interface Pricing {
  readonly base: (typeof all)[number];
  readonly target: (typeof all)[number];
  readonly spend: number;
  readonly rate: number;
  readonly bounds: QuoteData["limits"];
}

function priced(
  { base, target, spend, rate, bounds }: Pricing,
  request: CheckoutQuoteRequest,
): QuoteData {
  const { code: currencyCode, decimals } = target;
  const gross = rounded(spend * rate, decimals);
  const service = rounded(gross * 0.015, decimals);
  const network = rounded(gross * 0.003, decimals);
  const amount = request.targetAmount ?? rounded(gross - service - network, decimals);
  return {
    spend: { amount: spend, currencyCode: base.code, currencyReference: base.reference },
    transactionFee: { amount: service, currencyCode },
    receive: { amount, currencyCode, currencyReference: target.reference ?? "" },
    delivery: {
      fee: { amount: network, currencyCode },
      time: { minDays: 0, maxDays: 2 },
    },
    paymentMethod: { id: request.paymentMethodId, name: "Credit or debit card", reference: "card" },
    receivePaymentMethod: { id: 1, name: "Blockchain transfer", reference: "blockchain_transfer" },
    rate: rounded(rate, 12),
    quoteId: "quote-1",
    expiresAt: nowSeconds + 30,
    limits: bounds,
    fees: [
      { type: "percentage", amount: rounded(gross * 0.012, decimals), currencyCode },
      { type: "fixed", amount: rounded(gross * 0.003, decimals), currencyCode },
    ],
    receipt: receiptFor({ base, target, spend, rate, bounds }, { service, network }),
  };
}

/** The rate of these pictures is half a percent below the market's. */
function receiptFor(
  { base, target, spend, rate }: Pricing,
  fees: { readonly service: number; readonly network: number },
): QuoteData["receipt"] {
  const isSale = base.type === "C" && target.type === "F";
  const { code: currencyCode, decimals } = isSale ? target : base;
  const costIn = (amount: number) => rounded(isSale ? amount : amount / rate, decimals);
  const [exchangeFee, deliveryFee] = [costIn(fees.service), costIn(fees.network)];
  const spread = costIn(spend * rate * 0.005);
  const total = rounded(exchangeFee + deliveryFee + spread, decimals);
  const whole = isSale ? spend * rate * 1.005 : spend;
  const value = rounded(whole - total, decimals);
  return { currencyCode, value, exchangeFee, deliveryFee, spread, total, spreadPercent: 0.5 };
}

/** Returns the quote of an order of any operation. */
export function orderQuote(operation: OperationType, spend: number): QuoteData {
  const [from, to] = {
    B: ["EUR", "BTC"],
    S: ["BTC", "EUR"],
    CC: ["ETH", "BTC"],
    FF: ["EUR", "USD"],
  }[operation] as [string, string];
  const idOf = (code: string) => all.find((item) => item.code === code)?.id ?? 0;
  const reply = quoteFor({
    operationType: operation,
    baseCurrencyId: idOf(from),
    baseAmount: spend,
    targetCurrencyId: idOf(to),
    paymentMethodId: 1,
  });
  return (reply as { body: { data: QuoteData } }).body.data;
}

export const BITCOIN_ADDRESS = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
export const EVM_ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
export const TRON_ADDRESS = "TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9";
export const XRP_ADDRESS = "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf";

/** Finds the networks of an address by its first letters. The service finds them by checksum. */
export function lookUp(address: string, networkCode: string | null): Reply {
  const networks = address.startsWith("T")
    ? ["tron"]
    : address.startsWith("0x")
      ? ["ethereum", "base"]
      : address === BITCOIN_ADDRESS
        ? ["bitcoin"]
        : /^G[A-Z]{9}/.test(address)
          ? ["stellar"]
          : address === XRP_ADDRESS
            ? ["xrpl"]
            : [];
  const isOpen = networkCode === null && networks.length > 1;
  const result: WalletLookupResult = {
    success: networkCode !== null && networks.includes(networkCode),
    message: "",
    wallet: null,
    availableNetworks: networks,
    requiresNetworkCode: isOpen,
  };
  return { status: 200, body: result };
}
