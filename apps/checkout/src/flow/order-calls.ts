import type {
  CardPaymentRequest,
  CheckoutOrderData,
  QuoteData,
  RefundAddressRequest,
} from "@exchange/contract";
import type { Problem } from "../api/client.ts";
import type { Effect } from "../machine/effects.ts";
import { lacksInstructions } from "../machine/orders.ts";
import type { CallFault, SubmitFault } from "../machine/state.ts";
import { type FlowDeps, pause } from "./deps.ts";
import { callFault, tokenFault } from "./refusals.ts";

const RETRY_AFTER_MS = 2_000;
const RETRY_SLOWEST_MS = 15_000;
// Long enough to read "Checking with your bank" even if the answer comes at once.
const CHECKING_SHOWN_MS = 600;
/** An offer lives for 30 seconds. The next one is due before that, whatever this device's clock says. */
const OFFER_SHOWN_MS = 20_000;

/** Requests the payment instructions. The answer is always the same, so a retry is safe. */
export async function requestInstructions(deps: FlowDeps, order: CheckoutOrderData): Promise<void> {
  const { api, store } = deps;
  const type = order.payment.type === "crypto" ? "crypto" : "bank_transfer";
  for (;;) {
    const answer = await api.payOrder(order.orderId, { type });
    if (answer.ok) return accept(deps, answer.data);
    if (answer.problem.kind === "refused") {
      // The order may have changed since it was read.
      const latest = await api.readOrder(order.orderId);
      if (latest.ok && !lacksInstructions(latest.data)) return accept(deps, latest.data);
      return fail(deps, "no_instructions", answer.problem);
    }
    store.dispatch({ area: "ordered", type: "paymentAnswerLost" });
    await pause(RETRY_AFTER_MS);
  }
}

interface CardPayment {
  readonly order: CheckoutOrderData;
  readonly request: CardPaymentRequest;
}

/** Pays by card. If the answer is lost the order is read; the card is never sent again. */
export async function payByCard(deps: FlowDeps, { order, request }: CardPayment): Promise<void> {
  const { api, page } = deps;
  const shownSince = page.now();
  const answer = await api.payOrder(order.orderId, request);
  await pause(Math.max(0, shownSince + CHECKING_SHOWN_MS - page.now()));
  if (answer.ok) return accept(deps, answer.data);
  // After a fault of the service only the order knows whether the card was charged.
  const { problem } = answer;
  if (problem.kind !== "refused" || problem.status >= 500) return findPayment(deps, order);
  if (problem.code === "INVALID_ORDER_STATE") return findPayment(deps, order);
  if (tokenFault(problem)) return fail(deps, undefined, problem);
  fail(deps, problem.status === 429 ? "unavailable" : "payment_refused", problem);
}

/**
 * Reads the order until it answers, ever less often, and reports what happened to the payment. A window that has timed out
 * does not learn it.
 */
async function findPayment(deps: FlowDeps, before: CheckoutOrderData): Promise<void> {
  const { api, store } = deps;
  store.dispatch({ area: "ordered", type: "paymentAnswerLost" });
  for (let waitMs = RETRY_AFTER_MS; ; waitMs = Math.min(waitMs * 1.4, RETRY_SLOWEST_MS)) {
    const order = await api.readOrder(before.orderId);
    if (order.ok && hasMoved(order.data, before)) return accept(deps, order.data);
    if (order.ok) return fail(deps, "payment_not_sent", undefined);
    if (tokenFault(order.problem)) return timeOut(deps);
    await pause(waitMs);
  }
}

const hasMoved = (order: CheckoutOrderData, before: CheckoutOrderData): boolean =>
  order.status !== before.status ||
  (order.payment.attempt?.number ?? 0) > (before.payment.attempt?.number ?? 0);

const accept = ({ store }: FlowDeps, order: CheckoutOrderData): void =>
  store.dispatch({ area: "ordered", type: "paymentAnswered", order });

/** Without a fault the window has timed out, and its notice says enough: the card was not read. */
function fail(deps: FlowDeps, fault: SubmitFault | undefined, problem: Problem | undefined): void {
  deps.store.dispatch({ area: "ordered", type: "paymentFailed", fault });
  if (problem && tokenFault(problem)) timeOut(deps);
}

const timeOut = ({ store }: FlowDeps): void =>
  store.dispatch({ area: "ordered", type: "connectionChanged", connection: "timed_out" });

/** Cancels the order. The order itself says whether that worked. */
export async function cancelOrder({ api, store }: FlowDeps, orderId: number): Promise<void> {
  const answer = await api.cancelOrder(orderId);
  // After a lost answer or a refusal: the order may have ended or may have been paid meanwhile.
  const result = answer.ok ? answer : await api.readOrder(orderId);
  const order = result.ok ? result.data : undefined;
  const fault = answer.ok ? undefined : cancelFault(answer.problem);
  store.dispatch({ area: "cancellation", type: "cancelAnswered", order, fault });
}

/** Only the order's status forbids it for good. After any other fault the customer may try again. */
const cancelFault = (problem: Problem): CallFault =>
  problem.kind === "refused" && problem.code === "INVALID_ORDER_STATE" ? "refused" : "unreachable";

/** Requests other ways to pay, and reports when they are about to expire. */
export async function offerMethods({ api, store }: FlowDeps, orderId: number): Promise<void> {
  const answer = await api.offerMethods(orderId);
  if (!answer.ok) {
    const fault = callFault(answer.problem);
    return store.dispatch({ area: "ordered", type: "methodsFailed", fault });
  }
  const offers = answer.data;
  store.dispatch({ area: "ordered", type: "methodsArrived", offers });
  await pause(OFFER_SHOWN_MS);
  store.dispatch({ area: "ordered", type: "methodsDue", offers });
}

/** Pays in another way. After a lost answer or a refusal the order itself says how it is paid. */
export async function changeMethod(
  { api, store }: FlowDeps,
  { orderId, quoteId }: Extract<Effect, { kind: "changeMethod" }>,
): Promise<void> {
  const answer = await api.changeMethod(orderId, { quoteId });
  const result = answer.ok ? answer : await api.readOrder(orderId);
  if (result.ok) store.dispatch({ area: "ordered", type: "orderRead", order: result.data });
  if (answer.ok) return;
  // An order that was changed after all takes no notice.
  const fault = callFault(answer.problem);
  store.dispatch({ area: "ordered", type: "methodChangeFailed", fault });
}

/** Pays an order of a sandbox as its customer would. */
export async function simulatePayment(
  { api, store }: FlowDeps,
  { orderId, request }: Extract<Effect, { kind: "simulatePayment" }>,
): Promise<void> {
  const answer = await api.simulatePayment(orderId, request);
  store.dispatch(
    answer.ok
      ? { area: "ordered", type: "simulationAnswered", order: answer.data }
      : { area: "ordered", type: "simulationFailed", fault: callFault(answer.problem) },
  );
}

/** Asks the service to mail the order's page or its receipt. */
export async function mailOrder(
  { api, store }: FlowDeps,
  { orderId, request }: Extract<Effect, { kind: "mailOrder" }>,
): Promise<void> {
  const answer = await api.mailOrder(orderId, request);
  const status = answer.ok ? "accepted" : callFault(answer.problem);
  store.dispatch({ area: "ordered", type: "mailAnswered", status });
}

interface RefundAddress {
  readonly orderId: number;
  readonly request: RefundAddressRequest;
}

/** Saves the address for returned coins of an order that exists. */
export async function saveRefundAddress(
  { api, store }: FlowDeps,
  { orderId, request }: RefundAddress,
): Promise<void> {
  const answer = await api.saveRefundAddress(orderId, request);
  if (answer.ok) {
    return store.dispatch({ area: "refund", type: "refundAddressSaved", order: answer.data });
  }
  store.dispatch({ area: "refund", type: "refundFailed", fault: callFault(answer.problem) });
}

/** Requests an offer of a new price. */
export async function requestPrice(deps: FlowDeps, orderId: number): Promise<void> {
  const answer = await deps.api.offerPrice(orderId);
  await showOffer(deps, "offerArrived", answer.ok ? answer.data : undefined);
}

/** Sends the customer's answer to a new price. The service answers one that came too late with another offer. */
export async function answerPrice(
  deps: FlowDeps,
  { orderId, accepted }: Extract<Effect, { kind: "answerPrice" }>,
): Promise<void> {
  const answer = await deps.api.answerPrice(orderId, accepted);
  if (answer.ok) return accept(deps, answer.data);
  const { problem } = answer;
  await showOffer(deps, "answerFailed", problem.kind === "refused" ? problem.quote : undefined);
}

/** Shows the offer until the next one is due. */
async function showOffer(
  { store }: FlowDeps,
  type: "offerArrived" | "answerFailed",
  offer: QuoteData | undefined,
): Promise<void> {
  store.dispatch({ area: "price", type, offer });
  if (!offer) return;
  await pause(OFFER_SHOWN_MS);
  store.dispatch({ area: "price", type: "offerDue", offer });
}
