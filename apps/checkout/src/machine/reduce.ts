import { readAmount } from "@exchange/money";
import { formatPlain } from "../amounts/format.ts";
import { asksFirst } from "./back.ts";
import type { Effect, Step, Transition } from "./effects.ts";
import type { CheckoutEvent, OpeningEvent, PageEvent } from "./events.ts";
import { catchUp, reconnect } from "./reconnect.ts";
import { scheduleChecks } from "./reduce-address.ts";
import { reduceChoosing } from "./reduce-choosing.ts";
import { followIfOpen, openOrder, reduceOrdered } from "./reduce-ordered.ts";
import { requestQuote } from "./reduce-quote.ts";
import type { CheckoutState, Choosing, Stage } from "./state.ts";

/** The state machine of the whole checkout. It is pure: effects are returned as data. */
export function reduce(state: CheckoutState, event: CheckoutEvent): Transition {
  if (event.area === "exit") {
    const exit = event.type === "exitRequested" ? event.exit : "none";
    return { state: { ...state, exit }, effects: [] };
  }
  const [stage, ...effects] = reduceStage(state.stage, event);
  if (stage === state.stage) return { state, effects };
  const next = { ...state, stage };
  // The question ends with its reason. Its text would not be true any more.
  const exit = state.exit === "confirm" && !asksFirst(next) ? "none" : state.exit;
  return { state: { ...next, exit }, effects };
}

function reduceStage(stage: Stage, event: Exclude<CheckoutEvent, { area: "exit" }>): Step<Stage> {
  switch (event.area) {
    case "checkout":
      return reduceOpening(stage, event);
    case "page":
      return reducePage(stage, event);
    case "ordered":
    case "cancellation":
    case "refund":
    case "price":
      return stage.kind === "ordered" ? reduceOrdered(stage, event) : [stage];
    default:
      return stage.kind === "choosing" ? reduceChoosing(stage, event) : [stage];
  }
}

function reduceOpening(stage: Stage, event: OpeningEvent): Step<Stage> {
  switch (event.type) {
    case "started":
      return [stage, { kind: "openCheckout" }];
    case "bootSlow":
      return stage.kind === "booting" && stage.notice === "none"
        ? [{ kind: "booting", notice: "slow" }]
        : [stage];
    case "bootUnreachable":
      return [stage.kind === "booting" ? { kind: "booting", notice: "unreachable" } : stage];
    case "bootRetryPressed":
      return retryBoot(stage);
    case "booted": {
      const [choosing, ...effects] = requestQuote(event.choosing, 0);
      return [choosing, ...effects, ...scheduleChecks(choosing)];
    }
    case "stopped": {
      const stopped = { kind: "stopped", reason: event.reason, shop: shopOf(stage) } as const;
      return [stopped, ...leave(stage)];
    }
    case "localeChanged":
      return [inLocale(stage, event.locale)];
    case "sessionFoundUsed": {
      const { session, locale } = event;
      return [{ kind: "used", session, locale, orderId: session.orderId }, ...leave(stage)];
    }
    case "usedOrderPressed":
      return stage.kind === "used"
        ? [stage, { kind: "openUsedOrder", orderId: event.orderId }]
        : [stage];
    case "orderFound":
      return openOrder(event);
  }
}

function reducePage(stage: Stage, { type }: PageEvent): Step<Stage> {
  switch (stage.kind) {
    case "booting":
      return type === "online" ? retryBoot(stage) : [stage];
    case "choosing":
      return type === "visible" || type === "online" ? catchUp(stage, type) : [stage];
    case "ordered":
      return reduceOrderedPage(stage, type);
    default:
      return [stage];
  }
}

function reduceOrderedPage(
  stage: Extract<Stage, { kind: "ordered" }>,
  type: PageEvent["type"],
): Step<Stage> {
  const follow = followIfOpen(stage);
  if (type === "hidden") return [stage, { kind: "unfollowOrder" }];
  if (type === "online") return [...reconnect(stage), follow];
  if (type !== "offline" || follow.kind === "unfollowOrder") return [stage, follow];
  // The open stream may still deliver, which would say that all is well. A new one finds out.
  return [{ ...stage, connection: "lost" }, follow];
}

const retryBoot = (stage: Stage): Step<Stage> =>
  stage.kind === "booting" && stage.notice === "unreachable"
    ? [{ kind: "booting", notice: "none" }, { kind: "openCheckout" }]
    : [stage];

/** Ends the work that a stage has under way. */
function leave(stage: Stage): readonly Effect[] {
  if (stage.kind === "choosing") return [{ kind: "cancelQuote" }];
  return stage.kind === "ordered" ? [{ kind: "unfollowOrder" }] : [];
}

/** The same stage in another locale. A typed amount stays the same number. */
export function inLocale(stage: Stage, locale: string): Stage {
  switch (stage.kind) {
    case "booting":
    case "stopped":
      return stage;
    case "used":
    case "ordered":
      return stage.locale === locale ? stage : { ...stage, locale };
    case "choosing":
      return stage.world.locale === locale ? stage : choosingIn(stage, locale);
  }
}

function choosingIn(stage: Choosing, locale: string): Choosing {
  const reading = readAmount(stage.amount.text, stage.world.locale);
  const world = { ...stage.world, locale };
  if (reading.kind !== "amount") return { ...stage, world };
  const text = formatPlain(reading.value, reading.value.scale, locale);
  return { ...stage, world, amount: { ...stage.amount, text } };
}

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
