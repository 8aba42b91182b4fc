import type { Deps } from "../flows/deps.ts";

const POLL_MS = 5_000;

export interface Polling {
  /** Sends what is due. It gives up its outside calls when the signal aborts. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** The line of the log when the work fails. */
  readonly failure: string;
  readonly close?: () => Promise<void>;
}

/** Does the work every five seconds, one round at a time. Returns the function that ends it. */
export function startPolling(
  { log }: Pick<Deps, "log">,
  { work, failure, close }: Polling,
): () => Promise<void> {
  const stopped = new AbortController();
  let working = Promise.resolve();
  const timer = setInterval(() => {
    working = working
      .then(() => work(stopped.signal))
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) log.warn({ err: error }, failure);
      });
  }, POLL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopped.abort();
    await working;
    await close?.();
  };
}
