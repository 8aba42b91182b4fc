import type { CheckoutResult, ExchangeOptions } from "@exchange/browser";
import { orderForm } from "./elements.ts";
import { followPurchase, purchase, showNotice } from "./purchase.ts";

// #region fetch-token
/** Asks the shop's own server, never Exchange: the API key stays there. */
export async function fetchToken() {
  const response = await fetch(orderForm.action, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(Object.fromEntries(new FormData(orderForm))),
  });
  const { sessionId, token, message } = await response.json();
  if (!response.ok) {
    showNotice(message);
    throw new Error(message);
  }
  followPurchase({ sessionId, token }); // shows "Your purchase"
  return token;
}
// #endregion

// #region modal
/** Opens over this page. Call it in the click; the token may come a moment later. */
export const openModal = () => window.exchange.init({ authenticationToken: fetchToken });
// #endregion

// #region popup
/** Opens in a window of its own. Call it in the click, or the browser blocks the window. */
export const openPopup = () =>
  window.exchange.init({ authenticationToken: fetchToken, display: "popup" });
// #endregion

// #region redirect
/** Leaves this page for the checkout. The customer comes back to `returnUrl`. */
export const openRedirect = () =>
  window.exchange.init({
    authenticationToken: fetchToken,
    display: "redirect",
    returnUrl: `${location.origin}/return`,
  });
// #endregion

// #region blocked-popup
/** Plays a browser that blocks every window. The checkout opens as a modal. */
export function openBlockedPopup() {
  window.open = () => null;
  return window.exchange.init({ authenticationToken: fetchToken, display: "popup" });
}
// #endregion

/** The merchant, as in the address of exchange.js. Both values are public. */
const { clientId, env } = document.body.dataset as unknown as ExchangeOptions;

// #region prefilled
/** Fills in values that the customer may change. */
export function openPrefilled() {
  window.exchange.configure({
    clientId,
    env,
    baseCurrency: "eur",
    baseAmount: 75,
    targetCurrency: "btc",
    walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
  });
  return window.exchange.init({ authenticationToken: fetchToken });
}
// #endregion

// #region used-session
/** Uses one token for every click, as a page does that is older than the order. */
export const openUsedSession = () =>
  window.exchange.init({ authenticationToken: async () => purchase.token ?? fetchToken() });
// #endregion

// #region early-token
/** Asks for the token when the page loads, not in the click: it may be too old by then. */
export function prepareEarly() {
  const early = fetchToken();
  early.catch(() => {}); // the checkout reports it once it is opened
  return () => window.exchange.init({ authenticationToken: early });
}
// #endregion

// #region dark
/** Light, dark, or `auto`: as the customer's device says, which is the default. */
export const openDark = () =>
  window.exchange.init({ authenticationToken: fetchToken, theme: "dark" });
// #endregion

// #region arabic
/** Opens in the page's language. Right-to-left comes with it. */
export const openArabic = () =>
  window.exchange.init({ authenticationToken: fetchToken, locale: "ar" });
// #endregion

// #region pinned
/** The pinned script is the same for every merchant: `configure` says whose page this is. */
export function openPinned() {
  window.exchange.configure({ clientId, env });
  return window.exchange.init({ authenticationToken: fetchToken });
}
// #endregion

const OPENINGS: Readonly<Record<string, () => Promise<CheckoutResult>>> = {
  popup: openPopup,
  redirect: openRedirect,
  "blocked-popup": openBlockedPopup,
  prefilled: openPrefilled,
  "used-session": openUsedSession,
  dark: openDark,
  arabic: openArabic,
  pinned: openPinned,
};

/** The opening that the page's `data-opening` names. */
export const prepareOpening = (name: string): (() => Promise<CheckoutResult>) =>
  name === "early-token" ? prepareEarly() : (OPENINGS[name] ?? openModal);
