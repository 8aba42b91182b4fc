// A small catalogue for driving the checkout without the service.
const fiat = (id, code, description, symbol, decimals = 2) => ({
  id,
  code,
  description,
  shortName: description,
  symbol,
  type: "F",
  reference: code.toLowerCase(),
  decimals,
  networkCode: null,
  networkName: null,
  memo: "none",
});

const coin = (id, code, description, network, more = {}) => ({
  id,
  code,
  description,
  shortName: null,
  symbol: code,
  type: "C",
  reference: code.toLowerCase(),
  decimals: 8,
  networkCode: network.toLowerCase(),
  networkName: network,
  memo: "none",
  ...more,
});

export const CURRENCIES = {
  fiatCurrencies: [
    fiat(1, "EUR", "Euro", "€"),
    fiat(2, "USD", "US dollar", "$"),
    fiat(3, "GBP", "Pound sterling", "£"),
    fiat(4, "JPY", "Japanese yen", "¥", 0),
    fiat(5, "CHF", "Swiss franc", "CHF"),
  ],
  cryptoCurrencies: [
    coin(101, "BTC", "Bitcoin", "Bitcoin"),
    coin(102, "ETH", "Ether", "Ethereum"),
    coin(103, "USDT", "Tether USD", "Ethereum", { reference: "usdt-ethereum", decimals: 6 }),
    coin(104, "USDT", "Tether USD", "Tron", { reference: "usdt-tron", decimals: 6 }),
    coin(105, "XRP", "XRP", "XRP Ledger", { memo: "optional", decimals: 6 }),
    coin(106, "XLM", "Stellar lumens", "Stellar", { memo: "required", decimals: 7 }),
    coin(107, "SOL", "Solana", "Solana"),
    coin(108, "DOGE", "Dogecoin", "Dogecoin"),
    coin(109, "MULTI", "Multi coin", "", { networkCode: null, networkName: null }),
  ],
};

export const METHODS = [
  {
    id: 1,
    live: false,
    name: "Credit or debit card",
    reference: "card",
    type: "card",
    currencyCodes: null,
  },
  {
    id: 2,
    live: false,
    name: "SEPA bank transfer",
    reference: "sepa",
    type: "bank_transfer",
    currencyCodes: ["EUR"],
  },
];

export const PRICES = {
  BTC: 60000,
  ETH: 2900,
  USDT: 0.92,
  XRP: 0.55,
  XLM: 0.11,
  SOL: 140,
  DOGE: 0.125,
  MULTI: 2,
};

export const TEST_CARDS = [
  { number: "4000000000002701", brand: "Visa", outcome: "Approved, no challenge" },
  { number: "5200000000002235", brand: "Mastercard", outcome: "Approved, no challenge" },
  { number: "340000000002708", brand: "American Express", outcome: "Approved, no challenge" },
  { number: "4000000000002503", brand: "Visa", outcome: "The bank asks; confirming approves" },
  { number: "4000000000002370", brand: "Visa", outcome: "3-D Secure fails, no challenge" },
  { number: "4000000000000002", brand: "Visa", outcome: "Declined by the bank" },
];
