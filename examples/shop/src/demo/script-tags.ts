import type { Settings } from "../settings.ts";
import { type Html, html } from "./html.ts";

/** The tag that a merchant puts into every page that sells. */
export function exchangeTag(settings: Settings, nonce?: string): Html {
  const { exchangeUrl, clientId, environment } = settings;
  const query = new URLSearchParams({ clientId, env: environment });
  return html`<script src="${exchangeUrl}/sdk/exchange.js?${query.toString()}"${withNonce(nonce)} async></script>`;
}

/** The shop's own script. */
export const pageTag = (nonce?: string): Html =>
  html`<script src="/page/shop-page.js"${withNonce(nonce)} type="module"></script>`;

const withNonce = (nonce?: string): Html =>
  nonce === undefined ? html`` : html` nonce="${nonce}"`;
