import type { SurfaceHost } from "./surface.ts";

const MARK = "exchange";

// history.back() takes effect later: an entry pushed before that would be the one it leaves.
let isLeaving = false;
let pushAfterLeaving: (() => void) | undefined;

/**
 * Makes the browser's Back button ask the checkout to close, by one history entry at the page's own
 * address. The function it gives back takes the entry back, and the page's router sees none of it.
 */
export function holdBackButton(host: SurfaceHost): () => void {
  const { instance } = host;
  const address = location.href;
  const isOurs = (): boolean => history.state?.[MARK] === instance;
  const push = (): void => {
    try {
      history.pushState({ ...history.state, [MARK]: instance }, "");
    } catch {
      // Some pages may not touch history (sandboxed ones, or too many calls). Back then leaves.
    }
  };
  const onPopState = (event: Event): void => {
    if (location.href !== address) return host.end("navigated");
    event.stopImmediatePropagation();
    if (isOurs()) return;
    // Held again before asking: the customer may choose to stay.
    push();
    host.ask("back");
  };
  addEventListener("popstate", onPopState, true);
  if (isLeaving) pushAfterLeaving = push;
  else push();
  return () => {
    removeEventListener("popstate", onPopState, true);
    pushAfterLeaving = undefined;
    if (isOurs()) leaveEntry();
  };
}

function leaveEntry(): void {
  isLeaving = true;
  const onLeft = (event: Event): void => {
    event.stopImmediatePropagation();
    isLeaving = false;
    pushAfterLeaving?.();
    pushAfterLeaving = undefined;
  };
  addEventListener("popstate", onLeft, { capture: true, once: true });
  history.back();
}
