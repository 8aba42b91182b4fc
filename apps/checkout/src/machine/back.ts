import type { CheckoutEvent } from "./events.ts";
import type { CheckoutState, Stage } from "./state.ts";
import { stepsOf } from "./steps.ts";

/** Returns how many steps the customer can go back. */
export function stepsBehind(stage: Stage): number {
  if (stage.kind === "ordered") return stepBack(stage) ? 1 : 0;
  if (stage.kind !== "choosing") return 0;
  if (stage.screen === "currency") return 1;
  return stepsOf(stage).findIndex((step) => step === stage.screen);
}

/** Returns the event that goes one step back, or undefined on a first step. */
export function stepBack(stage: Stage): CheckoutEvent | undefined {
  if (stage.kind === "choosing") {
    const isFirst = stepsOf(stage)[0] === stage.screen;
    return isFirst ? undefined : { area: "choosing", type: "wentBack" };
  }
  // The card form of a declined payment was opened from the status.
  const isRetry =
    stage.kind === "ordered" && stage.screen === "card" && stage.order.payment.attempt !== null;
  return isRetry ? { area: "ordered", type: "orderedScreenOpened", screen: "status" } : undefined;
}

/**
 * The reason to ask before leaving: typed data would be lost, the customer's bank waits for them, or it is unknown whether
 * they paid. Data is typed before an order exists, and not on the first screen. Nobody has to stay for a late answer.
 */
export function asksFirst({ stage }: CheckoutState): "typed" | "bank" | "payment" | undefined {
  if (stage.kind === "ordered") {
    if (stage.screen !== "authentication" || stage.isAnswerLate) return undefined;
    const isChallenged = stage.order.payment.attempt?.status === "challenge";
    return isChallenged && stage.submission === "none" ? "bank" : "payment";
  }
  if (stage.kind !== "choosing" || !stage.edited) return undefined;
  return stage.screen === "amount" || stage.screen === "currency" ? undefined : "typed";
}
