import type { OrderData } from "@exchange/contract";
import { EMPTY_CARD, EMPTY_REFUND } from "./drafts.ts";
import type { OrderedEvent } from "./events.ts";
import { lacksInstructions, paysByCard, screenOf } from "./orders.ts";
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
      return { ...stage, paying: "paying", screen: payingScreen(stage.order), fault: undefined };
    case "payAnswerLost":
      return { ...stage, paying: "asking" };
    case "paymentAnswered": {
      const fault = lacksInstructions(event.order) ? "no_instructions" : undefined;
      const answered = { ...stage, paying: "idle", card: withoutSecrets(stage), fault } as const;
      return follow(answered, event.order);
    }
    case "payFailed": {
      const screen = paysByCard(stage.order) ? "card" : "instructions";
      return { ...stage, paying: "idle", screen, fault: event.fault };
    }
    case "orderRead":
      // A payment on its way answers for itself; what is read meanwhile may be older.
      return stage.paying === "idle" ? read(stage, event.order) : stage;
    case "connectionChanged":
      if (stage.connection === event.connection) return stage;
      return { ...stage, connection: event.connection };
    case "orderedScreenOpened":
      return { ...stage, screen: event.screen, fault: undefined };
    case "cancelAsked":
    case "cancelDeclined":
    case "cancelPressed":
    case "cancelFailed":
      return cancel(stage, event.type);
    default:
      return tellRefund(stage, event);
  }
}

/** Where an order waits while its payment is on its way. */
export const payingScreen = (order: OrderData): "authentication" | "instructions" =>
  paysByCard(order) ? "authentication" : "instructions";

const CANCELLING = {
  cancelAsked: "confirm",
  cancelDeclined: "idle",
  cancelPressed: "cancelling",
  cancelFailed: "refused",
} as const;

function cancel(stage: Ordered, type: keyof typeof CANCELLING): Ordered {
  const sent = stage.cancelling === "cancelling";
  // Once it was sent only its answer counts, and an answer counts only then.
  if (sent !== (type === "cancelFailed")) return stage;
  return { ...stage, cancelling: CANCELLING[type] };
}

type RefundEvent = Extract<
  OrderedEvent,
  { type: "refundTyped" | "refundPressed" | "refundKept" | "refundFailed" }
>;

function tellRefund(stage: Ordered, event: RefundEvent): Ordered {
  const { refund } = stage;
  switch (event.type) {
    case "refundTyped":
      if (refund.status === "saving") return stage;
      return { ...stage, refund: { ...refund, ...event.fields, fault: undefined } };
    case "refundPressed":
      if (refund.status === "saving" || refund.address.trim() === "") return stage;
      return { ...stage, refund: { ...refund, status: "saving", fault: undefined } };
    case "refundKept":
      return { ...stage, order: event.order, refund: EMPTY_REFUND };
    case "refundFailed":
      return { ...stage, refund: { ...refund, status: "idle", fault: event.fault } };
  }
}

function read(stage: Ordered, order: OrderData): Ordered {
  if (order.updatedAt < stage.order.updatedAt) return stage;
  const typingCard = stage.screen === "card" && order.status === "awaiting_payment";
  return typingCard ? { ...stage, order, connection: "fine" } : follow(stage, order);
}

function follow(stage: Ordered, order: OrderData): Ordered {
  const cancelling = order.status === stage.order.status ? stage.cancelling : "idle";
  // An order that lacks instructions asks for them by itself, unless asking has just failed.
  const lacks = lacksInstructions(order);
  return {
    ...stage,
    order,
    cancelling,
    screen: screenOf(order),
    paying: lacks && !stage.fault ? "paying" : "idle",
    connection: "fine",
    fault: lacks ? stage.fault : undefined,
  };
}

/** A card that was sent is forgotten; name and address stay for another try. */
const withoutSecrets = (stage: Ordered): Ordered["card"] => ({
  ...stage.card,
  number: EMPTY_CARD.number,
  expiry: EMPTY_CARD.expiry,
  code: EMPTY_CARD.code,
});
