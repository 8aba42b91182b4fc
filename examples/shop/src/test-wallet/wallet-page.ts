import { html } from "../demo/html.ts";
import { renderPage } from "../demo/layout.ts";
import { CHAINS, type Chain, type Coin } from "./coins.ts";

const PAGE = {
  path: "/wallet",
  title: "Your test wallet",
  language: "en",
  theme: "auto",
  skip: "Skip to the wallet",
  data: {},
} as const;

const coinEntry = ({ code, name, chain }: Coin) => html`
        <li><span class="coin coin-${code.toLowerCase()}" aria-hidden="true">${code}</span>
          <span class="words"><span class="name">${name}</span>
          <span class="hint">${code} on ${CHAINS[chain]}</span></span>
          <strong class="amount" data-coin="${code}">…</strong></li>`;

const choice = ({ code }: Coin) => html`<option>${code}</option>`;

const address = (chain: Chain) => html`
      <div class="address" data-chain="${chain}">
        <h3>Your address on ${CHAINS[chain]}</h3>
        <p><code class="own">…</code></p>
        <div class="again"><button type="button" class="copy">Copy the address</button>
          <span class="hint copied" role="status"></span></div>
      </div>`;

const payments = (chain: Chain) => html`
      <h3>${CHAINS[chain]}</h3>
      <p class="hint waiting" data-chain="${chain}" role="status"></p>
      <p class="empty">Nothing yet. A purchase appears here when a block has it.</p>
      <ol class="entries" data-chain="${chain}"></ol>`;

const blocks = (chain: Chain) => html`
      <h3>${CHAINS[chain]}</h3>
      <ol class="blocks" data-chain="${chain}"></ol>`;

/** The page without values. Its script asks the shop's server for them. */
export function renderWalletPage(coins: readonly Coin[]): string {
  const chains = [...new Set(coins.map(({ chain }) => chain))];
  return renderPage({
    ...PAGE,
    hasTestWallet: true,
    scripts: html`<link rel="stylesheet" href="/wallet.css">
<script src="/page/wallet-page.js" type="module"></script>`,
    main: html`
  <section class="intro">
    <h1>Your test wallet</h1>
    <p>The coins here move on real chains that run on this machine. Buy some in <a href="/examples/real-coins">the
      shop</a> and watch them arrive, or sell some and pay from here. They are worth nothing anywhere else.</p>
  </section>
  <p id="notice" class="notice" role="alert"></p>
  <div class="columns">
    <section class="card" aria-labelledby="balance-title">
      <h2 id="balance-title">Balance</h2>
      <ul class="coins">${coins.map(coinEntry)}</ul>
      ${chains.map(address)}
      <p class="hint">Paste an address into the checkout when it asks where to send your coins.</p>
    </section>
    <form id="pay-form" class="card" aria-labelledby="pay-title" action="/api/wallet/payments">
      <h2 id="pay-title">Send coins</h2>
      <p class="hint">When you sell, the checkout shows an address and an amount. Copy both to here.</p>
      <div class="pair">
        <label>Amount <input name="amount" inputmode="decimal" autocomplete="off" required maxlength="40"></label>
        <label>Coin <select name="coin">${coins.map(choice)}</select></label>
      </div>
      <label>To <input name="to" autocomplete="off" spellcheck="false" required maxlength="90"></label>
      <button class="primary" type="submit">Send</button>
      <p id="problem" class="notice" role="alert"></p>
      <p id="sent" class="hint" role="status"></p>
    </form>
    <section id="payments" class="card" aria-labelledby="payments-title">
      <h2 id="payments-title">Payments</h2>
      ${chains.map(payments)}
    </section>
    <section class="card" aria-labelledby="blocks-title">
      <h2 id="blocks-title">Blocks</h2>
      <p class="hint">A block every few seconds while something is paid. After four more a block is final, and
        the shop believes it.</p>
      ${chains.map(blocks)}
    </section>
  </div>`,
  });
}

/** `GET /wallet` of a shop without a test chain. */
export const renderNoWalletPage = (): string =>
  renderPage({
    ...PAGE,
    hasTestWallet: false,
    main: html`
  <section class="intro">
    <h1>There is no test chain</h1>
    <p>The sandbox plays every chain at the moment. Stop the service and start it with a chain of its own:</p>
    <pre tabindex="0" role="group" aria-label="Command"><code>npm start -- --chains local</code></pre>
    <p>It runs an Ethereum node on this machine, and a Litecoin node where it can be had. A wallet is filled with coins for
      you to spend.</p>
  </section>`,
  });
