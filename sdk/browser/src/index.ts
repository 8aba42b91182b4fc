export type {
  AuthenticationToken,
  Callbacks,
  CheckoutEvent,
  CheckoutResult,
  CheckoutState,
  ExchangeApi,
  ExchangeOptions,
  InitOptions,
} from "./exchange-api.ts";
export { panelTexts } from "./panel-texts.ts";
export { renderRefusal, renderScript } from "./render-script.ts";
export { CONFIG_PLACEHOLDER, type ScriptConfig, type ScriptOptions } from "./script-config.ts";
