import type { CheckoutEventName, CheckoutSnapshot } from "@exchange/contract/frame";
import { paysByCard } from "../machine/orders.ts";
import type { CheckoutState, Choosing, ChoosingScreen, Ordered, Stage } from "../machine/state.ts";
import { screenAfter } from "../machine/steps.ts";
import type { Change } from "../machine/store.ts";

/** Returns the host's events for a change of state, in the order they happened. */
export function eventsOf({ next, previous }: Change): readonly CheckoutEventName[] {
  const events: CheckoutEventName[] = [];
  const now = next.stage;
  const before = previous.stage;
  if (before.kind === "booting" && now.kind !== "booting") {
    events.push(now.kind === "stopped" ? "error" : "ready");
    if (now.kind === "choosing" && now.world.ignored.length > 0) events.push("optionIgnored");
  } else if (now.kind === "stopped" && before.kind !== "stopped") {
    events.push("error");
  }
  if (now.kind === "choosing" && before.kind === "choosing") events.push(...choices(now, before));
  if (now.kind === "ordered") {
    events.push(...orders(now, before.kind === "ordered" ? before : undefined));
  }
  if (screenNameOf(now) !== screenNameOf(before)) events.push("screenChanged");
  if (next.exit !== "none" && previous.exit === "none") events.push("exitIntent");
  return events;
}

function choices(now: Choosing, before: Choosing): CheckoutEventName[] {
  const events: CheckoutEventName[] = [];
  if (now.quote.quote && now.quote.quote !== before.quote.quote) events.push("quoteUpdated");
  const isPickedOnReview = now.screen === "review" && now.method.id !== before.method.id;
  if (isPassed("method", now, before) || isPickedOnReview) events.push("methodSelected");
  if (isPassed("wallet", now, before)) events.push("walletAccepted");
  return events;
}

/** Returns true when the customer continued from this screen to the next. */
const isPassed = (screen: ChoosingScreen, now: Choosing, before: Choosing): boolean =>
  before.screen === screen && now.screen === screenAfter(before);

function orders(now: Ordered, before: Ordered | undefined): CheckoutEventName[] {
  const events: CheckoutEventName[] = [];
  // The event may repeat: after a reload the shop's page learns of its order when the checkout opens again.
  if (!before) events.push("orderPlaced");
  const submits = now.submission === "sent" && before?.submission !== "sent";
  // Without a card, this request only fetches the payment instructions.
  if (submits && paysByCard(now.order)) events.push("paymentSubmitted");
  const checking = now.screen === "authentication";
  if (checking && before?.screen !== "authentication") events.push("authenticationStarted");
  if (!checking && before?.screen === "authentication") events.push("authenticationCompleted");
  const { status } = now.order;
  if (before && before.order.status === status) return events;
  if (before) events.push("orderUpdated");
  if (status === "completed") events.push("orderCompleted");
  if (status === "failed" || status === "expired" || status === "cancelled") {
    events.push("orderFailed");
  }
  return events;
}

/** Returns the name of a screen, as used in events and on the page. */
function screenNameOf(stage: Stage): string {
  switch (stage.kind) {
    case "booting":
      return "boot";
    case "stopped":
    case "used":
      return stage.kind;
    case "choosing":
    case "ordered":
      return stage.screen;
  }
}

/** Returns the snapshot of the checkout that goes with every event: amounts and names, nothing private. */
export function snapshotOf(state: CheckoutState): CheckoutSnapshot {
  const { stage } = state;
  const screen = screenNameOf(stage);
  switch (stage.kind) {
    case "booting":
    case "stopped":
      return { sessionId: "", screen, operationType: "B", live: false };
    case "used":
      return {
        sessionId: stage.session.sessionId,
        screen,
        operationType: stage.session.lock.operationType ?? "B",
        live: stage.session.environment === "prod",
        ...(stage.orderId === null ? {} : { orderId: stage.orderId }),
      };
    case "choosing":
      return choosingSnapshot(stage, screen);
    case "ordered":
      return orderedSnapshot(stage, screen);
  }
}

function choosingSnapshot({ world, quote, method }: Choosing, screen: string): CheckoutSnapshot {
  const amounts = quote.quote;
  return {
    sessionId: world.session.sessionId,
    screen,
    operationType: world.operation,
    live: world.session.environment === "prod",
    paymentMethod: method.reference,
    ...(amounts ? { spend: amountOf(amounts.spend), receive: amountOf(amounts.receive) } : {}),
  };
}

const orderedSnapshot = ({ session, order }: Ordered, screen: string): CheckoutSnapshot => ({
  sessionId: session.sessionId,
  screen,
  operationType: order.operationType,
  live: session.environment === "prod",
  orderId: order.orderId,
  status: order.status,
  outcome: order.payment.outcome,
  spend: amountOf(order.quote.spend),
  receive: amountOf(order.quote.receive),
  paymentMethod: order.quote.paymentMethod.reference,
});

const amountOf = ({ amount, currencyCode }: { amount: number; currencyCode: string }) => ({
  amount,
  currencyCode,
});
