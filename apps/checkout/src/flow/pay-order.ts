import type { CardPaymentRequest, OrderData } from "@exchange/contract";
import type { Problem } from "../api/client.ts";
import { digitsOf } from "../card/brand.ts";
import { readExpiry } from "../card/rules.ts";
import { lacksInstructions, paysByCard } from "../machine/orders.ts";
import type { CardDraft, Ordered } from "../machine/state.ts";
import { type FlowDeps, pause } from "./deps.ts";

const ASK_AGAIN_MS = 2_000;
// Long enough to read "Checking with your bank" even when the answer comes at once.
const CHECKING_SHOWN_MS = 600;

/**
 * Sends the card when an order starts to be paid, or asks for the instructions of another method. A
 * card whose answer was lost is asked for, never sent again.
 */
export function followPaying(deps: FlowDeps): void {
  deps.store.subscribe(({ next, previous }) => {
    const { stage } = next;
    if (stage.kind !== "ordered" || stage.paying !== "paying") return;
    if (previous.stage.kind === "ordered" && previous.stage.paying !== "idle") return;
    void pay(deps, stage);
  });
}

const pay = (deps: FlowDeps, stage: Ordered): Promise<void> =>
  paysByCard(stage.order) ? payByCard(deps, stage) : askInstructions(deps, stage);

/** Asks where the money is to be sent. The answer is always the same, so it may be asked again. */
async function askInstructions({ api, store }: FlowDeps, { order }: Ordered): Promise<void> {
  const type = order.payment.type === "crypto" ? "crypto" : "bank_transfer";
  for (;;) {
    const answer = await api.payOrder(order.orderId, { type });
    if (answer.ok) return store.dispatch({ type: "paymentAnswered", order: answer.data });
    const { problem } = answer;
    if (problem.kind === "refused") {
      // The order may have moved on since it was read.
      const now = await api.readOrder(order.orderId);
      if (now.ok && !lacksInstructions(now.data)) {
        return store.dispatch({ type: "paymentAnswered", order: now.data });
      }
      store.dispatch({ type: "payFailed", fault: "no_instructions" });
      if (problem.status !== 401) return;
      return store.dispatch({ type: "connectionChanged", connection: "timed_out" });
    }
    store.dispatch({ type: "payAnswerLost" });
    await pause(ASK_AGAIN_MS);
  }
}

async function payByCard(deps: FlowDeps, stage: Ordered): Promise<void> {
  const { api, store, page } = deps;
  const request = paymentFor(stage.card);
  if (!request) return store.dispatch({ type: "payFailed", fault: "payment_refused" });
  const shownSince = page.now();
  const answer = await api.payOrder(stage.order.orderId, request);
  await pause(Math.max(0, shownSince + CHECKING_SHOWN_MS - page.now()));
  if (answer.ok) return store.dispatch({ type: "paymentAnswered", order: answer.data });
  // A fault on the other side leaves open whether the card was taken: only the order knows.
  const { problem } = answer;
  if (problem.kind !== "refused" || problem.status >= 500) return findPayment(deps, stage);
  if (problem.code === "INVALID_ORDER_STATE") return findPayment(deps, stage);
  refuse(deps, problem);
}

export function paymentFor(card: CardDraft): CardPaymentRequest | undefined {
  const expiry = readExpiry(card.expiry);
  if (!expiry) return undefined;
  return {
    type: "card",
    card: {
      number: digitsOf(card.number),
      expiryMonth: expiry.month,
      expiryYear: expiry.year,
      cvv: card.code.trim(),
      holderName: card.holderName.trim(),
    },
    billingAddress: {
      line1: card.line1.trim(),
      city: card.city.trim(),
      postalCode: card.postalCode.trim(),
      countryCode: card.countryCode,
    },
    frequency: "one_time",
  };
}

/** Asks the order what became of the payment until it answers. */
async function findPayment(deps: FlowDeps, { order: before }: Ordered): Promise<void> {
  const { api, store } = deps;
  store.dispatch({ type: "payAnswerLost" });
  for (;;) {
    const order = await api.readOrder(before.orderId);
    if (order.ok) {
      return store.dispatch(
        hasMoved(order.data, before)
          ? { type: "paymentAnswered", order: order.data }
          : { type: "payFailed", fault: "payment_not_sent" },
      );
    }
    if (order.problem.kind === "refused" && order.problem.status === 401) {
      store.dispatch({ type: "payFailed", fault: "payment_not_sent" });
      return store.dispatch({ type: "connectionChanged", connection: "timed_out" });
    }
    await pause(ASK_AGAIN_MS);
  }
}

const hasMoved = (order: OrderData, before: OrderData): boolean =>
  order.status !== before.status ||
  (order.payment.attempt?.number ?? 0) > (before.payment.attempt?.number ?? 0);

function refuse({ store }: FlowDeps, problem: Extract<Problem, { kind: "refused" }>): void {
  const later = problem.status === 429;
  store.dispatch({ type: "payFailed", fault: later ? "unavailable" : "payment_refused" });
  if (problem.status === 401) {
    store.dispatch({ type: "connectionChanged", connection: "timed_out" });
  }
}
