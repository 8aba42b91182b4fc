import { type Words, wordsIn } from "../page/words.ts";
import { type Code, codeSection } from "./code.ts";
import { OPERATIONS } from "./examples.ts";
import { type Html, html } from "./html.ts";

/** The parts that pages differ in. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly language: "en" | "ar";
  readonly theme: "auto" | "dark";
  readonly skip: string;
  /** `data-*` of the body, for the page's script. */
  readonly data: Readonly<Record<string, string | undefined>>;
  /** Tags for the head. */
  readonly scripts?: Html;
  readonly main: Html;
  /** Whether the shop has a test chain, and so a wallet to pay from. */
  readonly hasTestWallet: boolean;
  /** The developer's half, beside and below the customer's. */
  readonly developer?: Html;
}

const STYLES = ["base", "shop", "purchase", "developer"];
const LINKS = [...OPERATIONS, { path: "/examples", name: "Examples" }];
const WALLET_LINK = { path: "/wallet", name: "Test wallet" };

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const attributes = (data: Page["data"]): Html[] =>
  Object.entries(data).map(([name, value]) =>
    value === undefined ? html`` : html` data-${kebab(name)}="${value}"`,
  );

const isCurrent = (link: string, path: string): boolean =>
  link === path || (link === "/examples" && path.startsWith("/examples/"));

const navigation = ({ path, hasTestWallet }: Page): Html => html`<nav aria-label="Shop" lang="en">
    <ul>${[...LINKS, ...(hasTestWallet ? [WALLET_LINK] : [])].map(
      (link) =>
        html`<li><a href="${link.path}"${isCurrent(link.path, path) && html` aria-current="page"`}>${link.name}</a></li>`,
    )}</ul>
  </nav>`;

export const renderPage = (page: Page): string =>
  html`<!doctype html>
<html lang="${page.language}" dir="${page.language === "ar" ? "rtl" : "ltr"}" data-theme="${page.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<title>${page.title} – Corner Coins</title>
<link rel="icon" href="data:,">
${STYLES.map((name) => html`<link rel="stylesheet" href="/${name}.css">\n`)}${page.scripts}
</head>
<body${attributes(page.data)}>
<a class="skip" href="#main">${page.skip}</a>
<header class="top">
  <p class="brand"><span class="mark" aria-hidden="true">◐</span> Corner Coins <span class="badge" lang="en">Demo shop</span></p>
  ${navigation(page)}
</header>
<div class="page">
<main id="main">${page.main}</main>
${page.developer}
</div>
<footer lang="en" dir="ltr">This shop sells nothing. It shows how a merchant uses Exchange.</footer>
</body>
</html>
`.text;

/** The event log, which the page's script fills, and the code of the page. */
export const developerHalf = (
  code: Code,
  eventsEmpty = "Nothing yet. Start a checkout.",
): Html => html`<aside class="log" aria-labelledby="log-title" lang="en" dir="ltr">
  <h2 id="log-title">Event log</h2>
  <section class="card" aria-labelledby="webhooks-title">
    <h3 id="webhooks-title">Webhooks at the server</h3>
    <p class="hint">They decide. Only a verified one marks a purchase paid.</p>
    <p class="empty">Nothing yet. They arrive when an order is placed.</p>
    <ol id="webhooks" class="entries"></ol>
  </section>
  <section class="card" aria-labelledby="events-title">
    <h3 id="events-title">Events in the page</h3>
    <p class="hint">Hints for how your page looks: <code>exchange.on("*", listener)</code>.</p>
    <p class="empty">${eventsEmpty}</p>
    <ol id="sdk-events" class="entries"></ol>
  </section>
</aside>${codeSection(code)}`;

/** The purchase as the shop's server has it. The page's script fills it. */
export const purchasePanel = ({
  words = wordsIn("en"),
  keepsSession = false,
}: {
  readonly words?: Words;
  /** Offers to open the checkout again with the same session. */
  readonly keepsSession?: boolean;
}): Html => html`
      <p id="notice" class="notice" role="alert"></p>
      <p id="hint" class="hint" role="status"></p>
      <section id="purchase" aria-labelledby="purchase-title" hidden>
        <h2 id="purchase-title">${words.purchase.B}</h2>
        <p id="purchase-status" class="status" role="status"></p>
        <ol class="steps" id="purchase-steps">
          <li data-step="waiting_for_payment">${words.started}</li>
          <li data-step="order_placed">${words.placed}</li>
          <li data-step="paid">${words.paid.B}</li>
        </ol>
        <p class="hint"><span id="purchase-product"></span> · ${words.session} <code id="purchase-session" dir="ltr"></code></p>
        <p id="from-wallet" hidden>${words.fromWallet} <a href="/wallet" target="_blank">${words.openWallet}</a></p>
        <p id="continue" hidden><a href="/" target="_blank" rel="noopener noreferrer">${words.continue}</a></p>
        <div id="simulate" class="again" hidden>
          <p class="hint">${words.simulateHint}</p>
          <button id="simulate-payment" type="button">${words.simulate}</button>
        </div>
        <div id="again" class="again" hidden>
          ${keepsSession && html`<button id="open-again" type="button">${words.again}</button>`}
          <button id="new-purchase" type="button">${words.newPurchase}</button>
        </div>
      </section>`;
