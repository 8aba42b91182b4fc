import type { CheckoutEvent, CheckoutListener, ExchangeApi } from "./exchange-api.ts";
import { invalidOptions } from "./exchange-error.ts";

export interface Emitter extends Pick<ExchangeApi, "on" | "off"> {
  emit(event: CheckoutEvent): void;
  clear(): void;
}

/** Carries events to the page's listeners, and to `document` as `exchange:<name>`. */
export function createEmitter(): Emitter {
  let entries: readonly (readonly [name: string, listener: CheckoutListener])[] = [];

  const off: Emitter["off"] = (name, listener) => {
    entries = entries.filter(([each, its]) => each !== name || its !== listener);
  };
  return {
    on(name, listener) {
      if (typeof name !== "string" || typeof listener !== "function") {
        throw invalidOptions("exchange.on() takes an event name and a function.");
      }
      entries = [...entries, [name, listener]];
      return () => off(name, listener);
    },
    off,
    emit(event) {
      for (const [name, listener] of entries) {
        if (name !== event.name && name !== "*") continue;
        try {
          listener(event);
        } catch (error) {
          // The page's mistake belongs in the page's console and must not break the checkout.
          reportError(error);
        }
      }
      document.dispatchEvent(new CustomEvent(`exchange:${event.name}`, { detail: event }));
    },
    clear: () => {
      entries = [];
    },
  };
}
