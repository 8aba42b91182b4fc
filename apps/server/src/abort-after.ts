/**
 * Returns a signal that aborts with the given one, and after a time with a `TimeoutError`. Node collects a timeout that
 * only `AbortSignal.any` knows as garbage, and it never fires (nodejs/node#57736). A listener keeps it.
 */
export function abortAfter(milliseconds: number, signal: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(milliseconds);
  timeout.addEventListener("abort", keep, { once: true });
  return AbortSignal.any([signal, timeout]);
}

const keep = (): void => {};
