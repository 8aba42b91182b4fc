import type { Settings } from "../settings.ts";
import { type Html, html } from "./html.ts";
import type { PinnedScript } from "./pinned-script.ts";

/** What the tags of one response carry besides their addresses. */
export interface TagParts {
  readonly nonce?: string | undefined;
  readonly pinned?: PinnedScript | undefined;
}

/** The tag that a merchant puts into every page that sells. */
export function exchangeTag(settings: Settings, { nonce, pinned }: TagParts): Html {
  if (pinned !== undefined) {
    const { script, integrity } = pinned;
    return html`<script src="${script}" integrity="${integrity}" crossorigin="anonymous" async></script>`;
  }
  const { exchangeUrl, clientId, environment } = settings;
  const query = new URLSearchParams({ clientId, env: environment });
  return html`<script src="${exchangeUrl}/sdk/exchange.js?${query.toString()}"${withNonce(nonce)} async></script>`;
}

/** The shop's own script. */
export const pageTag = ({ nonce }: TagParts = {}): Html =>
  html`<script src="/page/shop-page.js"${withNonce(nonce)} type="module"></script>`;

const withNonce = (nonce?: string): Html =>
  nonce === undefined ? html`` : html` nonce="${nonce}"`;
