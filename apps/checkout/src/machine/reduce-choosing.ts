import type { ChoosingEvent } from "./events.ts";
import { reduceQuote } from "./reduce-quote.ts";
import { reduceWallet } from "./reduce-wallet.ts";
import { type Choosing, type ChoosingScreen, NO_QUOTE } from "./state.ts";

/** The screens a customer passes, in order. */
export const STEPS = ["amount", "method", "wallet", "card", "review"] as const;

/** What the customer does before an order exists. Returns the same object when nothing changes. */
export function reduceChoosing(stage: Choosing, event: ChoosingEvent): Choosing {
  // While an order is being placed nothing the customer typed may change under it.
  if (stage.placing !== "idle" && !ENDS_PLACING.has(event.type)) return stage;
  switch (event.type) {
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
      return { ...stage, method: event.method };
    case "wentBack":
      return { ...stage, screen: before(stage.screen), advancing: false, fault: undefined };
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
    case "walletTyped":
    case "memoTyped":
    case "networkPicked":
    case "walletChecking":
    case "walletAccepted":
    case "walletRefused":
    case "networkNeeded":
      return reduceWallet(stage, event);
  }
}

const ENDS_PLACING: ReadonlySet<ChoosingEvent["type"]> = new Set([
  "placeAnswerLost",
  "placeFailed",
  "quoteArrived",
]);

/** Continue: at once, or as soon as the quote or the wallet check has answered. */
function advance(stage: Choosing): Choosing {
  if (stage.screen === "amount") {
    if (stage.quote.status !== "ready") return { ...stage, advancing: true };
    return { ...stage, screen: "method", advancing: false };
  }
  if (stage.screen === "wallet" && stage.wallet.check !== "accepted") {
    const again = stage.wallet.check === "refused";
    const wallet = { ...stage.wallet, check: "unchecked", fault: undefined } as const;
    return { ...stage, advancing: true, ...(again ? { wallet } : {}) };
  }
  return { ...stage, screen: after(stage.screen), advancing: false, fault: undefined };
}

function press(stage: Choosing): Choosing {
  const payable = stage.screen === "review" && stage.quote.quote && !stage.quote.worseThan;
  return payable ? { ...stage, placing: "placing", fault: undefined } : stage;
}

function pickCurrency(
  stage: Choosing,
  event: Extract<ChoosingEvent, { type: "currencyPicked" }>,
): Choosing {
  const current = stage[stage.picking];
  const screen = "amount" as const;
  if (current.id === event.currency.id) return { ...stage, screen };
  const quote = { ...NO_QUOTE, sequence: stage.quote.sequence };
  const picked = { ...stage, [stage.picking]: event.currency, screen, quote };
  if (stage.picking === "spend") return picked;
  // Another coin: what is known about the address no longer holds.
  const wallet = { ...stage.wallet, networkCode: undefined, networks: [], fault: undefined };
  return { ...picked, wallet: { ...wallet, check: "unchecked" } };
}

const after = (screen: ChoosingScreen): ChoosingScreen =>
  STEPS[STEPS.findIndex((step) => step === screen) + 1] ?? screen;

function before(screen: ChoosingScreen): ChoosingScreen {
  if (screen === "currency") return "amount";
  return STEPS[STEPS.findIndex((step) => step === screen) - 1] ?? screen;
}
