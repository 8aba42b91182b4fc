import type { PlaceOrderRequest, QuoteData } from "@exchange/contract";
import type { Problem, Refusal } from "../api/client.ts";
import { payoutOf } from "../machine/payout.ts";
import type { AddressUse, Choosing, SubmitFault } from "../machine/state.ts";
import { coinFor, receivesCrypto, sendsCrypto } from "../machine/steps.ts";
import { networkOf } from "./check-wallet.ts";
import { type FlowDeps, pause } from "./deps.ts";
import { QUOTE_LIFETIME_MS } from "./live-quote.ts";
import { isSessionUsed, tokenFault } from "./refusals.ts";

const ASK_AGAIN_MS = 2_000;

/**
 * Places the order when the customer presses Pay, once. When the answer is lost the session is asked
 * whether an order stands; nothing is submitted again unless the customer does so.
 */
export function followPlacing(deps: FlowDeps): void {
  let requoted = false;
  /** Any of these may have become the order, when answers were lost. */
  const submitted = new Set<string>();
  deps.store.subscribe(({ next, previous }) => {
    const { stage } = next;
    if (stage.kind !== "choosing" || stage.placing !== "placing") return;
    if (previous.stage.kind === "choosing" && previous.stage.placing !== "idle") return;
    void place(stage);
  });

  const place = async (stage: Choosing): Promise<void> => {
    const request = orderFor(stage);
    if (!request) return;
    submitted.add(request.quoteId);
    const goodUntil = deps.page.now() + QUOTE_LIFETIME_MS;
    const answer = await deps.api.placeOrder(request);
    if (answer.ok) return deps.store.dispatch({ type: "orderPlaced", order: answer.data });
    const { problem } = answer;
    if (problem.kind !== "refused" || isFault(problem)) {
      deps.store.dispatch({ type: "placeAnswerLost" });
      return findPlaced(deps, { stage, submitted });
    }
    if (problem.code === "QUOTE_EXPIRED" && problem.quote) return requote(problem.quote, goodUntil);
    await refuse(deps, { stage, submitted, problem });
  };

  /** The price had run out: take the fresh one, and go on unless it is worse or runs out again. */
  const requote = (quote: QuoteData, goodUntil: number): void => {
    const { store } = deps;
    store.dispatch({ type: "placeFailed", fault: "price_refreshed" });
    const { stage } = store.read();
    if (stage.kind !== "choosing") return;
    const sequence = stage.quote.sequence + 1;
    store.dispatch({ type: "quoteAsked", sequence });
    store.dispatch({ type: "quoteArrived", sequence, quote, goodUntil });
    if (requoted) return;
    requoted = true;
    store.dispatch({ type: "placePressed" });
  };
}

/** A fault on the other side that may have come after the order was written. */
const isFault = (problem: Refusal): boolean =>
  problem.status >= 500 && faultOf(problem) !== "unavailable";

/** The order for what was chosen: it names the quote, and where everything goes. */
export function orderFor(stage: Choosing): PlaceOrderRequest | undefined {
  const { quote } = stage.quote;
  if (!quote) return undefined;
  const { operation, session } = stage.world;
  return {
    quoteId: quote.quoteId,
    ...(receivesCrypto(operation) ? destinationOf(stage) : { payout: payoutOf(stage) }),
    ...(sendsCrypto(operation) ? refundOf(stage) : {}),
    ...(Object.keys(session.customer).length > 0 ? { customer: session.customer } : {}),
  };
}

function destinationOf(stage: Choosing) {
  const networkCode = networkOf(stage, "wallet");
  const memo = memoOf(stage, "wallet");
  return {
    walletAddress: stage.wallet.address,
    ...(networkCode ? { networkCode } : {}),
    ...(memo ? { memo } : {}),
  };
}

function refundOf(stage: Choosing) {
  const { address } = stage.refund;
  if (address === "") return {};
  const memo = memoOf(stage, "refund");
  return { refundAddress: address, ...(memo ? { refundMemo: memo } : {}) };
}

const memoOf = (stage: Choosing, use: AddressUse): string =>
  coinFor(stage, use).memo === "none" ? "" : stage[use].memo.trim();

interface Placement {
  readonly stage: Choosing;
  /** Quotes that orders were placed for from here. */
  readonly submitted: ReadonlySet<string>;
}

/** Asks until the service says whether the order stands. */
async function findPlaced(deps: FlowDeps, { stage, submitted }: Placement): Promise<void> {
  const { api, store } = deps;
  for (;;) {
    const session = await api.readSession();
    if (session.ok && session.data.orderId === null) {
      return store.dispatch({ type: "placeFailed", fault: "not_placed" });
    }
    if (session.ok && session.data.orderId !== null) {
      const order = await api.readOrder(session.data.orderId);
      const ours = order.ok && submitted.has(order.data.quote.quoteId);
      if (ours) return store.dispatch({ type: "orderPlaced", order: order.data });
      if (order.ok || order.problem.kind === "refused") {
        const { locale } = stage.world;
        return store.dispatch({ type: "sessionFoundUsed", session: session.data, locale });
      }
    }
    const reason = session.ok ? undefined : tokenFault(session.problem);
    if (reason) return store.dispatch({ type: "stopped", reason });
    await pause(ASK_AGAIN_MS);
  }
}

async function refuse(
  deps: FlowDeps,
  { stage, submitted, problem }: Placement & { readonly problem: Problem },
): Promise<void> {
  const reason = tokenFault(problem);
  if (reason) return deps.store.dispatch({ type: "stopped", reason });
  const code = problem.kind === "refused" ? problem.code : "";
  // A browser may repeat a request whose connection broke, so the order that stands may be ours.
  if (isSessionUsed(problem) || code === "QUOTE_ALREADY_USED") {
    return findPlaced(deps, { stage, submitted });
  }
  deps.store.dispatch({ type: "placeFailed", fault: faultOf(problem) });
}

function faultOf(problem: Problem): SubmitFault {
  if (problem.kind !== "refused") return "order_refused";
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
