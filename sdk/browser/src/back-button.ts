import type { SurfaceHost } from "./surface.ts";

const MARK = "exchange";

type OnPop = (event: Event) => void;
let onPop: OnPop | undefined;
// history.back() is asynchronous. It would remove an entry that is pushed before it takes effect.
let isLeaving = false;
let afterLeaving: (() => void) | undefined;

/**
 * Call it when the script is loaded. Browsers call the listeners of a window in the order of
 * registration, and a router that the page adds later must not see our entries.
 */
export const watchHistory = (): void =>
  addEventListener("popstate", (event) => onPop?.(event), true);

/**
 * Adds one history entry at the page's own address, so that the Back button asks the checkout to
 * close. Returns a function that removes the entry. The page's router sees none of it.
 */
export function holdBackButton(host: SurfaceHost): () => void {
  const { instance } = host;
  const address = location.href;
  const isOurs = (): boolean => history.state?.[MARK] === instance;
  const push = (): void => {
    try {
      history.pushState({ ...history.state, [MARK]: instance }, "");
    } catch {
      // Some pages may not touch history (sandboxed ones, or after too many calls). Back then
      // leaves the page.
    }
  };
  const hold = (): void => {
    push();
    onPop = (event) => {
      if (location.href !== address) return host.end("navigated");
      event.stopImmediatePropagation();
      if (isOurs()) return;
      // Adds the entry again before asking: the customer may choose to stay.
      push();
      host.ask("back");
    };
  };
  if (isLeaving) afterLeaving = hold;
  else hold();
  return () => {
    afterLeaving = undefined;
    if (isOurs()) leaveEntry();
    else if (!isLeaving) onPop = undefined;
  };
}

function leaveEntry(): void {
  isLeaving = true;
  onPop = (event) => {
    event.stopImmediatePropagation();
    isLeaving = false;
    onPop = undefined;
    afterLeaving?.();
    afterLeaving = undefined;
  };
  history.back();
}
