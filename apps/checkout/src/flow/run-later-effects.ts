import type { RunLater } from "../machine/effects.ts";
import { createAddressChecks, tokenizeCard } from "./check-destination.ts";
import type { FlowDeps } from "./deps.ts";
import { createOrderFollower } from "./follow-order.ts";
import {
  answerPrice,
  cancelOrder,
  changeMethod,
  mailOrder,
  offerMethods,
  payByCard,
  requestInstructions,
  requestPrice,
  saveRefundAddress,
  simulatePayment,
} from "./order-calls.ts";
import { createOrderPlacer } from "./place-order.ts";

/** Returns the function that carries out the effects of every screen after the first. */
export function createLaterRunner(deps: FlowDeps): RunLater {
  const addresses = createAddressChecks(deps);
  const follower = createOrderFollower(deps);
  const placeOrder = createOrderPlacer(deps);
  return (effect) => {
    switch (effect.kind) {
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
      case "mailOrder":
        return void mailOrder(deps, effect);
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
