import { BUY, type Product, SELL, SWAP, TRANSFER } from "../products.ts";
import { IN_ARABIC, LOCKED, ONE_OF_EACH, OPEN_PRICE, REAL_COINS } from "./extra-products.ts";

/** Products, and the region of the file that lists them. */
interface Shelf {
  readonly products: readonly Product[];
  readonly file: string;
  readonly region: string;
}

/** A page that shows one way to use the checkout, with its code. */
export interface Example {
  readonly path: string;
  /** In menus and lists. */
  readonly name: string;
  readonly title: string;
  readonly intro: string;
  /** For the developer, where the intro is not in English. */
  readonly about?: string;
  readonly group: string;
  readonly shelf: Shelf;
  /** A function of `page/openings.ts`, by the name of its region. */
  readonly opening: string;
  readonly button: string;
  /** The route that creates the page's token. */
  readonly checkoutPath: string;
  readonly language: "en" | "ar";
  readonly theme: "auto" | "dark";
  readonly hasNonce: boolean;
  readonly keepsSession: boolean;
}

const shelf = (region: string, products: readonly Product[]): Shelf => ({
  products,
  file: "src/products.ts",
  region,
});
const extraShelf = (region: string, products: readonly Product[]): Shelf => ({
  products,
  file: "src/demo/extra-products.ts",
  region,
});

const DEFAULTS = {
  shelf: shelf("buy", BUY.slice(0, 1)),
  opening: "modal",
  button: "Pay with Exchange",
  checkoutPath: "/api/checkout",
  language: "en",
  theme: "auto",
  hasNonce: false,
  keepsSession: false,
} as const satisfies Partial<Example>;

type OwnParts = Partial<Example> & Pick<Example, "path" | "name" | "title" | "intro">;

const group = (name: string, examples: readonly OwnParts[]): readonly Example[] =>
  examples.map((own) => ({ ...DEFAULTS, ...own, group: name }));

export const OPERATIONS = group("The four operations", [
  {
    path: "/",
    name: "Buy",
    title: "Coins, over the counter",
    intro: "Pick an amount, pay by card or bank transfer, and get the coins in your own wallet.",
    shelf: shelf("buy", BUY),
  },
  {
    path: "/sell",
    name: "Sell",
    title: "We buy your coins",
    intro: "Send your coins to the address you are given, and get money in your bank account.",
    shelf: shelf("sell", SELL),
    button: "Sell with Exchange",
  },
  {
    path: "/swap",
    name: "Swap",
    title: "One coin for another",
    intro: "Send one coin, get the other in your own wallet. No account, no waiting list.",
    shelf: shelf("swap", SWAP),
    button: "Swap with Exchange",
  },
  {
    path: "/transfer",
    name: "Transfer",
    title: "Money, across the border",
    intro: "Pay in your currency. It arrives in a bank account abroad, in its own currency.",
    shelf: shelf("transfer", TRANSFER),
    button: "Send with Exchange",
  },
]);

const DISPLAYS = group("Where the checkout opens", [
  {
    path: "/examples/modal",
    name: "Modal",
    title: "Over your page",
    intro: "The checkout opens in a dialog over the shop. This is the default.",
    shelf: extraShelf("one-of-each", ONE_OF_EACH),
  },
  {
    path: "/examples/popup",
    name: "Popup window",
    title: "In a window of its own",
    intro: "The shop stays as it is beside the window, and hears the same events.",
    shelf: extraShelf("one-of-each", ONE_OF_EACH),
    opening: "popup",
  },
  {
    path: "/examples/redirect",
    name: "Redirect",
    title: "There and back again",
    intro:
      "The browser leaves for the checkout and comes back to the shop's return page. The address tells that page what to say. The webhook tells the server what to do.",
    shelf: extraShelf("one-of-each", ONE_OF_EACH),
    opening: "redirect",
  },
  {
    path: "/examples/blocked-popup",
    name: "Blocked popup",
    title: "When windows are blocked",
    intro:
      "This page plays a browser that blocks every window. The checkout notices, and opens over the page instead.",
    opening: "blocked-popup",
  },
]);

const VALUES = group("Who decides what is sold", [
  {
    path: "/examples/locked",
    name: "Locked",
    title: "Fixed by your server",
    intro:
      "Amount, currencies and wallet come from the server, inside the token. The checkout shows them and lets nobody change them, whatever the page says.",
    shelf: extraShelf("locked", LOCKED),
  },
  {
    path: "/examples/prefilled",
    name: "Prefilled",
    title: "Filled in by your page",
    intro:
      "The page suggests €75 of Bitcoin and a wallet. The customer may change all of it: never take a price from here.",
    shelf: extraShelf("prefilled", OPEN_PRICE),
    opening: "prefilled",
  },
]);

const SESSIONS = group("Sessions and tokens", [
  {
    path: "/examples/used-session",
    name: "Used session",
    title: "A session is for one order",
    intro:
      "This page keeps its session and its token. Buy once, then open the checkout again: it says that this session has its order. After a reload the server is refused a new token for it.",
    opening: "used-session",
    keepsSession: true,
  },
  {
    path: "/examples/expired-token",
    name: "Expired token",
    title: "A token that ran out",
    intro:
      "This page asked for its token when it was loaded, and the server gave it one minute. Wait that long, then press the button. Or start at once, and it ends while you type.",
    opening: "early-token",
    checkoutPath: "/api/examples/short-token",
  },
  {
    path: "/examples/slow-token",
    name: "Slow token",
    title: "A server that takes its time",
    intro:
      "The token comes after four seconds. The dialog opens in the click and says that the checkout is loading until then.",
    checkoutPath: "/api/examples/slow-token",
  },
  {
    path: "/examples/failing-token",
    name: "No token",
    title: "A server that has no token",
    intro:
      "The shop's server answers with an error. The checkout says so in words for a customer, and nothing was charged.",
    checkoutPath: "/api/examples/failing-token",
  },
]);

const LOOKS = group("Looks and languages", [
  {
    path: "/examples/dark",
    name: "Dark",
    title: "After dark",
    intro:
      "A shop that is always dark asks for a dark checkout. Without the option it follows the customer's device.",
    opening: "dark",
    theme: "dark",
  },
  {
    path: "/examples/right-to-left",
    name: "Right to left",
    title: "العملات على المنضدة",
    intro: "اختر مبلغًا وادفع بالبطاقة أو بتحويل مصرفي، واستلم العملات في محفظتك الخاصة.",
    about:
      "A shop in Arabic asks for a checkout in Arabic. Both run from right to left; addresses, card numbers and amounts do not.",
    shelf: extraShelf("arabic", IN_ARABIC),
    opening: "arabic",
    button: "ادفع عبر Exchange",
    language: "ar",
  },
]);

const CHAINS = group("Coins on a chain", [
  {
    path: "/examples/real-coins",
    name: "Real coins",
    title: "Coins that really move",
    intro:
      "Start with npm start -- --chains local, and these coins move on chains of this machine: Ethereum, and Litecoin where its node is installed. Your test wallet shows each payment and block. Without it the sandbox plays the chains.",
    shelf: extraShelf("real-coins", REAL_COINS),
    button: "Continue with Exchange",
  },
]);

const POLICIES = group("Security policies", [
  {
    path: "/examples/strict-policy",
    name: "Strict policy",
    title: "As strict as it gets",
    intro:
      "This page runs only scripts that carry the nonce of this one response, and requires Trusted Types. The checkout needs no exception. The event log would show every violation of the policy.",
    hasNonce: true,
  },
  {
    path: "/examples/pinned-script",
    name: "Pinned script",
    title: "This version and no other",
    intro:
      "The page names the version of the script and the hash of its bytes: the browser runs those or nothing. The script is the same for every merchant, so the page says whose it is.",
    opening: "pinned",
  },
]);

export const EXAMPLES: readonly Example[] = [
  ...OPERATIONS,
  ...DISPLAYS,
  ...VALUES,
  ...SESSIONS,
  ...LOOKS,
  ...CHAINS,
  ...POLICIES,
];
