import type { Callbacks, CheckoutEvent, CheckoutListener, ExchangeApi } from "./exchange-api.ts";
import { invalidOptions } from "./exchange-error.ts";
import { isFunction } from "./options.ts";
import { attempt } from "./page-code.ts";

export interface Emitter extends Pick<ExchangeApi, "on" | "off"> {
  emit(event: CheckoutEvent): void;
  clear(): void;
}

/** Carries events to the page's listeners, and to `document` as `exchange:<name>`. */
export function createEmitter(): Emitter {
  let entries: readonly (readonly [name: string, listener: CheckoutListener])[] = [];

  const off: Emitter["off"] = (name, listener) => {
    entries = entries.filter(
      ([entryName, entryListener]) => entryName !== name || entryListener !== listener,
    );
  };
  return {
    on(name, listener) {
      if (!isFunction(listener)) throw invalidOptions("on", "the listener");
      entries = [...entries, [name, listener]];
      return () => off(name, listener);
    },
    off,
    emit(event) {
      for (const [name, listener] of entries) {
        if (name === event.name || name === "*") attempt(() => listener(event));
      }
      document.dispatchEvent(new CustomEvent(`exchange:${event.name}`, { detail: event }));
    },
    clear: () => {
      entries = [];
    },
  };
}

type Emit = (event: CheckoutEvent) => void;

/** Reports every event to the callbacks of the options too, and what it means for the money once. */
export function withCallbacks(callbacks: Callbacks, emit: Emit): Emit {
  const reported = new Set([""]);
  const call = (name: string, ...values: readonly unknown[]): void => {
    const key = `on${name.replace(/^./, (letter) => letter.toUpperCase())}`;
    attempt(() => (callbacks as Functions)[key]?.(...values));
  };
  return (event) => {
    emit(event);
    const { name, data, result } = event;
    call("event", event);
    call(name, event);
    const outcome = data?.outcome ?? "";
    if (!reported.has(outcome)) {
      reported.add(outcome);
      call(outcome === "paid" ? "success" : outcome, data);
    }
    if (result) call("exit", result.error ?? null, result);
  };
}

type Functions = Readonly<Record<string, ((...values: readonly unknown[]) => void) | undefined>>;
