import { attempt } from "./attempt.ts";
import { watchHistory } from "./back-button.ts";
import { ADOPT, createExchange, type Exchange } from "./exchange.ts";
import type { ScriptConfig } from "./script-config.ts";

interface PresentExchange extends Partial<Exchange> {
  /** Calls a page made before the script was there: the name of the method and its arguments. */
  readonly q?: readonly (readonly [name: "configure" | "on" | "init", args: readonly unknown[]])[];
}

/** Puts `exchange` on the page's window; a second copy of the script hands over to the first. */
export function install(host: { exchange?: unknown }, script: ScriptConfig): void {
  const present = host.exchange as PresentExchange | undefined;
  if (present?.[ADOPT]) {
    if (!present[ADOPT](script)) {
      console.warn("exchange.js is there for another client or environment.");
    }
    return;
  }
  watchHistory();
  const exchange = createExchange(script);
  host.exchange = Object.freeze(exchange);
  const methods = exchange as unknown as Methods;
  if (!Array.isArray(present?.q)) return;
  // One bad call stops no other.
  for (const [name, args] of present.q) attempt(() => methods[name]?.(...args));
}

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
