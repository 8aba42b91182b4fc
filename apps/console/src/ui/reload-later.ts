import { readStored, store } from "../stored.ts";

/** The person can read the notice before the page reloads. */
const RELOAD_AFTER_MS = 15_000;
/** A file that stays missing does not make the page reload all the time. */
const RELOADS_APART_MS = 300_000;
const RELOADED_AT = "reloaded";

/**
 * Reloads the page once the service answers. A module that failed to load, such as during a change of network, is not
 * requested again until then. Nothing is lost, because a page or a screen that failed has no form. Returns a function
 * that stops it.
 */
export function reloadLater(): () => void {
  let isStopped = false;
  const reload = ({ ok }: Response): void => {
    const reloadedAt = Number(readStored(RELOADED_AT));
    if (!ok || isStopped || Date.now() - reloadedAt < RELOADS_APART_MS) return;
    store(RELOADED_AT, String(Date.now()));
    location.reload();
  };
  const ask = () => fetch("/healthz", { signal: AbortSignal.timeout(RELOAD_AFTER_MS) });
  const timer = setInterval(() => ask().then(reload, () => {}), RELOAD_AFTER_MS);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
