import type { ChoosingEvent } from "./events.ts";
import { reducePayout } from "./reduce-payout.ts";
import { reduceQuote } from "./reduce-quote.ts";
import { reduceWallet } from "./reduce-wallet.ts";
import { type Choosing, NO_QUOTE } from "./state.ts";
import { addressesOn, isSettled, needsQuote, screenAfter, screenBefore } from "./steps.ts";
import { fitWays, isCard } from "./ways.ts";

/** What the customer does before an order exists. Returns the same object when nothing changes. */
export function reduceChoosing(stage: Choosing, event: ChoosingEvent): Choosing {
  // While an order is being placed nothing the customer typed may change under it.
  if (stage.placing !== "idle" && !ENDS_PLACING.has(event.type)) return stage;
  switch (event.type) {
    case "operationPicked":
    case "operationOpened":
    case "operationFailed":
      return switchOperation(stage, event);
    case "amountTyped":
      return {
        ...stage,
        amount: { side: event.side, text: event.text },
        typed: true,
        advancing: false,
      };
    case "amountTidied":
      return { ...stage, amount: { ...stage.amount, text: event.text } };
    case "pickerOpened":
      return { ...stage, screen: "currency", picking: event.side, advancing: false };
    case "currencyPicked":
      return pickCurrency(stage, event);
    case "methodPicked":
      return fitWays({ ...stage, method: event.method, advancing: false });
    case "deliveryPicked":
      return { ...stage, delivery: event.delivery, advancing: false };
    case "wentBack":
      return {
        ...stage,
        screen: screenBefore(stage),
        advancing: false,
        fault: undefined,
        quote: { ...stage.quote, promised: undefined },
      };
    case "advanced":
      return advance(stage);
    case "cardTyped":
      return { ...stage, card: { ...stage.card, ...event.fields }, typed: true };
    case "placePressed":
      return press(stage);
    case "placeAnswerLost":
      return { ...stage, placing: "asking" };
    case "placeFailed":
      return { ...stage, placing: "idle", fault: event.fault };
    case "quoteCleared":
    case "quoteAsked":
    case "quoteArrived":
    case "quoteFailed":
    case "priceAccepted":
      return reduceQuote(stage, event);
    case "payoutTyped":
    case "payoutCardTyped":
    case "payoutCardKept":
    case "payoutCardRefused":
    case "payoutCardDropped":
      return goOn(stage, reducePayout(stage, event));
    default:
      return goOn(stage, reduceWallet(stage, event));
  }
}

const ENDS_PLACING: ReadonlySet<ChoosingEvent["type"]> = new Set([
  "placeAnswerLost",
  "placeFailed",
  "quoteArrived",
]);

/** Continue: at once, or as soon as what it waits for has answered. */
function advance(stage: Choosing): Choosing {
  if (stage.switching?.status === "opening") return stage;
  if (isReady(stage)) {
    return { ...stage, screen: screenAfter(stage), advancing: false, fault: undefined };
  }
  // Without a price there is nothing to go on with; its fault is on the screen.
  if (needsQuote(stage.screen) && stage.quote.status === "failed") return stage;
  const again = addressesOn(stage).filter((use) => stage[use].check === "refused");
  return again.reduce(
    (waiting, use) => ({
      ...waiting,
      [use]: { ...waiting[use], check: "unchecked" as const, fault: undefined },
    }),
    { ...stage, advancing: true },
  );
}

/** Continue was pressed, and this was the last thing it waited for. */
const goOn = (before: Choosing, stage: Choosing): Choosing =>
  before.advancing && stage.advancing && isReady(stage) ? advance(stage) : stage;

/** Whether everything the screen waits for is there. */
function isReady(stage: Choosing): boolean {
  if (needsQuote(stage.screen)) return stage.quote.status === "ready";
  if (!addressesOn(stage).every((use) => isSettled(use, stage[use]))) return false;
  const toCard = stage.screen === "payout" && stage.delivery && isCard(stage.delivery);
  return !toCard || stage.payoutCard.kept !== undefined;
}

function press(stage: Choosing): Choosing {
  const payable = stage.screen === "review" && stage.quote.quote && !stage.quote.worseThan;
  return payable ? { ...stage, placing: "placing", fault: undefined } : stage;
}

type SwitchEvent = Extract<
  ChoosingEvent,
  { type: "operationPicked" | "operationOpened" | "operationFailed" }
>;

/** Another operation is opened beside the present one, which stays until it is there. */
function switchOperation(stage: Choosing, event: SwitchEvent): Choosing {
  const { switching } = stage;
  switch (event.type) {
    case "operationPicked": {
      const { operation } = event;
      if (stage.screen !== "amount") return stage;
      const other = operation === stage.world.operation ? undefined : operation;
      return {
        ...stage,
        advancing: false,
        switching: other && { operation: other, status: "opening" },
      };
    }
    case "operationOpened": {
      if (switching?.operation !== event.choosing.world.operation) return stage;
      // Answers to questions about the operation before are dropped by their number.
      const quote = { ...NO_QUOTE, sequence: stage.quote.sequence + 1 };
      return { ...event.choosing, quote };
    }
    case "operationFailed":
      if (switching?.status !== "opening") return stage;
      return { ...stage, switching: { ...switching, status: event.status } };
  }
}

function pickCurrency(
  stage: Choosing,
  event: Extract<ChoosingEvent, { type: "currencyPicked" }>,
): Choosing {
  const current = stage[stage.picking];
  const screen = "amount" as const;
  if (current.id === event.currency.id) return { ...stage, screen };
  const quote = { ...NO_QUOTE, sequence: stage.quote.sequence };
  const picked = fitWays({ ...stage, [stage.picking]: event.currency, screen, quote });
  // Another coin: what is known about the address no longer holds.
  const use = stage.picking === "spend" ? "refund" : "wallet";
  const draft = { ...picked[use], networkCode: undefined, networks: [], fault: undefined };
  return { ...picked, [use]: { ...draft, check: "unchecked" } };
}
