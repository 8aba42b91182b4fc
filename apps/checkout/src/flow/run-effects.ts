import type { CheckoutOptions } from "@exchange/contract/frame";
import type { Effect, RunLater } from "../machine/effects.ts";
import type { FlowDeps } from "./deps.ts";
import { openCheckout, openUsedOrder } from "./open-checkout.ts";
import { createOperationOpener } from "./open-operation.ts";
import { createQuoteRequests } from "./request-quote.ts";

/**
 * Connects the state machine to the service and the page: effects are carried out, and changes of the
 * page become events.
 */
export function connectFlows(deps: FlowDeps, options: CheckoutOptions, runLater: RunLater): void {
  const { store, page } = deps;
  store.runEffectsWith(createRunner(deps, options, runLater));
  for (const type of ["visible", "hidden", "online", "offline"] as const) {
    page.on(type, () => store.dispatch({ area: "page", type }));
  }
}

function createRunner(
  deps: FlowDeps,
  options: CheckoutOptions,
  runLater: RunLater,
): (effect: Effect) => void {
  const quotes = createQuoteRequests(deps);
  const openOperation = createOperationOpener(deps);
  return (effect) => {
    switch (effect.kind) {
      case "openCheckout":
        return void openCheckout(deps, options);
      case "openUsedOrder":
        return void openUsedOrder(deps, effect.orderId);
      case "openOperation":
        return void openOperation(effect.opening);
      case "requestQuote":
        return quotes.request(effect);
      case "refreshQuoteAt":
        return quotes.refreshAt(effect);
      case "refreshQuoteIn":
        return quotes.refreshIn(effect.delayMs);
      case "cancelQuote":
        return quotes.cancel();
      default:
        return runLater(effect);
    }
  };
}
