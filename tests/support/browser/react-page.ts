import { type CheckoutResult, ExchangeButton, type ExchangeButtonProps } from "@exchange/react";
import { createElement, StrictMode, version } from "react";
import { createRoot } from "react-dom/client";

/** The browser's side of a merchant's React page; what happened is for the test to read. */
const results: CheckoutResult[] = [];
const root = document.getElementById("root") as HTMLElement;
const { baseUrl = "", clientId = "", token = "" } = root.dataset;
const props: ExchangeButtonProps = {
  baseUrl,
  clientId,
  env: "dev",
  authenticationToken: async () => token,
  baseCurrency: "cad",
  baseAmount: 250,
  targetCurrency: "btc",
  onClose: (result) => results.push(result),
};
createRoot(root).render(
  createElement(StrictMode, null, createElement(ExchangeButton, props, "Buy")),
);
Object.assign(window, { results, reactVersion: version });
