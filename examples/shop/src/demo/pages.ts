import { type Words, wordsIn } from "../page/words.ts";
import type { Product } from "../products.ts";
import type { Settings } from "../settings.ts";
import { codeOf, SHOWN_NONCE } from "./code.ts";
import { EXAMPLES, type Example } from "./examples.ts";
import { type Html, html } from "./html.ts";
import { developerHalf, purchasePanel, renderPage } from "./layout.ts";

/** One version of exchange.js, whose bytes never change. */
export interface PinnedScript {
  readonly script: string;
  readonly integrity: string;
}

/** Attributes that differ from one response to the next. */
export interface TagParts {
  readonly nonce?: string;
  readonly pinned?: PinnedScript;
}

const withNonce = (nonce?: string): Html | false => nonce !== undefined && html` nonce="${nonce}"`;

/** The tag that a merchant puts into every page that sells. */
function exchangeTag(settings: Settings, { nonce, pinned }: TagParts): Html {
  if (pinned !== undefined) {
    const { script, integrity } = pinned;
    return html`<script src="${script}" integrity="${integrity}" crossorigin="anonymous" async></script>`;
  }
  const { exchangeUrl, clientId, environment } = settings;
  const query = new URLSearchParams({ clientId, env: environment });
  return html`<script src="${exchangeUrl}/sdk/exchange.js?${query.toString()}"${withNonce(nonce)} async></script>`;
}

/** The shop's own script. */
export const pageTag = (nonce?: string): Html =>
  html`<script src="/page/shop-page.js"${withNonce(nonce)} type="module"></script>`;

const COINS = ["BTC", "ETH", "USDC", "USDT"];

/** An amount in the page's language: €100, or 0.01 BTC. */
function price({ lock }: Product, language: string): string {
  const { baseAmount: amount, baseCurrency: currency = "" } = lock;
  if (amount === undefined) return wordsIn(language).openPrice;
  if (COINS.includes(currency)) return `${amount} ${currency}`;
  const style = { style: "currency", currency, maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(language, style).format(amount);
}

const productCard =
  (language: string, words: Words) =>
  (product: Product, index: number): Html =>
    html`
<label class="product">
  <input type="radio" name="productId" value="${product.id}"${index === 0 && html` checked`}
    data-name="${product.name}" data-price="${price(product, language)}"
    data-total="${words.total[product.lock.operationType]}">
  <span class="coin coin-${product.sign.toLowerCase()}" aria-hidden="true">${product.sign}</span>
  <span class="words">
    <span class="name">${product.name}</span>
    <span class="hint">${product.description}</span>
  </span>
</label>`;

const summary = ({ button, keepsSession }: Example, words: Words): Html => html`
    <section class="card summary" aria-labelledby="summary-title">
      <h2 id="summary-title">${words.summary}</h2>
      <dl>
        <div><dt>${words.product}</dt><dd id="summary-product"></dd></div>
        <div><dt>${words.fee}</dt><dd>${words.none}</dd></div>
        <div class="total"><dt id="summary-total-label"></dt><dd id="summary-total"></dd></div>
      </dl>
      <button id="pay" class="primary" type="button">${button}</button>
      ${purchasePanel({ words, keepsSession })}
    </section>`;

/** A page of the shop. It is the same for everyone: the page's script adds the customer's purchase. */
export function renderExample(example: Example, settings: Settings, tags: TagParts): string {
  const { path, title, language, theme, opening, about, shelf } = example;
  const words = wordsIn(language);
  const shownTags = tags.nonce === undefined ? tags : { nonce: SHOWN_NONCE };
  return renderPage({
    path,
    title,
    language,
    theme,
    skip: words.skip,
    data: { clientId: settings.clientId, env: settings.environment, opening },
    hasTestWallet: settings.testNode !== undefined,
    scripts: html`${exchangeTag(settings, tags)}\n${pageTag(tags.nonce)}`,
    main: html`
  <section class="intro">
    <h1>${title}</h1>
    <p>${example.intro}</p>
    ${about !== undefined && html`<p class="hint" lang="en" dir="ltr">${about}</p>`}
  </section>
  <div class="columns">
    <form id="order-form" action="${example.checkoutPath}">
      ${example.keepsSession && html`<input type="hidden" name="sessionId">`}
      <fieldset><legend>${words.choose}</legend>${shelf.products.map(productCard(language, words))}</fieldset>
    </form>
    ${summary(example, words)}
  </div>`,
    developer: developerHalf(codeOf(example, exchangeTag(settings, shownTags), settings)),
  });
}

const link = ({ path, name, intro, about = intro }: Example): Html => html`
      <li class="card"><h3><a href="${path}">${name}</a></h3>
        <p class="hint">${about}</p></li>`;

const groupSection = (name: string, index: number): Html => html`
  <section aria-labelledby="group-${index}">
    <h2 id="group-${index}">${name}</h2>
    <ul class="cards">${EXAMPLES.filter(({ group }) => group === name).map(link)}
    </ul>
  </section>`;

/** The list of every page of the shop. */
export const renderIndex = ({ testNode }: Settings): string =>
  renderPage({
    path: "/examples",
    title: "Examples",
    language: "en",
    theme: "auto",
    skip: "Skip to the examples",
    data: {},
    hasTestWallet: testNode !== undefined,
    main: html`
  <section class="intro">
    <h1>See it, then copy it</h1>
    <p>Each page shows one thing that the checkout does, logs what it says, and offers the code that does it.</p>
  </section>
  ${[...new Set(EXAMPLES.map(({ group }) => group))].map(groupSection)}
  <section aria-labelledby="group-react">
    <h2 id="group-react">React</h2>
    <p class="hint">A button and a hook around the same script: <code>@exchange/react</code>, described in
      <code>sdk/react/README.md</code> of the repository.</p>
  </section>`,
  });
