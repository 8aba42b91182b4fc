/** A call of a merchant's server, as the libraries make it. */
export interface LibraryCall {
  /** Resource and method in the spelling of the Node library, such as `orders.read`. */
  readonly name: string;
  /** Path parameters, then the query or the body. */
  readonly values: readonly unknown[];
  readonly isPaged: boolean;
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Shown in place of the variable CLIENT_ID. */
  readonly clientId: string | undefined;
}

export function nodeLibrarySample(call: LibraryCall): string {
  const values = call.values.map((value) => JSON.stringify(value, null, 2)).join(", ");
  const run = `exchange.${call.name}(${values})`;
  return [
    'import { createExchange } from "@exchange/node";',
    "",
    "const exchange = createExchange({",
    `  baseUrl: ${JSON.stringify(call.baseUrl)},`,
    `  clientId: ${call.clientId === undefined ? "process.env.CLIENT_ID" : JSON.stringify(call.clientId)},`,
    "  apiKey: process.env.API_KEY,",
    "});",
    ...(call.isPaged
      ? [`for await (const item of ${run}) {`, "  console.log(item);", "}"]
      : [`console.log(await ${run});`]),
  ].join("\n");
}

export function pythonLibrarySample(call: LibraryCall): string {
  const values = call.values.map((value) => pythonValue(withTextAmounts(value))).join(", ");
  const name = call.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const run = `exchange.${name}(${values})`;
  return [
    "import os",
    "",
    "from exchange_client import Exchange",
    "",
    "exchange = Exchange(",
    `    base_url=${JSON.stringify(call.baseUrl)},`,
    `    client_id=${call.clientId === undefined ? 'os.environ["CLIENT_ID"]' : JSON.stringify(call.clientId)},`,
    '    api_key=os.environ["API_KEY"],',
    ")",
    ...(call.isPaged ? [`for item in ${run}:`, "    print(item)"] : [`print(${run})`]),
  ].join("\n");
}

export function phpLibrarySample(call: LibraryCall): string {
  const values = call.values.map((value) => phpValue(withTextAmounts(value))).join(", ");
  const run = `$exchange->${call.name.replace(".", "->")}(${values})`;
  return [
    "<?php",
    "require 'vendor/autoload.php';",
    "",
    "use Exchange\\Client\\Exchange;",
    "",
    "$exchange = new Exchange(",
    `    baseUrl: ${phpText(call.baseUrl)},`,
    `    clientId: ${call.clientId === undefined ? "getenv('CLIENT_ID')" : phpText(call.clientId)},`,
    "    apiKey: getenv('API_KEY'),",
    ");",
    ...(call.isPaged
      ? [`foreach (${run} as $item) {`, "    print_r($item);", "}"]
      : [`print_r(${run});`]),
  ].join("\n");
}

export const phpText = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Returns the value with its amounts as text, as the libraries take them. A number that is not whole is an amount. */
function withTextAmounts(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(withTextAmounts);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, item]) => [name, withTextAmounts(item)]);
  return Object.fromEntries(members);
}

/** Formats a literal of Python, which differs from JSON in three words. */
export function pythonValue(value: unknown, depth = 0): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => pythonValue(item, depth + 1))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${pythonValue(item, depth + 1)}`,
      );
  return inLines(items, isList ? "[]" : "{}", depth);
}

function phpValue(value: unknown, depth = 0): string {
  if (typeof value === "string") return phpText(value);
  if (typeof value !== "object" || value === null) return String(value);
  const items = Array.isArray(value)
    ? value.map((item) => phpValue(item, depth + 1))
    : Object.entries(value).map(
        ([name, item]) => `${phpText(name)} => ${phpValue(item, depth + 1)}`,
      );
  return inLines(items, "[]", depth);
}

function inLines(items: readonly string[], brackets: string, depth: number): string {
  const [open = "", close = ""] = brackets;
  if (items.length === 0) return open + close;
  const inner = "    ".repeat(depth + 1);
  const lines = items.map((item) => `${inner}${item},\n`);
  return `${open}\n${lines.join("")}${"    ".repeat(depth)}${close}`;
}
