import { createExchange } from "./exchange.ts";
import type { ScriptConfig } from "./script-config.ts";

// Shared by every copy of the script in a page, whatever its version.
const ADOPT = Symbol.for("exchange.adopt");

interface PresentExchange {
  readonly [ADOPT]?: (script: ScriptConfig) => boolean;
  /** Calls a page made before the script was there: the name of the method and its arguments. */
  readonly q?: readonly (readonly [name: "configure" | "on" | "init", args: readonly unknown[]])[];
}

/** Puts `exchange` on the page's window; a second copy of the script hands over to the first. */
export function install(host: { exchange?: unknown }, script: ScriptConfig): void {
  const present = host.exchange as PresentExchange | undefined;
  if (present?.[ADOPT] !== undefined) {
    if (!present[ADOPT](script)) {
      console.warn("exchange.js is already loaded for another client or environment.");
    }
    return;
  }
  const { api, adopt } = createExchange(script);
  host.exchange = Object.freeze(Object.defineProperty(api, ADOPT, { value: adopt }));
  if (Array.isArray(present?.q)) replay(api as unknown as Methods, present.q);
}

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

function replay(methods: Methods, queue: NonNullable<PresentExchange["q"]>): void {
  for (const [name, args] of queue) {
    try {
      methods[name]?.(...args);
    } catch (error) {
      // One bad call stops no other.
      console.error(error);
    }
  }
}
