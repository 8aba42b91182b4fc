import type { Effect } from "./effects.ts";
import type { CheckoutEvent } from "./events.ts";
import { reduce } from "./reduce.ts";
import { type CheckoutState, INITIAL_STATE } from "./state.ts";

export interface Change {
  readonly next: CheckoutState;
  readonly previous: CheckoutState;
}

/** The one place that holds the state. */
export interface Store {
  read(): CheckoutState;
  dispatch(event: CheckoutEvent): void;
  /** Listeners run after every event that changed the state. */
  subscribe(listener: (change: Change) => void): () => void;
  /** Sets the function that carries out effects. It runs after the listeners. */
  runEffectsWith(run: (effect: Effect) => void): void;
}

export function createStore(): Store {
  let state: CheckoutState = INITIAL_STATE;
  let run = (_effect: Effect): void => {};
  const listeners = new Set<(change: Change) => void>();
  const queue: CheckoutEvent[] = [];
  let isBusy = false;
  const apply = (event: CheckoutEvent): void => {
    const previous = state;
    const { state: next, effects } = reduce(previous, event);
    state = next;
    if (next !== previous) for (const listener of listeners) listener({ next, previous });
    for (const effect of effects) run(effect);
  };
  return {
    read: () => state,
    // An event that a listener or an effect dispatches is queued, so that all see changes in order.
    dispatch(event) {
      queue.push(event);
      if (isBusy) return;
      isBusy = true;
      try {
        for (let first = queue.shift(); first; first = queue.shift()) apply(first);
      } finally {
        isBusy = false;
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    runEffectsWith(runner) {
      run = runner;
    },
  };
}
