import { cardDraftFor, EMPTY_REFUND } from "./drafts.ts";
import type { CheckoutEvent, ChoosingEvent, OrderedEvent } from "./events.ts";
import { inLocale } from "./locale.ts";
import { lacksInstructions, screenOf } from "./orders.ts";
import { reduceChoosing } from "./reduce-choosing.ts";
import { payingScreen, reduceOrdered } from "./reduce-ordered.ts";
import type { CheckoutState, Choosing, Ordered, Stage } from "./state.ts";

/** The whole checkout: state and event in, next state out. Nothing else happens here. */
export function reduce(state: CheckoutState, event: CheckoutEvent): CheckoutState {
  switch (event.type) {
    case "exitAsked":
      return { ...state, exit: event.confirm };
    case "exitDeclined":
      return { ...state, exit: "none" };
    default: {
      const stage = reduceStage(state.stage, event);
      return stage === state.stage ? state : { ...state, stage };
    }
  }
}

type StageEvent = Exclude<CheckoutEvent, { type: "exitAsked" | "exitDeclined" }>;

function reduceStage(stage: Stage, event: StageEvent): Stage {
  switch (event.type) {
    case "bootSlow":
      return stage.kind === "booting" && stage.notice === "none"
        ? { kind: "booting", notice: "slow" }
        : stage;
    case "bootUnreachable":
      return stage.kind === "booting" ? { kind: "booting", notice: "unreachable" } : stage;
    case "bootRetried":
      return stage.kind === "booting" ? { kind: "booting", notice: "none" } : stage;
    case "booted":
      return event.choosing;
    case "stopped":
      return { kind: "stopped", reason: event.reason, shop: shopOf(stage) };
    case "localeChanged":
      return inLocale(stage, event.locale);
    case "sessionFoundUsed":
      return {
        kind: "used",
        session: event.session,
        locale: event.locale,
        orderId: event.session.orderId,
      };
    case "orderFound":
      return { ...openOrder(event), reopened: event.reopened };
    case "orderPlaced":
      return stage.kind === "choosing" ? startPaying(stage, event.order) : stage;
    default:
      return isOrdered(event) ? inOrdered(stage, event) : inChoosing(stage, event);
  }
}

const inOrdered = (stage: Stage, event: OrderedEvent): Stage =>
  stage.kind === "ordered" ? reduceOrdered(stage, event) : stage;

const inChoosing = (stage: Stage, event: ChoosingEvent): Stage =>
  stage.kind === "choosing" ? reduceChoosing(stage, event) : stage;

const ORDERED: Readonly<Record<OrderedEvent["type"], true>> = {
  orderPlaced: true,
  cardRetyped: true,
  payPressed: true,
  payAnswerLost: true,
  paymentAnswered: true,
  payFailed: true,
  orderRead: true,
  connectionChanged: true,
  orderedScreenOpened: true,
  cancelAsked: true,
  cancelDeclined: true,
  cancelPressed: true,
  cancelFailed: true,
  refundTyped: true,
  refundPressed: true,
  refundKept: true,
  refundFailed: true,
};

const isOrdered = (event: ChoosingEvent | OrderedEvent): event is OrderedEvent =>
  event.type in ORDERED;

type Found = Extract<StageEvent, { type: "orderFound" }>;

const openOrder = ({ session, locale, order, reopened }: Found): Ordered => ({
  kind: "ordered",
  session,
  locale,
  screen: screenOf(order),
  order,
  card: cardDraftFor(session),
  // Instructions that were never asked for are asked for now.
  paying: lacksInstructions(order) ? "paying" : "idle",
  cancelling: "idle",
  refund: EMPTY_REFUND,
  reopened,
  connection: "fine",
  fault: undefined,
});

/** The order stands; its payment goes out at once, with the card that was reviewed if by card. */
const startPaying = (stage: Choosing, order: Ordered["order"]): Ordered => ({
  kind: "ordered",
  session: { ...stage.world.session, orderId: order.orderId },
  locale: stage.world.locale,
  screen: payingScreen(order),
  order,
  card: stage.card,
  paying: "paying",
  cancelling: "idle",
  refund: EMPTY_REFUND,
  reopened: false,
  connection: "fine",
  fault: undefined,
});

export function shopOf(stage: Stage): string | undefined {
  switch (stage.kind) {
    case "booting":
      return undefined;
    case "stopped":
      return stage.shop;
    case "choosing":
      return stage.world.session.merchant.name;
    case "used":
    case "ordered":
      return stage.session.merchant.name;
  }
}
