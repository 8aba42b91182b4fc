import { BUY, type Product, SELL, SWAP, TRANSFER } from "../products.ts";

/** A wallet for trying things out. Never send anything to it. */
const TRIAL_WALLET = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

// #region locked
export const LOCKED: readonly Product[] = [
  {
    id: "refill-our-wallet",
    name: "€60 of Bitcoin for the shop's wallet",
    description: "Amount, currencies and wallet are in the token: the customer only pays.",
    sign: "BTC",
    lock: {
      operationType: "B",
      baseCurrency: "EUR",
      baseAmount: 60,
      targetCurrency: "BTC",
      walletAddress: TRIAL_WALLET,
    },
  },
];
// #endregion

// #region prefilled
export const OPEN_PRICE: readonly Product[] = [
  {
    id: "any-amount",
    name: "As much as you like",
    description: "The token says that it is a purchase, and nothing else.",
    sign: "ANY",
    lock: { operationType: "B" },
  },
];
// #endregion

// #region one-of-each
/** One of each operation. */
export const ONE_OF_EACH: readonly Product[] = [BUY, SELL, SWAP, TRANSFER].flatMap((products) =>
  products.slice(0, 1),
);
// #endregion

// #region real-coins
/** Coins of Ethereum and Litecoin, bought and sold. With test chains they move on them. */
export const REAL_COINS: readonly Product[] = [
  {
    id: "tether-40-eur",
    name: "€40 of Tether",
    description: "USDT on Ethereum, sent to your own wallet.",
    sign: "USDT",
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 40, targetCurrency: "USDT" },
  },
  ...BUY.filter(({ sign }) => sign === "ETH"),
  {
    id: "sell-ethereum-eur",
    name: "0.05 Ethereum for euros",
    description: "You send ether. The euros go to your bank account.",
    sign: "ETH",
    lock: { operationType: "S", baseCurrency: "ETH", baseAmount: 0.05, targetCurrency: "EUR" },
  },
  {
    id: "litecoin-40-eur",
    name: "€40 of Litecoin",
    description: "LTC, sent to your own wallet.",
    sign: "LTC",
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 40, targetCurrency: "LTC" },
  },
  {
    id: "sell-litecoin-eur",
    name: "0.8 Litecoin for euros",
    description: "You send LTC. The euros go to your bank account.",
    sign: "LTC",
    lock: { operationType: "S", baseCurrency: "LTC", baseAmount: 0.8, targetCurrency: "EUR" },
  },
  {
    id: "sell-tether-eur",
    name: "60 Tether for euros",
    description: "You send USDT. The euros go to your bank account.",
    sign: "USDT",
    lock: { operationType: "S", baseCurrency: "USDT", baseAmount: 60, targetCurrency: "EUR" },
  },
];
// #endregion

// #region arabic
export const IN_ARABIC: readonly Product[] = [
  {
    id: "bitcoin-100-eur-ar",
    name: "بيتكوين بقيمة 100 يورو",
    description: "تصل إلى محفظتك الخاصة.",
    sign: "BTC",
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 100, targetCurrency: "BTC" },
  },
  {
    id: "ethereum-50-eur-ar",
    name: "إيثريوم بقيمة 50 يورو",
    description: "للتطبيقات والفنون وكل ما على السلسلة.",
    sign: "ETH",
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 50, targetCurrency: "ETH" },
  },
];
// #endregion
