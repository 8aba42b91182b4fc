import { watchHistory } from "./back-button.ts";
import { ADOPT, createExchange, type Exchange } from "./exchange.ts";
import { attempt } from "./page-code.ts";
import type { ScriptConfig } from "./script-config.ts";

interface PresentExchange extends Partial<Exchange> {
  /** Calls that the page made before the script was loaded: method name and arguments. */
  readonly q?: readonly (readonly [name: "configure" | "on" | "init", args: readonly unknown[]])[];
}

/** Sets `exchange` on the page's window. A second copy of the script hands over to the first. */
export function install(host: { exchange?: unknown }, script: ScriptConfig): void {
  const present = host.exchange as PresentExchange | undefined;
  if (present?.[ADOPT]) {
    if (!present[ADOPT](script)) {
      console.warn("exchange: another clientId or env");
    }
    return;
  }
  watchHistory();
  const exchange = createExchange(script);
  host.exchange = Object.freeze(exchange);
  const methods = exchange as unknown as Methods;
  if (!Array.isArray(present?.q)) return;
  // A call that throws does not stop the others.
  for (const [name, args] of present.q) attempt(() => methods[name]?.(...args));
}

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
