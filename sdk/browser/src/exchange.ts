import { stopWaiting } from "./back-button.ts";
import { CheckoutRun } from "./checkout-run.ts";
import { createEmitter, withCallbacks } from "./events.ts";
import type { ExchangeApi, OpenOptions } from "./exchange-api.ts";
import { invalidOptions, makeError } from "./exchange-error.ts";
import { overlay, readOptions } from "./options.ts";
import type { ScriptConfig } from "./script-config.ts";

// Shared by every copy of the script in a page, whatever its version.
export const ADOPT = Symbol.for("exchange.adopt");

/**
 * The documented global, and the function by which a second copy of the script hands over its
 * options.
 */
export interface Exchange extends ExchangeApi {
  [ADOPT](script: ScriptConfig): boolean;
}

export function createExchange(script: ScriptConfig): Exchange {
  const emitter = createEmitter();
  // A pinned script gets the client id from configure().
  let { clientId, env: _env, ...scriptOptions } = script.options;
  let configured: OpenOptions = {};
  let run: CheckoutRun | undefined;

  const openRun = (): CheckoutRun | undefined => {
    run?.check();
    return run?.state === "idle" ? undefined : run;
  };

  const api: Exchange = {
    version: script.sdkVersion,
    get state() {
      return openRun()?.state ?? "idle";
    },
    configure(options) {
      const { clientId: named, env, ...rest } = readOptions("configure", options);
      if (!named || (clientId ?? named) !== named) throw invalidOptions("configure", "clientId");
      if (env !== script.environment) throw invalidOptions("configure", "env");
      clientId = named;
      configured = rest;
      return api;
    },
    init(options) {
      const { authenticationToken, ...initOptions } = readOptions("init", options);
      if (!authenticationToken) throw invalidOptions("init", "authenticationToken");
      const open = openRun();
      if (open) {
        open.focus();
        return open.result;
      }
      if (!clientId) {
        throw makeError("not_configured", "Call configure() first.");
      }
      stopWaiting();
      const opening = overlay(overlay(scriptOptions, configured), initOptions);
      const emit = withCallbacks(opening, emitter.emit);
      run = new CheckoutRun({ script, clientId, authenticationToken, options: opening, emit });
      run.openSurface();
      return run.result;
    },
    on: emitter.on,
    off: emitter.off,
    close: () => openRun()?.ask("host"),
    destroy() {
      openRun()?.end("host");
      stopWaiting();
      emitter.clear();
    },
    [ADOPT](other) {
      const { clientId: named = clientId, env: _env, ...otherOptions } = other.options;
      const isSame = named === clientId && other.environment === script.environment;
      if (isSame) scriptOptions = overlay(scriptOptions, otherOptions);
      return isSame;
    },
  };
  return api;
}
