import { CONFIG_PLACEHOLDER, type ScriptConfig } from "./script-config.ts";

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
  const literal = `"${JSON.stringify(config).replace(UNSAFE_UNITS, escapeUnit)}"`;
  return before + literal + after;
}
