import { attempt } from "./attempt.ts";
import type { Callbacks, CheckoutEvent } from "./exchange-api.ts";

type Emit = (event: CheckoutEvent) => void;

/** Reports every event to the callbacks of the options too. */
export function withCallbacks(callbacks: Callbacks, emit: Emit): Emit {
  let succeeded = false;
  return (event) => {
    emit(event);
    const { name, data, result } = event;
    const key = `on${name.replace(/^./, (letter) => letter.toUpperCase())}` as "onOpen";
    attempt(() => callbacks.onEvent?.(event));
    attempt(() => callbacks[key]?.(event));
    // A reload may repeat an order. It counts as one success.
    if (name === "orderPlaced" && data && !succeeded) {
      succeeded = true;
      attempt(() => callbacks.onSuccess?.(data));
    }
    if (result && !result.order) attempt(() => callbacks.onExit?.(result.error ?? null, result));
  };
}
