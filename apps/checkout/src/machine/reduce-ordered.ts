import type { OrderData } from "@exchange/contract";
import { EMPTY_CARD } from "./drafts.ts";
import type { OrderedEvent } from "./events.ts";
import { hasEnded, screenOf } from "./orders.ts";
import type { Ordered } from "./state.ts";

/** Paying and following an order that exists. */
export function reduceOrdered(stage: Ordered, event: OrderedEvent): Ordered {
  switch (event.type) {
    case "orderPlaced":
      return stage;
    case "cardRetyped":
      return { ...stage, card: { ...stage.card, ...event.fields } };
    case "payPressed":
      if (stage.paying !== "idle") return stage;
      return { ...stage, paying: "paying", screen: "authentication", fault: undefined };
    case "payAnswerLost":
      return { ...stage, paying: "asking" };
    case "paymentAnswered":
      return follow({ ...stage, paying: "idle", card: withoutSecrets(stage) }, event.order);
    case "payFailed":
      return { ...stage, paying: "idle", screen: "card", fault: event.fault };
    case "orderRead":
      // A payment on its way answers for itself; what is read meanwhile may be older.
      return stage.paying === "idle" ? read(stage, event.order) : stage;
    case "connectionChanged":
      if (stage.connection === event.connection) return stage;
      return { ...stage, connection: event.connection };
    case "orderedScreenOpened":
      return { ...stage, screen: event.screen, fault: undefined };
  }
}

function read(stage: Ordered, order: OrderData): Ordered {
  if (order.updatedAt < stage.order.updatedAt) return stage;
  const typingCard = stage.screen === "card" && order.status === "awaiting_payment";
  return typingCard ? { ...stage, order, connection: "fine" } : follow(stage, order);
}

function follow(stage: Ordered, order: OrderData): Ordered {
  const screen = hasEnded(order) ? "status" : screenOf(order);
  return { ...stage, order, screen, connection: "fine", fault: undefined };
}

/** A card that was sent is forgotten; name and address stay for another try. */
const withoutSecrets = (stage: Ordered): Ordered["card"] => ({
  ...stage.card,
  number: EMPTY_CARD.number,
  expiry: EMPTY_CARD.expiry,
  code: EMPTY_CARD.code,
});
