import type { CheckoutQuoteRequest } from "@exchange/contract";
import { wantedQuote } from "../machine/amount.ts";
import type { Choosing } from "../machine/state.ts";
import type { FlowDeps } from "./deps.ts";
import { isSessionUsed, quoteFault, showUsedSession, tokenFault } from "./refusals.ts";

const TYPING_PAUSE_MS = 250;
const REFRESH_BEFORE_END_MS = 5_000;
const FRESH_FOR_REVIEW_MS = 8_000;
/**
 * A quote lives this long. It is counted from before it was asked for, by this device's clock alone:
 * by the service's a device that is half a minute fast would renew each quote as soon as it came.
 */
export const QUOTE_LIFETIME_MS = 30_000;
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
  const asker = createAsker(deps);
  let asked = "";

  const refresh = (): void => {
    const stage = choosingOf(deps);
    const wanted = stage && wantedQuote(stage);
    if (stage?.placing === "idle" && wanted) asker.ask(wanted, 0);
  };

  const refreshWhenDue = (): void => {
    const stage = choosingOf(deps);
    const wait = stage && dueIn(stage, page.now());
    if (wait === undefined) return;
    if (wait > 0) asker.later(refreshWhenDue, wait);
    else if (page.isVisible()) refresh();
  };

  store.subscribe(({ next, previous }) => {
    if (next.stage.kind !== "choosing") return asker.stop();
    const stage = next.stage;
    const before = previous.stage.kind === "choosing" ? previous.stage : undefined;
    const wanted = wantedQuote(stage);
    const key = JSON.stringify(wanted ?? "");
    if (key !== asked) {
      asked = key;
      if (wanted) return asker.ask(wanted, before ? TYPING_PAUSE_MS : 0);
      asker.stop();
      return store.dispatch({ type: "quoteCleared" });
    }
    if (opensReview(stage, before) && stage.quote.goodUntil - page.now() < FRESH_FOR_REVIEW_MS) {
      return refresh();
    }
    const { status } = stage.quote;
    if (status === "failed" && status !== before?.quote.status && mayPass(stage)) {
      return asker.later(() => page.isVisible() && refresh(), RETRY_AFTER_MS);
    }
    if (status !== before?.quote.status || stage.placing !== before.placing) refreshWhenDue();
  });
  const catchUp = (): void => {
    const stage = choosingOf(deps);
    if (stage?.quote.status === "failed" && mayPass(stage)) refresh();
    else refreshWhenDue();
  };
  page.on("visible", catchUp);
  page.on("online", catchUp);
  return { refresh };
}

/** How long until the quote should be renewed; undefined while there is none to renew. */
const dueIn = ({ quote }: Choosing, now: number): number | undefined =>
  quote.status === "ready" ? quote.goodUntil - REFRESH_BEFORE_END_MS - now : undefined;

interface Asker {
  /** Asks after a delay; whatever was asked or planned before is given up. */
  ask(body: CheckoutQuoteRequest, delayMs: number): void;
  later(run: () => void, delayMs: number): void;
  stop(): void;
}

/** One timer and one request at a time. */
function createAsker(deps: FlowDeps): Asker {
  const { store, page, api } = deps;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request = new AbortController();
  const later = (run: () => void, delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(run, delayMs);
  };
  const stop = (): void => {
    clearTimeout(timer);
    request.abort();
  };
  const send = async (body: CheckoutQuoteRequest, sequence: number): Promise<void> => {
    const goodUntil = page.now() + QUOTE_LIFETIME_MS;
    const answer = await api.createQuote(body, request.signal);
    if (answer.ok) {
      store.dispatch({ type: "quoteArrived", sequence, quote: answer.data, goodUntil });
    } else if (answer.problem.kind !== "abandoned") {
      await refuse(deps, { sequence, problem: answer.problem });
    }
  };
  return {
    ask(body, delayMs) {
      stop();
      request = new AbortController();
      const sequence = (choosingOf(deps)?.quote.sequence ?? 0) + 1;
      store.dispatch({ type: "quoteAsked", sequence });
      later(() => void send(body, sequence), delayMs);
    },
    later,
    stop,
  };
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
