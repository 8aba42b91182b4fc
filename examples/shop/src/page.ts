import { describe, formatPrice, PRODUCTS, type Product } from "./products.ts";
import type { Settings } from "./settings.ts";

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const productCard = (product: Product, index: number): string => `
<label class="product">
  <input type="radio" name="product" value="${escape(product.id)}"${index === 0 ? " checked" : ""}
    data-name="${escape(product.name)}" data-price="${escape(formatPrice(product))}"
    data-amount="${product.price}" data-currency="${escape(product.priceCurrency)}"
    data-coin="${escape(product.coin)}">
  <span class="coin coin-${escape(product.coin.toLowerCase())}" aria-hidden="true">${escape(product.sign)}</span>
  <span class="words">
    <span class="name">${escape(describe(product))}</span>
    <span class="hint">${escape(product.description)}</span>
  </span>
</label>`;

const SUMMARY = `<section class="card summary" aria-labelledby="summary-title">
      <h2 id="summary-title">Order summary</h2>
      <dl>
        <div><dt>Product</dt><dd id="summary-product"></dd></div>
        <div><dt>Shop fee</dt><dd>None</dd></div>
        <div class="total"><dt>Total</dt><dd id="summary-total"></dd></div>
      </dl>
      <button id="pay" class="primary" type="button">Pay with exchange</button>
      <p id="notice" class="notice" role="alert"></p>
      <p id="hint" class="hint" role="status"></p>
      <section id="purchase" aria-labelledby="purchase-title" hidden>
        <h2 id="purchase-title">Your purchase</h2>
        <p id="purchase-status" class="status" role="status"></p>
        <ol class="steps" id="purchase-steps">
          <li data-step="waiting_for_payment">Waiting for payment</li>
          <li data-step="order_placed">Order placed</li>
          <li data-step="paid">Paid</li>
        </ol>
        <p class="hint"><span id="purchase-product"></span>, session <code id="purchase-session"></code></p>
        <div id="simulate" class="again" hidden>
          <p class="hint">In the sandbox nobody sends this payment. The shop's server can make it arrive.</p>
          <button id="simulate-payment" type="button">Simulate the payment</button>
        </div>
        <div id="again" class="again" hidden>
          <button id="buy-again" type="button">Buy again in the same session</button>
          <button id="new-purchase" type="button">New purchase</button>
        </div>
      </section>
    </section>`;

const LIVE_VIEW = `  <section class="live" aria-labelledby="live-title">
    <h2 id="live-title">Live view</h2>
    <p class="hint">What the page and the server of this shop hear. Events are hints; only a verified webhook marks a purchase paid.</p>
    <div class="columns even">
      <section class="card" aria-labelledby="events-title">
        <h3 id="events-title">Events in the page</h3>
        <p class="empty">Nothing yet. Start a checkout.</p>
        <ol id="sdk-events" class="entries"></ol>
      </section>
      <section class="card" aria-labelledby="webhooks-title">
        <h3 id="webhooks-title">Webhooks at the server</h3>
        <p class="empty">Nothing yet. They arrive when an order is placed.</p>
        <ol id="webhooks" class="entries"></ol>
      </section>
    </div>
  </section>
`;

/** The product page. It is the same for everyone: what belongs to one customer comes by script. */
export function renderPage({ exchangeUrl, clientId, environment }: Settings): string {
  const query = new URLSearchParams({ clientId, env: environment });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Corner Coins</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<script src="${escape(`${exchangeUrl}/sdk/exchange.js?${query}`)}" async></script>
<script src="/shop.js" type="module"></script>
</head>
<body data-client-id="${escape(clientId)}" data-environment="${escape(environment)}">
<a class="skip" href="#main">Skip to the products</a>
<header class="top">
  <p class="brand"><span class="mark" aria-hidden="true">◐</span> Corner Coins</p>
  <p class="badge">Demo shop</p>
</header>
<main id="main">
  <section class="intro">
    <h1>Coins, over the counter</h1>
    <p>Pick an amount, pay by card or bank transfer, and get the coins in your own wallet in a moment.</p>
  </section>
  <div class="columns">
    <form id="order-form">
      <fieldset><legend>Choose a product</legend>${PRODUCTS.map(productCard).join("")}</fieldset>
    </form>
    ${SUMMARY}
  </div>
${LIVE_VIEW}</main>
<footer>This shop sells nothing. It shows how a merchant uses Exchange.</footer>
</body>
</html>`;
}
