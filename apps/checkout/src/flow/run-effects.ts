import type { CheckoutOptions } from "@exchange/contract/frame";
import type { Effect } from "../machine/effects.ts";
import { createAddressChecks, tokenizeCard } from "./check-destination.ts";
import type { FlowDeps } from "./deps.ts";
import { createOrderFollower } from "./follow-order.ts";
import { openCheckout, openUsedOrder } from "./open-checkout.ts";
import { createOperationOpener } from "./open-operation.ts";
import {
  answerPrice,
  cancelOrder,
  changeMethod,
  offerMethods,
  payByCard,
  requestInstructions,
  requestPrice,
  saveRefundAddress,
  simulatePayment,
} from "./order-calls.ts";
import { createOrderPlacer } from "./place-order.ts";
import { createQuoteRequests } from "./request-quote.ts";

/**
 * Connects the state machine to the service and the page: effects are carried out, and changes of the
 * page become events.
 */
export function connectFlows(deps: FlowDeps, options: CheckoutOptions): void {
  const { store, page } = deps;
  store.runEffectsWith(createRunner(deps, options));
  for (const type of ["visible", "hidden", "online", "offline"] as const) {
    page.on(type, () => store.dispatch({ area: "page", type }));
  }
}

function createRunner(deps: FlowDeps, options: CheckoutOptions): (effect: Effect) => void {
  const quotes = createQuoteRequests(deps);
  const addresses = createAddressChecks(deps);
  const follower = createOrderFollower(deps);
  const placeOrder = createOrderPlacer(deps);
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
      case "scheduleAddressCheck":
        return addresses[effect.use].schedule();
      case "lookUpAddress":
        return addresses[effect.use].lookUp(effect.query);
      case "tokenizeCard":
        return void tokenizeCard(deps, effect.request);
      case "placeOrder":
        return void placeOrder(effect.request);
      case "payByCard":
        return void payByCard(deps, effect);
      case "requestInstructions":
        return void requestInstructions(deps, effect.order);
      case "followOrder":
        return follower.follow(effect.orderId);
      case "offerMethods":
        return void offerMethods(deps, effect.orderId);
      case "changeMethod":
        return void changeMethod(deps, effect);
      case "simulatePayment":
        return void simulatePayment(deps, effect);
      case "unfollowOrder":
        return follower.stop();
      case "cancelOrder":
        return void cancelOrder(deps, effect.orderId);
      case "requestPrice":
        return void requestPrice(deps, effect.orderId);
      case "answerPrice":
        return void answerPrice(deps, effect);
      case "saveRefundAddress":
        return void saveRefundAddress(deps, effect);
    }
  };
}
