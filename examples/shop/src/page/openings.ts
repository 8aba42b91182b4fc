import type { CheckoutResult } from "./exchange-script.ts";
import { fetchToken } from "./fetch-token.ts";
import { clientId, env } from "./merchant.ts";
import { purchase } from "./purchase.ts";

// #region modal
/** Over this page. Call it in the click; the token may come a moment later. */
export const openModal = () => window.exchange.init({ authenticationToken: fetchToken });
// #endregion

// #region popup
/** In a window of its own. It must be in the click, or the browser blocks the window. */
export const openPopup = () =>
  window.exchange.init({ authenticationToken: fetchToken, display: "popup" });
// #endregion

// #region redirect
/** This page leaves for the checkout, and the customer comes back to `returnUrl`. */
export const openRedirect = () =>
  window.exchange.init({
    authenticationToken: fetchToken,
    display: "redirect",
    returnUrl: `${location.origin}/return`,
  });
// #endregion

// #region blocked-popup
/** A browser that blocks every window, played by this page. The checkout opens as a modal. */
export function openBlockedPopup() {
  window.open = () => null;
  return window.exchange.init({ authenticationToken: fetchToken, display: "popup" });
}
// #endregion

// #region prefilled
/** What the customer finds filled in, and may change. */
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
/** One token for every click: what a customer meets on a page that is older than the order. */
export const openUsedSession = () =>
  window.exchange.init({ authenticationToken: async () => purchase.token ?? fetchToken() });
// #endregion

// #region early-token
/** A token asked for when the page is loaded, not in the click: it may be too old by then. */
export function prepareEarly() {
  const early = fetchToken();
  early.catch(() => {}); // said by the checkout once it is opened
  return () => window.exchange.init({ authenticationToken: early });
}
// #endregion

// #region dark
/** Light, dark, or what the customer's device says: `auto`, which is the default. */
export const openDark = () =>
  window.exchange.init({ authenticationToken: fetchToken, theme: "dark" });
// #endregion

// #region arabic
/** In the page's language. Right-to-left comes with it. */
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

/** The one that the page's `data-opening` names. */
export const prepareOpening = (name = ""): (() => Promise<CheckoutResult>) =>
  name === "early-token" ? prepareEarly() : (OPENINGS[name] ?? openModal);
