import { type Words, wordsIn } from "../page/words.ts";
import type { Product } from "../products.ts";
import type { Settings } from "../settings.ts";
import { type Code, codeSection } from "./code-section.ts";
import { eventLog } from "./event-log.ts";
import type { Example } from "./examples.ts";
import { type Html, html } from "./html.ts";
import { renderFrame } from "./layout.ts";
import { purchasePanel } from "./purchase-panel.ts";
import { exchangeTag, pageTag, type TagParts } from "./script-tags.ts";

const COINS = ["BTC", "ETH", "USDC"];

/** An amount in the page's language: €100, or 0.01 BTC. */
function price({ lock }: Product, { language }: Example): string {
  const { baseAmount: amount, baseCurrency: currency = "" } = lock;
  if (amount === undefined) return wordsIn(language).openPrice;
  if (COINS.includes(currency)) return `${amount} ${currency}`;
  const style = { style: "currency", currency, maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(language, style).format(amount);
}

const productCard =
  (example: Example, words: Words): ((product: Product, index: number) => Html) =>
  (product, index) =>
    html`
<label class="product">
  <input type="radio" name="productId" value="${product.id}"${index === 0 && html` checked`}
    data-name="${product.name}" data-price="${price(product, example)}"
    data-total="${words.total[product.lock.operationType]}">
  <span class="coin coin-${product.sign.toLowerCase()}" aria-hidden="true">${product.sign}</span>
  <span class="words">
    <span class="name">${product.name}</span>
    <span class="hint">${product.description}</span>
  </span>
</label>`;

const summary = (example: Example, words: Words): Html => html`
    <section class="card summary" aria-labelledby="summary-title">
      <h2 id="summary-title">${words.summary}</h2>
      <dl>
        <div><dt>${words.product}</dt><dd id="summary-product"></dd></div>
        <div><dt>${words.fee}</dt><dd>${words.none}</dd></div>
        <div class="total"><dt id="summary-total-label"></dt><dd id="summary-total"></dd></div>
      </dl>
      <button id="pay" class="primary" type="button">${example.button}</button>
      ${purchasePanel(words, example.keepsSession)}
    </section>`;

export interface PageParts {
  readonly settings: Settings;
  readonly code: Code;
  readonly tags: TagParts;
}

/** A page of the shop. It is the same for everyone: what belongs to one customer comes by script. */
export function renderExample(example: Example, { settings, code, tags }: PageParts): string {
  const { path, title, language, theme, opening } = example;
  const words = wordsIn(language);
  const form = html`<form id="order-form" action="${example.checkoutPath}">
      ${example.keepsSession && html`<input type="hidden" name="sessionId">`}
      <fieldset><legend>${words.choose}</legend>${example.products.map(productCard(example, words))}</fieldset>
    </form>`;
  return renderFrame({
    path,
    title,
    language,
    theme,
    skip: words.skip,
    data: { clientId: settings.clientId, env: settings.environment, opening },
    scripts: html`${exchangeTag(settings, tags)}\n${pageTag(tags)}`,
    main: html`
  <section class="intro">
    <h1>${title}</h1>
    <p>${example.intro}</p>
    ${example.about !== undefined && html`<p class="hint" lang="en" dir="ltr">${example.about}</p>`}
  </section>
  <div class="columns">
    ${form}
    ${summary(example, words)}
  </div>`,
    rest: html`${eventLog()}${codeSection(code)}`,
  });
}
