import type { CheckoutQuoteRequest, QuoteData } from "@exchange/contract";
import { wantedQuote } from "../machine/amount.ts";
import type { Choosing } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";
import { isSessionUsed, quoteFault, showUsedSession, tokenFault } from "./refusals.ts";

const TYPING_PAUSE_MS = 250;
const REFRESH_BEFORE_END_MS = 5_000;
const FRESH_FOR_REVIEW_MS = 8_000;
const LIFETIME_MS = 30_000;
const RETRY_AFTER_MS = 5_000;

export interface LiveQuotes {
  /** Asks again now, for the "Try again" button. */
  refresh(): void;
}

/**
 * Keeps the quote in step with what the customer chose: waits for a pause in typing, cancels the
 * request before, and refreshes shortly before the quote ends while somebody is looking. Answers are
 * matched by sequence number in the reducer.
 */
export function followQuotes(deps: FlowDeps): LiveQuotes {
  const { store, page } = deps;
  let asked = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request = new AbortController();

  const ask = async (body: CheckoutQuoteRequest, delayMs: number): Promise<void> => {
    clearTimeout(timer);
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const sequence = (choosingOf(deps)?.quote.sequence ?? 0) + 1;
    store.dispatch({ type: "quoteAsked", sequence });
    await new Promise((resolve) => {
      timer = setTimeout(resolve, delayMs);
    });
    if (signal.aborted) return;
    const answer = await deps.api.createQuote(body, signal);
    if (answer.ok) {
      const goodUntil = endOf(answer.data, page.now());
      store.dispatch({ type: "quoteArrived", sequence, quote: answer.data, goodUntil });
    } else if (answer.problem.kind !== "abandoned") {
      await refuse(deps, { sequence, problem: answer.problem });
    }
  };

  const refresh = (): void => {
    const stage = choosingOf(deps);
    const wanted = stage && wantedQuote(stage);
    if (stage?.placing === "idle" && wanted) void ask(wanted, 0);
  };

  const refreshWhenDue = (): void => {
    const stage = choosingOf(deps);
    if (!stage || stage.quote.status === "none" || stage.quote.status === "asking") return;
    clearTimeout(timer);
    if (stage.quote.status === "failed") {
      if (mayPass(stage) && page.isVisible()) timer = setTimeout(refresh, RETRY_AFTER_MS);
      return;
    }
    const wait = stage.quote.goodUntil - REFRESH_BEFORE_END_MS - page.now();
    if (wait > 0) timer = setTimeout(refreshWhenDue, wait);
    else if (page.isVisible()) refresh();
  };

  store.subscribe(({ next, previous }) => {
    if (next.stage.kind !== "choosing") {
      clearTimeout(timer);
      request.abort();
      return;
    }
    const stage = next.stage;
    const before = previous.stage.kind === "choosing" ? previous.stage : undefined;
    const wanted = wantedQuote(stage);
    const key = JSON.stringify(wanted ?? "");
    if (key !== asked) {
      asked = key;
      if (wanted) return void ask(wanted, before ? TYPING_PAUSE_MS : 0);
      clearTimeout(timer);
      request.abort();
      return store.dispatch({ type: "quoteCleared" });
    }
    if (opensReview(stage, before) && stage.quote.goodUntil - page.now() < FRESH_FOR_REVIEW_MS) {
      return refresh();
    }
    if (stage.quote.status !== before?.quote.status || stage.placing !== before?.placing) {
      refreshWhenDue();
    }
  });
  page.onVisible(refreshWhenDue);
  return { refresh };
}

const choosingOf = ({ store }: FlowDeps): Choosing | undefined => {
  const { stage } = store.read();
  return stage.kind === "choosing" ? stage : undefined;
};

/** A fault of the line or the service, not of what was asked. */
const mayPass = ({ quote }: Choosing): boolean =>
  quote.fault?.kind === "unreachable" || quote.fault?.kind === "unavailable";

const opensReview = (stage: Choosing, before: Choosing | undefined): boolean =>
  stage.screen === "review" && before?.screen !== "review" && stage.quote.status === "ready";

/**
 * When a quote ends by this device's clock. A clock that disagrees with the service's by more than a
 * quote's life (the sandbox can move its own) is not believed.
 */
export function endOf(quote: QuoteData, now: number): number {
  const remaining = quote.expiresAt * 1000 - now;
  return now + (remaining > 0 && remaining <= LIFETIME_MS ? remaining : LIFETIME_MS);
}

async function refuse(
  deps: FlowDeps,
  { sequence, problem }: { sequence: number; problem: Parameters<typeof quoteFault>[0] },
): Promise<void> {
  const reason = tokenFault(problem);
  if (reason) return deps.store.dispatch({ type: "stopped", reason });
  if (isSessionUsed(problem)) {
    return showUsedSession(deps, choosingOf(deps)?.world.locale ?? "en");
  }
  deps.store.dispatch({ type: "quoteFailed", sequence, fault: quoteFault(problem) });
}
