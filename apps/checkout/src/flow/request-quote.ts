import type { CheckoutQuoteRequest } from "@exchange/contract";
import type { Problem } from "../api/client.ts";
import type { FlowDeps } from "./deps.ts";
import { isSessionUsed, quoteFault, showUsedSession, tokenFault } from "./refusals.ts";

/**
 * The lifetime of a quote. It is counted from before the request, by this device's clock alone. By the
 * service's clock, a device that is half a minute fast would renew each quote as soon as it arrived.
 */
export const QUOTE_LIFETIME_MS = 30_000;

interface QuoteRequest {
  readonly request: CheckoutQuoteRequest;
  readonly sequence: number;
}

interface QuoteRequests {
  /** Replaces the request that is scheduled or under way. */
  request(quote: QuoteRequest & { readonly delayMs: number }): void;
  /** Reports that a refresh is due, if the page is visible then. */
  refreshAt(refresh: { readonly time: number; readonly earlyMs: number }): void;
  refreshIn(delayMs: number): void;
  cancel(): void;
}

/** One timer and one request at a time. */
export function createQuoteRequests(deps: FlowDeps): QuoteRequests {
  const { store, page } = deps;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let controller = new AbortController();
  const schedule = (run: () => void, delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(run, delayMs);
  };
  const cancel = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  const refresh = (): void => {
    if (page.isVisible()) store.dispatch({ area: "quote", type: "quoteRefreshDue" });
  };
  return {
    request({ delayMs, ...quote }) {
      cancel();
      controller = new AbortController();
      const { signal } = controller;
      schedule(() => void send(deps, quote, signal), delayMs);
    },
    refreshAt({ time, earlyMs }) {
      const delayMs = time - page.now();
      if (delayMs <= earlyMs) refresh();
      else schedule(refresh, delayMs);
    },
    refreshIn: (delayMs) => schedule(refresh, delayMs),
    cancel,
  };
}

async function send(
  deps: FlowDeps,
  { request, sequence }: QuoteRequest,
  signal: AbortSignal,
): Promise<void> {
  const { store, page, api } = deps;
  const validUntil = page.now() + QUOTE_LIFETIME_MS;
  const answer = await api.createQuote(request, signal);
  if (answer.ok) {
    const quote = answer.data;
    return store.dispatch({ area: "quote", type: "quoteArrived", sequence, quote, validUntil });
  }
  if (answer.problem.kind !== "abandoned") await refuse(deps, sequence, answer.problem);
}

async function refuse(deps: FlowDeps, sequence: number, problem: Problem): Promise<void> {
  const reason = tokenFault(problem);
  if (reason) return deps.store.dispatch({ area: "checkout", type: "stopped", reason });
  if (isSessionUsed(problem)) return showUsedSession(deps);
  const fault = quoteFault(problem);
  deps.store.dispatch({ area: "quote", type: "quoteFailed", sequence, fault });
}
