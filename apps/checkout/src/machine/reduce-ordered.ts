import type { CheckoutOrderData } from "@exchange/contract";
import { cardDraftFor, EMPTY_CARD, EMPTY_REFUND, memoAfter } from "./drafts.ts";
import type { Effect, Step } from "./effects.ts";
import type {
  CancellationEvent,
  EventIn,
  OpeningEvent,
  OrderedEvent,
  PlacementEvent,
  RefundEvent,
} from "./events.ts";
import {
  canRetryPayment,
  isBankDeciding,
  isPaymentOpen,
  lacksInstructions,
  mayChange,
  paysByCard,
  screenOf,
} from "./orders.ts";
import { reconnect } from "./reconnect.ts";
import { reduceMethods } from "./reduce-methods.ts";
import { followPrice, reducePrice } from "./reduce-price.ts";
import { cardPaymentFor, refundRequestFor } from "./requests.ts";
import type { Choosing, Ordered, SubmitFault } from "./state.ts";

/** The stage of an order that was found when the checkout opened. */
export function openOrder({
  session,
  locale,
  order,
  reopened,
}: Extract<OpeningEvent, { type: "orderFound" }>): Step<Ordered> {
  const card = cardDraftFor(session);
  const opened = orderedStage({ session, locale, order, card, reopened });
  // Instructions that were never requested are requested now.
  return followPrice(
    lacksInstructions(order) ? submitPayment(opened) : [opened, followIfOpen(opened)],
  );
}

/**
 * The order exists. Its payment goes out at once, with the card from the review if by card. An order that may lack the
 * customer's last changes waits for a press.
 */
export function startPaying(
  { world, card }: Choosing,
  { order, fault }: Extract<PlacementEvent, { type: "orderPlaced" }>,
): Step<Ordered> {
  const session = { ...world.session, orderId: order.orderId };
  const { locale } = world;
  const placed = orderedStage({ session, locale, order, card, reopened: false });
  const waiting = { ...placed, fault };
  const [stage, ...effects] = fault ? [waiting, followIfOpen(waiting)] : submitPayment(placed);
  return [stage, { kind: "cancelQuote" }, ...effects];
}

const orderedStage = (
  parts: Pick<Ordered, "session" | "locale" | "order" | "card" | "reopened">,
): Ordered => ({
  ...parts,
  kind: "ordered",
  screen: screenOf(parts.order),
  submission: "none",
  cancellation: "none",
  refund: EMPTY_REFUND,
  methods: undefined,
  simulation: "none",
  mail: { status: "none", request: undefined },
  price: undefined,
  connection: "fine",
  isAnswerLate: false,
  fault: undefined,
});

/** Paying and following an order that exists. */
export function reduceOrdered(stage: Ordered, event: OrderEvent): Step<Ordered> {
  const [next, ...effects] = reduceEvent(stage, event);
  if (stage.connection !== "lost" || next.connection !== "fine") return [next, ...effects];
  const [back, ...more] = reconnect(next);
  return [back, ...effects, ...more];
}

type OrderEvent = EventIn<"ordered" | "cancellation" | "refund" | "price">;

function reduceEvent(stage: Ordered, event: OrderEvent): Step<Ordered> {
  switch (event.area) {
    case "ordered":
      return followPrice(reducePayment(stage, event));
    case "price":
      return reducePrice(stage, event);
    case "cancellation":
      return reduceCancellation(stage, event);
    case "refund":
      return reduceRefund(stage, event);
  }
}

function reducePayment(stage: Ordered, event: OrderedEvent): Step<Ordered> {
  switch (event.type) {
    case "cardTyped":
      return [typeCard(stage, event.fields)];
    case "payPressed":
      return stage.submission === "none" ? submitPayment(stage) : [stage];
    case "paymentAnswerLost":
      return [{ ...stage, submission: "unknown", connection: "lost" }];
    case "paymentAnswerLate":
      return [{ ...stage, isAnswerLate: isPaymentOpen(stage) }];
    case "paymentAnswered": {
      const fault = lacksInstructions(event.order) ? "no_instructions" : undefined;
      const card = withoutSecrets(stage);
      const [answered] = takeOrder({ ...stage, submission: "none", card, fault }, event.order);
      return [answered, followIfOpen(answered)];
    }
    case "paymentFailed":
      return failPayment(stage, event.fault);
    case "orderRead":
      return readOrder(stage, event.order);
    case "connectionChanged": {
      if (stage.connection === event.connection) return [stage];
      const changed = { ...stage, connection: event.connection };
      return event.connection === "timed_out" ? [changed, UNFOLLOW] : [changed];
    }
    case "methodsRequested":
    case "methodsArrived":
    case "methodsDue":
    case "methodChosen":
    case "methodsFailed":
    case "methodChangeFailed":
      return reduceMethods(stage, event);
    case "simulatePressed": {
      if (stage.simulation === "sent") return [stage];
      const request = { payment: event.payment };
      const { orderId } = stage.order;
      return [
        { ...stage, simulation: "sent" },
        { kind: "simulatePayment", orderId, request },
      ];
    }
    case "simulationAnswered": {
      return readOrder({ ...stage, simulation: "none" }, event.order);
    }
    case "simulationFailed":
      return [{ ...stage, simulation: event.fault }];
    case "mailPressed":
      if (stage.mail.status === "sending") return [stage];
      return [
        { ...stage, mail: { status: "sending", request: event.request } },
        { kind: "mailOrder", orderId: stage.order.orderId, request: event.request },
      ];
    case "mailAnswered":
      return [{ ...stage, mail: { ...stage.mail, status: event.status } }];
    case "orderedScreenOpened":
      // The order may be about to become a transfer.
      if (stage.methods?.status === "sent") return [stage];
      return [{ ...stage, screen: event.screen, methods: undefined, fault: undefined }];
  }
}

/** A refusal of the service is about the card that was sent, and not about another one. */
const typeCard = (stage: Ordered, fields: Partial<Ordered["card"]>): Ordered => ({
  ...stage,
  card: { ...stage.card, ...fields },
  fault: stage.fault === "payment_refused" ? undefined : stage.fault,
});

/** Sends the card, or requests the instructions of another payment method. */
function submitPayment(stage: Ordered): Step<Ordered> {
  const { order } = stage;
  const isCard = paysByCard(order);
  const screen = isCard ? "authentication" : "instructions";
  const sent: Ordered = {
    ...stage,
    submission: "sent",
    screen,
    isAnswerLate: false,
    fault: undefined,
  };
  if (!isCard) return [sent, UNFOLLOW, { kind: "requestInstructions", order }];
  const request = cardPaymentFor(stage.card);
  if (!request) return failPayment(stage, "payment_refused");
  // The answer to the payment brings the order. An order read meanwhile may be older.
  return [sent, UNFOLLOW, { kind: "payByCard", order, request }];
}

function failPayment(stage: Ordered, fault: SubmitFault | undefined): Step<Ordered> {
  const screen = paysByCard(stage.order) ? "card" : "instructions";
  // The order was read a moment ago.
  const connection = fault === "payment_not_sent" ? "fine" : stage.connection;
  const reset = { submission: "none", isAnswerLate: false } as const;
  const failed: Ordered = { ...stage, ...reset, screen, connection, fault };
  return [failed, followIfOpen(failed)];
}

/** An order that its stream or a poll delivered. */
function readOrder(stage: Ordered, order: CheckoutOrderData): Step<Ordered> {
  // The answer to a payment brings the order. An order read meanwhile may be older.
  if (stage.submission !== "none" || order.updatedAt < stage.order.updatedAt) return [stage];
  const isTypingCard = stage.screen === "card" && order.status === "awaiting_payment";
  if (isTypingCard) return [{ ...stage, order, connection: "fine" }];
  const [next, ...effects] = takeOrder(stage, order);
  return effects.length > 0 || isFollowed(next) ? [next, ...effects] : [next, UNFOLLOW];
}

function takeOrder(stage: Ordered, order: CheckoutOrderData): Step<Ordered> {
  const isMoved = order.status !== stage.order.status;
  const lacks = lacksInstructions(order);
  const taken: Ordered = {
    ...stage,
    order,
    cancellation: isMoved ? "none" : stage.cancellation,
    screen: screenOf(order),
    connection: "fine",
    isAnswerLate: stage.isAnswerLate && isBankDeciding(order),
    fault: lacks ? stage.fault : undefined,
    methods: isSameDecline(stage.order, order) ? stage.methods : undefined,
  };
  // Missing instructions are requested without a press, unless that has just failed.
  return lacks && !stage.fault ? submitPayment(taken) : [taken];
}

/** Offers of other ways to pay belong to one refused attempt. */
const isSameDecline = (before: CheckoutOrderData, order: CheckoutOrderData): boolean =>
  canRetryPayment(order) && before.payment.attempt?.number === order.payment.attempt?.number;

const UNFOLLOW: Effect = { kind: "unfollowOrder" };

/** Follows the order again from its present state, as long as it may change. */
export const followIfOpen = (stage: Ordered): Effect =>
  isFollowed(stage) ? { kind: "followOrder", orderId: stage.order.orderId } : UNFOLLOW;

const isFollowed = ({ submission, connection, order }: Ordered): boolean =>
  submission === "none" && connection !== "timed_out" && mayChange(order);

function reduceCancellation(stage: Ordered, event: CancellationEvent): Step<Ordered> {
  // Once it is sent only its answer counts.
  if (stage.cancellation === "sent" && event.type !== "cancelAnswered") return [stage];
  switch (event.type) {
    case "cancelRequested":
      return [{ ...stage, cancellation: "confirming" }];
    case "cancelDeclined":
      return [{ ...stage, cancellation: "none" }];
    case "cancelConfirmed":
      return [
        { ...stage, cancellation: "sent" },
        { kind: "cancelOrder", orderId: stage.order.orderId },
      ];
    case "cancelAnswered": {
      const [next, ...effects] = event.order ? readOrder(stage, event.order) : ([stage] as const);
      // An order that moved has no cancellation any more.
      const cancellation = next.cancellation === "sent" ? (event.fault ?? "none") : "none";
      const answered: Ordered = { ...next, cancellation };
      if (next === stage || effects.length > 0) return [answered, ...effects];
      // The order may be older than what the stream delivered, so a new stream begins.
      return [answered, followIfOpen(answered)];
    }
  }
}

function reduceRefund(stage: Ordered, event: RefundEvent): Step<Ordered> {
  const { refund, order } = stage;
  switch (event.type) {
    case "refundTyped": {
      if (refund.status === "saving") return [stage];
      const memo = memoAfter(refund, event.fields.address ?? refund.address);
      return [{ ...stage, refund: { ...refund, ...memo, ...event.fields, fault: undefined } }];
    }
    case "refundPressed": {
      if (refund.status === "saving" || refund.address.trim() === "") return [stage];
      const request = refundRequestFor(refund);
      return [
        { ...stage, refund: { ...refund, status: "saving", fault: undefined } },
        { kind: "saveRefundAddress", orderId: order.orderId, request },
      ];
    }
    case "refundAddressSaved": {
      const saved = { ...stage, order: event.order, refund: EMPTY_REFUND };
      // The order may be older than what the stream delivered, so a new stream begins.
      return [saved, followIfOpen(saved)];
    }
    case "refundFailed":
      return [{ ...stage, refund: { ...refund, status: "idle", fault: event.fault } }];
  }
}

/** A card that was sent is forgotten. Name and address stay for another attempt. */
const withoutSecrets = (stage: Ordered): Ordered["card"] => ({
  ...stage.card,
  number: EMPTY_CARD.number,
  expiry: EMPTY_CARD.expiry,
  code: EMPTY_CARD.code,
});
