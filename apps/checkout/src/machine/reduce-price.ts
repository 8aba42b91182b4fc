import type { AcceptPriceRequest } from "@exchange/contract";
import type { Step } from "./effects.ts";
import type { PriceEvent } from "./events.ts";
import { awaitsPriceAnswer } from "./orders.ts";
import type { NewPrice, Ordered } from "./state.ts";

/** The offer of a new price, and the customer's answer to it. An order in the answer is the caller's. */
export function reducePrice(stage: Ordered, event: PriceEvent): Step<Ordered> {
  const { price } = stage;
  // An answer that was sent counts, not a newer offer.
  if (!price || (price.status === "sent" && event.type !== "answerFailed")) return [stage];
  switch (event.type) {
    case "offerDue":
      return price.offer === event.offer ? requestOffer(stage) : [stage];
    case "acceptPressed":
      return price.offer ? sendAnswer(stage, { quoteId: price.offer.quoteId }) : [stage];
    case "declinePressed":
      return sendAnswer(stage);
    default: {
      // Without an offer the customer may ask for one again.
      const { offer } = event;
      return [withPrice(stage, { status: offer ? "open" : "failed", offer })];
    }
  }
}

/** Requests an offer for an order that has just begun to wait for one, and forgets it afterwards. */
export function followPrice(step: Step<Ordered>): Step<Ordered> {
  const [stage, ...effects] = step;
  const isWaiting = awaitsPriceAnswer(stage.order);
  if (isWaiting === Boolean(stage.price)) return step;
  const [next, ...more] = isWaiting ? requestOffer(stage) : [withPrice(stage, undefined)];
  return [next, ...effects, ...more];
}

const requestOffer = (stage: Ordered): Step<Ordered> => [
  withPrice(stage, { status: "open", offer: stage.price?.offer }),
  { kind: "requestPrice", orderId: stage.order.orderId },
];

const sendAnswer = (stage: Ordered, accepted?: AcceptPriceRequest): Step<Ordered> => [
  withPrice(stage, { status: "sent", offer: stage.price?.offer }),
  { kind: "answerPrice", orderId: stage.order.orderId, accepted },
];

const withPrice = (stage: Ordered, price: NewPrice | undefined): Ordered => ({ ...stage, price });
