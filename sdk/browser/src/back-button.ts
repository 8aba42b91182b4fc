/**
 * Makes the browser's Back button ask the checkout to close, by one history entry at the page's own
 * address. The entry is taken back when the checkout closes, and the page's router sees none of it.
 */
export interface BackButtonHold {
  readonly instance: string;
  readonly onBack: () => void;
  /** The page went to another address by itself. */
  readonly onLeave: () => void;
}

const MARK = "exchange";

// history.back() takes effect later: an entry pushed before that would be the one it leaves.
let isLeaving = false;
let pushAfterLeaving: (() => void) | undefined;

/** Holds the button until the function it gives back is called. */
export function holdBackButton({ instance, onBack, onLeave }: BackButtonHold): () => void {
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
    if (location.href !== address) return onLeave();
    event.stopImmediatePropagation();
    if (isOurs()) return;
    // Held again before asking: the customer may choose to stay.
    push();
    onBack();
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
