import type { SurfaceHost } from "./surface.ts";

const MARK = "exchange";

type OnPop = (event: Event) => void;
let onPop: OnPop | undefined;
// history.back() takes effect later: an entry pushed before that would be the one it leaves.
let isLeaving = false;
let afterLeaving: (() => void) | undefined;

/**
 * Call when the script is loaded: browsers call the listeners of a window in the order in which they
 * came, and a router of the page that comes later must not hear of our entries.
 */
export const watchHistory = (): void =>
  addEventListener("popstate", (event) => onPop?.(event), true);

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
  const hold = (): void => {
    push();
    onPop = (event) => {
      if (location.href !== address) return host.end("navigated");
      event.stopImmediatePropagation();
      if (isOurs()) return;
      // Held again before asking: the customer may choose to stay.
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
