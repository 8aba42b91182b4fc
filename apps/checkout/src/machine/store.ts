import type { CheckoutEvent } from "./events.ts";
import { reduce } from "./reduce.ts";
import { type CheckoutState, INITIAL_STATE } from "./state.ts";

export interface Change {
  readonly next: CheckoutState;
  readonly previous: CheckoutState;
}

/** The one place that holds the state. Listeners run after every event that changed it. */
export interface Store {
  read(): CheckoutState;
  dispatch(event: CheckoutEvent): void;
  subscribe(listener: (change: Change) => void): () => void;
}

export function createStore(initial: CheckoutState = INITIAL_STATE): Store {
  let state = initial;
  const listeners = new Set<(change: Change) => void>();
  const waiting: CheckoutEvent[] = [];
  let busy = false;
  const apply = (event: CheckoutEvent): void => {
    const previous = state;
    const next = reduce(previous, event);
    if (next === previous) return;
    state = next;
    for (const listener of listeners) listener({ next, previous });
  };
  return {
    read: () => state,
    // An event that a listener dispatches waits, so that every listener sees changes in order.
    dispatch(event) {
      waiting.push(event);
      if (busy) return;
      busy = true;
      try {
        for (let first = waiting.shift(); first; first = waiting.shift()) apply(first);
      } finally {
        busy = false;
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
