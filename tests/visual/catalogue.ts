import type {
  CheckoutSession,
  CurrencyItem,
  DeliveryMethodItem,
  ExchangeCurrencies,
  OperationType,
  PaymentMethodItem,
} from "@exchange/contract";

const fiat = (id: number, code: string, description: string, decimals = 2): CurrencyItem => ({
  id,
  code,
  description,
  shortName: description,
  symbol: code,
  type: "F",
  reference: code.toLowerCase(),
  decimals,
  networkCode: null,
  networkName: null,
  memo: "none",
});

const coin = (
  item: Pick<CurrencyItem, "id" | "code" | "description" | "networkName">,
  more: Partial<CurrencyItem> = {},
): CurrencyItem => ({
  shortName: null,
  symbol: item.code,
  type: "C",
  reference: item.code.toLowerCase(),
  decimals: 8,
  networkCode: item.networkName?.toLowerCase() ?? null,
  memo: "none",
  ...item,
  ...more,
});

export const CURRENCIES: ExchangeCurrencies = {
  fiatCurrencies: [
    fiat(1, "EUR", "Euro"),
    fiat(2, "USD", "US dollar"),
    fiat(3, "GBP", "Pound sterling"),
    fiat(4, "JPY", "Japanese yen", 0),
    fiat(5, "CAD", "Canadian dollar"),
  ],
  cryptoCurrencies: [
    coin({ id: 101, code: "BTC", description: "Bitcoin", networkName: "Bitcoin" }),
    coin({ id: 102, code: "ETH", description: "Ether", networkName: "Ethereum" }),
    coin(
      { id: 103, code: "USDT", description: "Tether USD", networkName: "Ethereum" },
      { reference: "usdt-ethereum", decimals: 6 },
    ),
    coin(
      { id: 104, code: "USDT", description: "Tether USD", networkName: "Tron" },
      { reference: "usdt-tron", decimals: 6 },
    ),
    coin(
      { id: 105, code: "XRP", description: "XRP", networkName: "XRP Ledger" },
      { networkCode: "xrpl", memo: "optional", decimals: 6 },
    ),
    coin(
      { id: 106, code: "XLM", description: "Stellar lumens", networkName: "Stellar" },
      { memo: "required", decimals: 7 },
    ),
    coin(
      { id: 107, code: "USDT", description: "Tether USD", networkName: null },
      { reference: "usdt", decimals: 6 },
    ),
    coin({ id: 108, code: "BASE", description: "Base ether", networkName: "Base" }),
  ],
};

const HOLDER = {
  name: "accountHolder",
  label: "Account holder's full name",
  pattern: "^[\\p{L}][\\p{L}\\p{M}0-9 .,'’&()-]{1,69}$",
};
const IBAN = { name: "iban", label: "IBAN", pattern: "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$" };
const CARD = { name: "cardToken", label: "Debit card", pattern: "^[A-Za-z0-9_-]{8,128}$" };
const PHONE = {
  name: "phone",
  label: "Mobile number with country code",
  pattern: "^\\+[1-9][0-9]{6,14}$",
};

const delivery = (
  change: Pick<DeliveryMethodItem, "id" | "name" | "reference"> & Partial<DeliveryMethodItem>,
): DeliveryMethodItem => ({
  live: false,
  type: "bank_transfer",
  currencyCodes: null,
  fee: { percent: 0, fixed: 0, currencyCode: "EUR" },
  time: { minDays: 0, maxDays: 2 },
  requiredFields: [HOLDER, IBAN],
  ...change,
});

const DELIVERIES: DeliveryMethodItem[] = [
  delivery({ id: 2, reference: "sepa", name: "SEPA bank transfer" }),
  delivery({
    id: 14,
    reference: "card_push",
    name: "To a debit card",
    type: "card_push",
    fee: { percent: 1.5, fixed: 0.5, currencyCode: "EUR" },
    time: { minDays: 0, maxDays: 0 },
    requiredFields: [HOLDER, CARD],
  }),
  delivery({
    id: 15,
    reference: "cash_pickup",
    name: "Cash pickup",
    type: "cash_pickup",
    fee: { percent: 0, fixed: 4, currencyCode: "EUR" },
    time: { minDays: 1, maxDays: 3 },
    requiredFields: [HOLDER, PHONE],
  }),
];

const method = (id: number, name: string, type: string): PaymentMethodItem => ({
  time: { minDays: 0, maxDays: type === "card" ? 0 : 2 },
  paymentWindowSeconds: type === "bank_transfer" ? 259_200 : 1_800,
  id,
  name,
  type,
  live: false,
  reference: type,
  currencyCodes: null,
});

/** The ways to pay and be paid of an operation. */
export function methodsOf(operation: OperationType): PaymentMethodItem[] {
  const deliveryMethods = operation === "S" || operation === "FF" ? DELIVERIES : [];
  const sendsCoins = operation === "S" || operation === "CC";
  const methods = sendsCoins
    ? [method(3, "Cryptocurrency", "crypto")]
    : [method(1, "Credit or debit card", "card"), method(2, "SEPA bank transfer", "bank_transfer")];
  return methods.map((item) => ({ ...item, deliveryMethods }));
}

export const TEST_CARDS: CheckoutSession["testCards"] = [
  { number: "4000000000002701", brand: "Visa", outcome: "Approved, no challenge" },
  { number: "5200000000002235", brand: "Mastercard", outcome: "Approved, no challenge" },
  { number: "340000000002708", brand: "American Express", outcome: "Approved, no challenge" },
  { number: "4000000000002503", brand: "Visa", outcome: "The bank asks; confirming approves" },
  { number: "4000000000000002", brand: "Visa", outcome: "Declined by the bank" },
];
