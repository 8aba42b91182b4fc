import type { PlaceOrderRequest } from "@exchange/contract";
import type { Refusal } from "../api/client.ts";
import { quoteRequestFor } from "../machine/requests.ts";
import type { SubmitFault } from "../machine/state.ts";
import { choosingIn, type FlowDeps, pause } from "./deps.ts";
import { isLasting, isSessionUsed, tokenFault } from "./refusals.ts";
import { QUOTE_LIFETIME_MS } from "./request-quote.ts";

const RETRY_AFTER_MS = 2_000;

/** An order that was sent from here. */
interface Submitted {
  readonly quoteId: string;
  /** The customer's choices and the amount to pay, as text. */
  readonly terms: string;
}

/**
 * Places orders. If the answer is lost the session says whether an order exists; nothing is submitted
 * again unless the customer does so.
 */
export function createOrderPlacer(deps: FlowDeps): (request: PlaceOrderRequest) => Promise<void> {
  /** The newest comes last. Any of them may have become the order. */
  const submitted: Submitted[] = [];
  const { api, page, store } = deps;
  return async (request) => {
    submitted.push({ quoteId: request.quoteId, terms: termsOf(deps, request) });
    const validUntil = page.now() + QUOTE_LIFETIME_MS;
    const answer = await api.placeOrder(request);
    if (answer.ok) {
      return store.dispatch({ area: "placement", type: "orderPlaced", order: answer.data });
    }
    const { problem } = answer;
    if (problem.kind !== "refused" || mayBePlaced(problem)) {
      store.dispatch({ area: "placement", type: "placementAnswerLost" });
      return findPlaced(deps, submitted);
    }
    const { quote } = problem;
    if (problem.code === "QUOTE_EXPIRED" && quote) {
      return store.dispatch({ area: "placement", type: "priceExpired", quote, validUntil });
    }
    await refuse(deps, submitted, problem);
  };
}

/** The amount to receive is a term only where the customer typed it: the rate may change. */
function termsOf(deps: FlowDeps, request: PlaceOrderRequest): string {
  const stage = choosingIn(deps);
  const quoteRequest = stage && quoteRequestFor(stage);
  return JSON.stringify([
    { ...request, quoteId: "" },
    quoteRequest,
    stage?.quote.quote?.spend.amount,
  ]);
}

/** A fault of the service that may have come after the order was written. */
const mayBePlaced = (problem: Refusal): boolean =>
  problem.status >= 500 && faultOf(problem) !== "unavailable";

/** Asks until the service says whether the order exists. */
async function findPlaced(deps: FlowDeps, submitted: readonly Submitted[]): Promise<void> {
  const { api, store } = deps;
  const locale = choosingIn(deps)?.world.locale ?? "en";
  for (;;) {
    const session = await api.readSession();
    if (session.ok && session.data.orderId === null) {
      return store.dispatch({ area: "placement", type: "placementFailed", fault: "not_placed" });
    }
    if (session.ok && session.data.orderId !== null) {
      const order = await api.readOrder(session.data.orderId);
      const quoteOf = order.ok && order.data.quote.quoteId;
      const sent = submitted.filter(({ quoteId }) => quoteId === quoteOf);
      if (order.ok && sent[0]) {
        // Of two requests with one quote, nobody knows which became the order.
        const isLast = sent.every(({ terms }) => terms === submitted.at(-1)?.terms);
        const fault = isLast ? undefined : "earlier_order";
        return store.dispatch({ area: "placement", type: "orderPlaced", order: order.data, fault });
      }
      const reason = order.ok ? undefined : tokenFault(order.problem);
      if (reason) return store.dispatch({ area: "checkout", type: "stopped", reason });
      // Without a lasting answer the order may still be ours, so it is read again.
      if (order.ok || isLasting(order.problem)) {
        const used = { type: "sessionFoundUsed", session: session.data, locale } as const;
        return store.dispatch({ area: "checkout", ...used });
      }
    }
    const reason = session.ok ? undefined : tokenFault(session.problem);
    if (reason) return store.dispatch({ area: "checkout", type: "stopped", reason });
    await pause(RETRY_AFTER_MS);
  }
}

async function refuse(
  deps: FlowDeps,
  submitted: readonly Submitted[],
  problem: Refusal,
): Promise<void> {
  const reason = tokenFault(problem);
  if (reason) return deps.store.dispatch({ area: "checkout", type: "stopped", reason });
  // A browser may repeat a request whose connection broke, so the existing order may be ours.
  if (isSessionUsed(problem) || problem.code === "QUOTE_ALREADY_USED") {
    return findPlaced(deps, submitted);
  }
  const fault = faultOf(problem);
  deps.store.dispatch({ area: "placement", type: "placementFailed", fault });
}

function faultOf(problem: Refusal): SubmitFault {
  switch (problem.code) {
    case "INVALID_WALLET_ADDRESS":
    case "NETWORK_MISMATCH":
    case "NETWORK_REQUIRED":
      return "wallet_refused";
    case "LIQUIDITY_UNAVAILABLE":
    case "PROVIDER_UNAVAILABLE":
    case "RATE_LIMITED":
      return "unavailable";
    default:
      return problem.details.some(({ path }) => String(path).includes("payout"))
        ? "payout_refused"
        : "order_refused";
  }
}
