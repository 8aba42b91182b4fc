import { CheckoutRun } from "./checkout-run.ts";
import { createEmitter } from "./emitter.ts";
import type { ExchangeApi, InitOptions, OpenOptions } from "./exchange-api.ts";
import { overlay, readConfigureOptions, readInitOptions, scriptOptions } from "./options.ts";
import type { ScriptConfig } from "./script-config.ts";

/** The documented global, and a way for a second copy of the script to hand over what it was given. */
export interface Exchange {
  readonly api: ExchangeApi;
  adopt(script: ScriptConfig): boolean;
}

export function createExchange(script: ScriptConfig): Exchange {
  const emitter = createEmitter();
  let given = scriptOptions(script);
  let configured: OpenOptions = {};
  let run: CheckoutRun | undefined;

  const openRun = (): CheckoutRun | undefined => {
    // A page that replaced its body took the dialog with it.
    if (run !== undefined && !run.isAttached) run.end("navigated");
    return run?.state === "idle" ? undefined : run;
  };

  const api: ExchangeApi = {
    version: script.sdkVersion,
    get state() {
      return openRun()?.state ?? "idle";
    },
    configure(options) {
      configured = readConfigureOptions(options, script);
      return api;
    },
    init(options) {
      const { authenticationToken, ...asked } = readInitOptions(options);
      const open = openRun();
      if (open !== undefined) {
        open.focus();
        return open.result;
      }
      const init: InitOptions = {
        ...overlay(overlay(given, configured), asked),
        authenticationToken,
      };
      run = new CheckoutRun({ script, init, onEvent: emitter.emit });
      return run.result;
    },
    on: emitter.on,
    off: emitter.off,
    close: () => openRun()?.requestClose("host"),
    destroy() {
      openRun()?.end("host");
      emitter.clear();
    },
  };

  const adopt = (other: ScriptConfig): boolean => {
    const isSame =
      other.options.clientId === script.options.clientId &&
      other.environment === script.environment;
    if (isSame) given = overlay(given, scriptOptions(other));
    return isSame;
  };
  return { api, adopt };
}
