/** Terms that the token of a product fixes. Nothing that a browser sends can change them. */
export interface Lock {
  readonly operationType: "B" | "S" | "CC" | "FF";
  readonly baseCurrency?: string;
  readonly baseAmount?: number;
  readonly targetCurrency?: string;
  readonly walletAddress?: string;
}

/** Something the shop offers. Prices live on the server; without an amount the price is open. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The currency on the round sign in front of it. */
  readonly sign: string;
  readonly lock: Lock;
}

// #region buy
export const BUY: readonly Product[] = [
  {
    id: "bitcoin-100-eur",
    name: "€100 of Bitcoin",
    description: "The first one. Sent to your own wallet.",
    sign: "BTC",
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 100, targetCurrency: "BTC" },
  },
  {
    id: "ethereum-50-eur",
    name: "€50 of Ethereum",
    description: "For apps, art and everything on chain.",
    sign: "ETH",
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 50, targetCurrency: "ETH" },
  },
  {
    id: "usdc-200-cad",
    name: "CA$200 of USDC",
    description: "A digital dollar that stays a dollar.",
    sign: "USDC",
    lock: { operationType: "B", baseCurrency: "CAD", baseAmount: 200, targetCurrency: "USDC" },
  },
];
// #endregion

// #region sell
export const SELL: readonly Product[] = [
  {
    id: "sell-bitcoin",
    name: "0.01 Bitcoin for euros",
    description: "Paid out to your bank account.",
    sign: "BTC",
    lock: { operationType: "S", baseCurrency: "BTC", baseAmount: 0.01, targetCurrency: "EUR" },
  },
  {
    id: "sell-ethereum",
    name: "0.2 Ethereum for pounds",
    description: "Paid out to your bank account.",
    sign: "ETH",
    lock: { operationType: "S", baseCurrency: "ETH", baseAmount: 0.2, targetCurrency: "GBP" },
  },
];
// #endregion

// #region swap
export const SWAP: readonly Product[] = [
  {
    id: "swap-ethereum-bitcoin",
    name: "0.5 Ethereum for Bitcoin",
    description: "You send one coin and get the other.",
    sign: "ETH",
    lock: { operationType: "CC", baseCurrency: "ETH", baseAmount: 0.5, targetCurrency: "BTC" },
  },
  {
    id: "swap-bitcoin-ethereum",
    name: "0.02 Bitcoin for Ethereum",
    description: "The same counter, the other way round.",
    sign: "BTC",
    lock: { operationType: "CC", baseCurrency: "BTC", baseAmount: 0.02, targetCurrency: "ETH" },
  },
];
// #endregion

// #region transfer
export const TRANSFER: readonly Product[] = [
  {
    id: "transfer-100-eur-usd",
    name: "€100 to the United States",
    description: "Arrives in dollars, on a bank account.",
    sign: "USD",
    lock: { operationType: "FF", baseCurrency: "EUR", baseAmount: 100, targetCurrency: "USD" },
  },
  {
    id: "transfer-250-eur-gbp",
    name: "€250 to the United Kingdom",
    description: "Arrives in pounds, on a bank account.",
    sign: "GBP",
    lock: { operationType: "FF", baseCurrency: "EUR", baseAmount: 250, targetCurrency: "GBP" },
  },
];
// #endregion
