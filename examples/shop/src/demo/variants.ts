import type { Product } from "../products.ts";
import { BASE, type Example, OPERATIONS, PLACES } from "./examples.ts";
import { IN_ARABIC, LOCKED, ONE_OF_EACH, OPEN_PRICE } from "./extra-products.ts";

const ANY_OPERATION = {
  ...BASE,
  group: "display",
  products: ONE_OF_EACH,
  productsFrom: { file: PLACES.EXTRA_PRODUCTS, region: "one-of-each" },
} as const satisfies Partial<Example>;

const DISPLAYS: readonly Example[] = [
  {
    ...ANY_OPERATION,
    path: "/examples/modal",
    name: "Modal",
    title: "Over your page",
    intro:
      "The checkout opens in a dialog over the shop. This is what you get without saying anything.",
  },
  {
    ...ANY_OPERATION,
    path: "/examples/popup",
    name: "Popup window",
    title: "In a window of its own",
    intro: "The shop stays as it is beside the window, and hears the same events.",
    opening: "popup",
  },
  {
    ...ANY_OPERATION,
    path: "/examples/redirect",
    name: "Redirect",
    title: "There and back again",
    intro:
      "The browser leaves for the checkout and comes back to the shop's return page. The address tells that page what to say. The webhook tells the server what to do.",
    opening: "redirect",
  },
  {
    ...BASE,
    group: "display",
    path: "/examples/blocked-popup",
    name: "Blocked popup",
    title: "When windows are blocked",
    intro:
      "This page plays a browser that blocks every window. The checkout notices, and opens over the page instead.",
    opening: "blocked-popup",
  },
];

const VALUES: readonly Example[] = [
  {
    ...BASE,
    group: "values",
    path: "/examples/locked",
    name: "Locked",
    title: "Fixed by your server",
    intro:
      "Amount, currencies and wallet come from the server, inside the token. The checkout shows them and lets nobody change them, whatever the page says.",
    products: LOCKED,
    productsFrom: { file: PLACES.EXTRA_PRODUCTS, region: "locked" },
  },
  {
    ...BASE,
    group: "values",
    path: "/examples/prefilled",
    name: "Prefilled",
    title: "Filled in by your page",
    intro:
      "The page suggests €75 of Bitcoin and a wallet. The customer may change all of it: never take a price from here.",
    products: OPEN_PRICE,
    productsFrom: { file: PLACES.EXTRA_PRODUCTS, region: "prefilled" },
    opening: "prefilled",
  },
];

const SESSIONS: readonly Example[] = [
  {
    ...BASE,
    group: "sessions",
    path: "/examples/used-session",
    name: "Used session",
    title: "A session is for one order",
    intro:
      "This page keeps its session and its token. Buy once, then open the checkout again: it says that this session has its order. After a reload the server is refused a new token for it.",
    opening: "used-session",
    keepsSession: true,
  },
  {
    ...BASE,
    group: "sessions",
    path: "/examples/expired-token",
    name: "Expired token",
    title: "A token that ran out",
    intro:
      "This page asked for its token when it was loaded, and the server gave it one minute. Wait that long, then press the button. Or start at once, and it ends while you type.",
    opening: "early-token",
    checkoutPath: "/api/examples/short-token",
  },
  {
    ...BASE,
    group: "sessions",
    path: "/examples/slow-token",
    name: "Slow token",
    title: "A server that takes its time",
    intro:
      "The token comes after four seconds. The checkout opens in the click and shows its outline until then.",
    checkoutPath: "/api/examples/slow-token",
  },
  {
    ...BASE,
    group: "sessions",
    path: "/examples/failing-token",
    name: "No token",
    title: "A server that has no token",
    intro:
      "The shop's server answers with an error. The checkout says so in words for a customer, and nothing was charged.",
    checkoutPath: "/api/examples/failing-token",
  },
];

const LOOKS: readonly Example[] = [
  {
    ...BASE,
    group: "looks",
    path: "/examples/dark",
    name: "Dark",
    title: "After dark",
    intro:
      "A shop that is always dark asks for a dark checkout. Without the option it follows the customer's device.",
    opening: "dark",
    theme: "dark",
  },
  {
    ...BASE,
    group: "looks",
    path: "/examples/right-to-left",
    name: "Right to left",
    title: "العملات على المنضدة",
    intro: "اختر مبلغًا وادفع بالبطاقة أو بتحويل مصرفي، واستلم العملات في محفظتك الخاصة.",
    about:
      "A shop in Arabic asks for a checkout in Arabic. Both run from right to left; addresses, card numbers and amounts do not.",
    products: IN_ARABIC,
    productsFrom: { file: PLACES.EXTRA_PRODUCTS, region: "arabic" },
    opening: "arabic",
    button: "ادفع عبر Exchange",
    language: "ar",
  },
];

const POLICIES: readonly Example[] = [
  {
    ...BASE,
    group: "policies",
    path: "/examples/strict-policy",
    name: "Strict policy",
    title: "As strict as it gets",
    intro:
      "This page runs only scripts that carry the nonce of this one response, and requires Trusted Types. The checkout needs no exception. What the policy refuses would stand in the event log.",
    policy: "nonce",
  },
  {
    ...BASE,
    group: "policies",
    path: "/examples/pinned-script",
    name: "Pinned script",
    title: "This version and no other",
    intro:
      "The page names the version of the script and the hash of its bytes: the browser runs those or nothing. The script is the same for every merchant, so the page says whose it is.",
    opening: "pinned",
  },
];

export const VARIANTS: readonly Example[] = [
  ...DISPLAYS,
  ...VALUES,
  ...SESSIONS,
  ...LOOKS,
  ...POLICIES,
];

/** All that any page sells, each once. */
export const offeredProducts = (): readonly Product[] => [
  ...new Set([...OPERATIONS, ...VARIANTS].flatMap(({ products }) => products)),
];
