import { CONFIG_PLACEHOLDER, type ScriptConfig } from "./script-config.ts";

export { panelTexts } from "./panel-texts.ts";
export type { ScriptOptions } from "./script-config.ts";

// A minifier may use any kind of quote.
const PLACEHOLDER_LITERAL = new RegExp(`(?:"|'|\`)${CONFIG_PLACEHOLDER}(?:"|'|\`)`);

// Every other UTF-16 unit becomes \uXXXX. The characters that remain cannot end the literal, the
// script element or an HTML comment, and lone surrogates survive.
const UNSAFE_UNITS = /[^A-Za-z0-9 _.,:{}[\]-]/g;

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Returns exchange.js for one merchant: the template with its placeholder replaced by one inert
 * string literal of JSON. Nothing in `config` can become code.
 */
export function renderScript(template: string, config: ScriptConfig): string {
  const [before, after, ...more] = template.split(PLACEHOLDER_LITERAL);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(
      `The script template must hold the literal ${CONFIG_PLACEHOLDER} exactly once.`,
    );
  }
  return before + literalOf(config) + after;
}

/** Returns a string literal of JSON that cannot become code. */
const literalOf = (value: object): string =>
  `"${JSON.stringify(value).replace(UNSAFE_UNITS, escapeUnit)}"`;

/**
 * Returns a script that takes the place of exchange.js where the service refuses its merchant. It says so in the
 * console, and `init` throws an `ExchangeError`.
 */
export const renderRefusal = (fault: { readonly code: string; readonly message: string }): string =>
  `(() => {
  const fault = JSON.parse(${literalOf(fault)});
  console.error("exchange: " + fault.message);
  if (window.exchange && !window.exchange.q) return;
  const init = () => {
    throw Object.assign(Error(fault.message), { name: "ExchangeError", code: fault.code, recoverable: false });
  };
  const nothing = () => () => {};
  window.exchange = { state: "idle", configure: () => window.exchange, init, on: nothing, off: nothing, close: nothing, destroy: nothing };
})();
`;
