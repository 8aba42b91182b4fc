import type { Step } from "./effects.ts";
import type { ArrivedQuote, PlacementEvent } from "./events.ts";
import { acceptQuote, changedSides, isTransient, scheduleRefresh } from "./reduce-quote.ts";
import { orderFor } from "./requests.ts";
import type { Choosing } from "./state.ts";
import { paysOnReview } from "./steps.ts";

/** The order on its way, until it is placed. */
export function reducePlacement(
  stage: Choosing,
  event: Exclude<PlacementEvent, { type: "orderPlaced" }>,
): Step<Choosing> {
  switch (event.type) {
    case "placePressed":
      return place(stage);
    case "placementAnswerLost":
      return [{ ...stage, submission: "unknown" }];
    case "priceExpired":
      return replacePrice(stage, event);
    case "placementFailed": {
      const failed = { ...stage, submission: "none", fault: event.fault } as const;
      // A refresh that came due while the order was on its way is made up for.
      return [failed, ...scheduleRefresh(failed, 0)];
    }
  }
}

function place(stage: Choosing): Step<Choosing> {
  const request = orderFor(stage);
  const isPayable =
    stage.submission === "none" &&
    stage.screen === "review" &&
    !stage.quote.worseThan &&
    !isRefused(stage) &&
    isPriced(stage);
  if (!isPayable || !request) return [stage];
  return [
    { ...stage, submission: "sent", fault: undefined },
    { kind: "placeOrder", request },
  ];
}

/** Whether the quote is of the chosen method, where the customer changes it beside the pay button. */
export const isPriced = (stage: Choosing): boolean =>
  !paysOnReview(stage) ||
  (stage.quote.status !== "failed" && stage.quote.quote?.paymentMethod.id === stage.method.id);

/** Whether Pay leads to the reason why there is no price. A review that only waits for the next price has the last one. */
export const isRefused = (stage: Choosing): boolean =>
  stage.quote.status === "failed" &&
  stage.submission === "none" &&
  (paysOnReview(stage) || !isTransient(stage));

/** Whether the chosen method has no price. The last price, if there is one, is that of another method. */
export const lacksPrice = ({ quote, method }: Choosing): boolean =>
  quote.fault !== undefined && quote.quote?.paymentMethod.id !== method.id;

/**
 * Takes the fresh price. The order is sent again once, unless that price is clearly worse or changes the amount that the
 * customer typed.
 */
function replacePrice(stage: Choosing, arrived: ArrivedQuote): Step<Choosing> {
  const quote = { ...stage.quote, sequence: stage.quote.sequence + 1 };
  const failed = { ...stage, quote, submission: "none", fault: "price_refreshed" } as const;
  const [repriced, ...effects] = acceptQuote(failed, arrived);
  const isTypedKept = !changedSides(stage.quote.quote, arrived.quote).includes(stage.amount.side);
  if (stage.priceReplaced || !isTypedKept) return [repriced, ...effects];
  const [placed, ...more] = place({ ...repriced, priceReplaced: true });
  return [placed, ...effects, ...more];
}
