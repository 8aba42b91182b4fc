import { BUY, type Product, SELL, SWAP, TRANSFER } from "../products.ts";
import type { Place } from "./snippets.ts";

/** A page that shows one way to use the checkout, and the code of it. */
export interface Example {
  readonly path: string;
  /** In menus and lists. */
  readonly name: string;
  readonly title: string;
  readonly intro: string;
  /** For the developer, where the intro is not in English. */
  readonly about?: string;
  readonly group: "operations" | "display" | "values" | "sessions" | "looks" | "policies";
  readonly products: readonly Product[];
  /** Where those are written down. */
  readonly productsFrom: Place;
  /** A function of `page/openings.ts`, by the name of its region. */
  readonly opening: string;
  readonly button: string;
  /** Where the page asks for its token. */
  readonly checkoutPath: string;
  readonly language: "en" | "ar";
  readonly theme: "auto" | "dark";
  readonly policy: "hosts" | "nonce";
  readonly keepsSession: boolean;
}

const PRODUCTS = "src/products.ts";
const EXTRA_PRODUCTS = "src/demo/extra-products.ts";

export const BASE = {
  products: BUY.slice(0, 1),
  productsFrom: { file: PRODUCTS, region: "buy" },
  opening: "modal",
  button: "Pay with exchange",
  checkoutPath: "/api/checkout",
  language: "en",
  theme: "auto",
  policy: "hosts",
  keepsSession: false,
} as const satisfies Partial<Example>;

export const PLACES = { PRODUCTS, EXTRA_PRODUCTS } as const;

export const OPERATIONS: readonly Example[] = [
  {
    ...BASE,
    path: "/",
    name: "Buy",
    title: "Coins, over the counter",
    intro: "Pick an amount, pay by card or bank transfer, and get the coins in your own wallet.",
    group: "operations",
    products: BUY,
  },
  {
    ...BASE,
    path: "/sell",
    name: "Sell",
    title: "We buy your coins",
    intro: "Send your coins to the address you are given, and get money on your bank account.",
    group: "operations",
    products: SELL,
    productsFrom: { file: PRODUCTS, region: "sell" },
    button: "Sell with exchange",
  },
  {
    ...BASE,
    path: "/swap",
    name: "Swap",
    title: "One coin for another",
    intro: "Send one coin, get the other in your own wallet. No account, no waiting list.",
    group: "operations",
    products: SWAP,
    productsFrom: { file: PRODUCTS, region: "swap" },
    button: "Swap with exchange",
  },
  {
    ...BASE,
    path: "/transfer",
    name: "Transfer",
    title: "Money, across the border",
    intro: "Pay in your currency. It arrives on a bank account abroad, in theirs.",
    group: "operations",
    products: TRANSFER,
    productsFrom: { file: PRODUCTS, region: "transfer" },
    button: "Send with exchange",
  },
];
