/** What the shop sells: an amount of money's worth of a coin. Prices live on the server. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly sign: string;
  readonly description: string;
  readonly price: number;
  readonly priceCurrency: string;
  readonly coin: string;
}

export const PRODUCTS: readonly Product[] = [
  {
    id: "bitcoin-100-eur",
    name: "Bitcoin",
    sign: "₿",
    description: "The first one. Sent to your own wallet.",
    price: 100,
    priceCurrency: "EUR",
    coin: "BTC",
  },
  {
    id: "ethereum-50-eur",
    name: "Ethereum",
    sign: "Ξ",
    description: "For apps, art and everything on chain.",
    price: 50,
    priceCurrency: "EUR",
    coin: "ETH",
  },
  {
    id: "usdc-200-cad",
    name: "USDC",
    sign: "$",
    description: "A digital dollar that stays a dollar.",
    price: 200,
    priceCurrency: "CAD",
    coin: "USDC",
  },
];

/** In words: €100 of Bitcoin. */
export const describe = (product: Product): string => `${formatPrice(product)} of ${product.name}`;

export const formatPrice = ({ price, priceCurrency }: Product): string =>
  new Intl.NumberFormat("en", {
    style: "currency",
    currency: priceCurrency,
    maximumFractionDigits: 0,
  }).format(price);
