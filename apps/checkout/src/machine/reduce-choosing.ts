import type { Effect, Step } from "./effects.ts";
import type { ChoosingEvent, EventIn, OperationEvent } from "./events.ts";
import { checkAddressesNow, reduceAddress, scheduleChecks } from "./reduce-address.ts";
import { startPaying } from "./reduce-ordered.ts";
import { reducePayout, tokenizeCard } from "./reduce-payout.ts";
import { reducePlacement } from "./reduce-placement.ts";
import {
  reduceQuote,
  refreshForReview,
  requestComparison,
  requestQuoteAfterPause,
} from "./reduce-quote.ts";
import { type Choosing, type ChoosingScreen, NO_QUOTE, type Stage } from "./state.ts";
import {
  addressesOn,
  isSettled,
  needsQuote,
  paysOnReview,
  screenAfter,
  screenBefore,
} from "./steps.ts";
import { fitWays, isCard } from "./ways.ts";

type Event = EventIn<"choosing" | "operation" | "quote" | "address" | "payout" | "placement">;

/** The customer's choices before an order exists. */
export function reduceChoosing(stage: Choosing, event: Event): Step<Stage> {
  if (event.area === "placement") {
    return event.type === "orderPlaced" ? startPaying(stage, event) : reducePlacement(stage, event);
  }
  // While an order is on its way nothing the customer typed may change under it.
  if (stage.submission !== "none" && event.type !== "quoteArrived") return [stage];
  switch (event.area) {
    case "choosing":
      return reduceChoice(stage, event);
    case "operation":
      return reduceOperation(stage, event);
    case "quote":
      return continueIfReady(reduceQuote(stage, event));
    case "address":
      return continueIfReady(reduceAddress(stage, event));
    case "payout":
      return continueIfReady(reducePayout(stage, event));
  }
}

function reduceChoice(stage: Choosing, event: ChoosingEvent): Step<Choosing> {
  const base = { ...stage, continuePending: false };
  switch (event.type) {
    case "amountTyped": {
      const amount = { side: event.side, text: event.text };
      return requestQuoteAfterPause({ ...base, amount, edited: true });
    }
    case "amountTidied":
      return [{ ...stage, amount: { ...stage.amount, text: event.text } }];
    case "pickerOpened":
      return [{ ...base, screen: "currency", picking: event.side }];
    case "currencyPicked":
      return pickCurrency(stage, event);
    case "methodPicked":
      return requestQuoteAfterPause(fitWays({ ...base, method: event.method }));
    case "deliveryPicked":
      return requestQuoteAfterPause({ ...base, delivery: event.delivery });
    case "cardTyped":
      return [{ ...stage, card: { ...stage.card, ...event.fields }, edited: true }];
    case "wentBack":
    case "editPressed": {
      const quote = { ...stage.quote, promised: undefined };
      const screen = event.type === "editPressed" ? event.screen : screenBefore(stage);
      return enter({ ...base, quote, fault: undefined }, screen);
    }
    case "advanced":
      return advance(stage);
  }
}

/** Continues at once, or as soon as the answers that the screen waits for are here. */
function advance(stage: Choosing): Step<Choosing> {
  if (stage.switching?.status === "opening") return [stage];
  if (isReady(stage)) {
    return enter({ ...stage, continuePending: false, fault: undefined }, screenAfter(stage));
  }
  // Without a price the customer cannot continue. The screen shows why.
  if (stage.continuePending || (needsQuote(stage.screen) && stage.quote.status === "failed")) {
    return [stage];
  }
  const [waiting, ...checks] = checkAddressesNow({ ...stage, continuePending: true });
  if (!needsToken(waiting)) return [waiting, ...checks];
  const [tokenizing, ...more] = tokenizeCard(waiting);
  return [tokenizing, ...checks, ...more];
}

/** Continues if Continue was pressed and this was the last answer it waited for. */
function continueIfReady([stage, ...effects]: Step<Choosing>): Step<Choosing> {
  if (!stage.continuePending || !isReady(stage)) return [stage, ...effects];
  const [next, ...more] = advance(stage);
  return [next, ...effects, ...more];
}

/** Whether everything the screen waits for is here. */
function isReady(stage: Choosing): boolean {
  if (needsQuote(stage.screen)) return stage.quote.status === "ready";
  return addressesOn(stage).every((use) => isSettled(use, stage[use])) && !needsToken(stage);
}

const needsToken = ({ screen, delivery, payoutCard }: Choosing): boolean =>
  screen === "payout" && delivery !== undefined && isCard(delivery) && !payoutCard.token;

/** Shows a screen and starts what it needs. */
function enter(stage: Choosing, screen: ChoosingScreen): Step<Choosing> {
  // A screen with methods compares all of them. The current quote may cover only one.
  const isChoice = screen === "method" || screen === "delivery" || paysOnReview(stage);
  const [entered, ...requests] = isChoice
    ? requestComparison({ ...stage, screen })
    : ([{ ...stage, screen }] as const);
  const isKept = screen === "review" && requests.length === 0;
  const effects: readonly Effect[] = isKept ? refreshForReview(entered) : requests;
  return [entered, ...scheduleChecks(entered), ...effects];
}

function pickCurrency(
  stage: Choosing,
  { currency }: Extract<ChoosingEvent, { type: "currencyPicked" }>,
): Step<Choosing> {
  const current = stage[stage.picking];
  const screen = "amount" as const;
  if (current.id === currency.id) return [{ ...stage, screen }];
  const quote = { ...NO_QUOTE, sequence: stage.quote.sequence };
  const picked = fitWays({ ...stage, [stage.picking]: currency, screen, quote });
  // The result of an address check does not hold for another coin.
  const use = stage.picking === "spend" ? "refund" : "wallet";
  const draft = { ...picked[use], networkCode: undefined, networks: [], fault: undefined };
  return requestQuoteAfterPause({ ...picked, [use]: { ...draft, check: "unchecked" } });
}

/** Another operation opens beside the present one, which stays until the other is ready. */
function reduceOperation(stage: Choosing, event: OperationEvent): Step<Choosing> {
  const { switching, world } = stage;
  switch (event.type) {
    case "operationPicked": {
      const { operation } = event;
      if (stage.screen !== "amount") return [stage];
      const base = { ...stage, continuePending: false };
      if (operation === world.operation) return [{ ...base, switching: undefined }];
      const presets = [stage.spend.reference, stage.receive.reference];
      const opening = { session: world.session, operation, locale: world.locale, presets };
      return [
        { ...base, switching: { operation, status: "opening" } },
        { kind: "openOperation", opening },
      ];
    }
    case "operationOpened": {
      if (switching?.operation !== event.choosing.world.operation) return [stage];
      // Answers to requests of the operation before are dropped by their number.
      const quote = { ...NO_QUOTE, sequence: stage.quote.sequence + 1 };
      const { priceReplaced } = stage;
      return requestQuoteAfterPause({ ...event.choosing, quote, priceReplaced });
    }
    case "operationFailed":
      if (switching?.status !== "opening" || switching.operation !== event.operation) {
        return [stage];
      }
      return [{ ...stage, switching: { ...switching, status: event.status } }];
  }
}
