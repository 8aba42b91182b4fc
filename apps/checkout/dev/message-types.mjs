// Writes the type of every message, from the English catalogues: `npm run generate`.
import { readFileSync, writeFileSync } from "node:fs";

const LOCALES = new URL("../locales/en/", import.meta.url);
const TYPES = new URL("../src/copy/messages/", import.meta.url);

/** One file of types for each catalogue: first.json, steps.json, orders.json. */
export const PARTS = ["first", "steps", "orders"];

export function messageTypes(part) {
  const messages = JSON.parse(readFileSync(new URL(`${part}.json`, LOCALES), "utf8"));
  return [
    "// Written by `npm run generate -w @exchange/checkout` from locales/en: change it there.",
    "",
    "/** Each message with the names of its placeholders. */",
    `export interface ${part[0].toUpperCase()}${part.slice(1)}Messages {`,
    ...Object.entries(messages).map(([key, message]) => `  ${nameOf(key)}: ${holdersOf(message)};`),
    "}",
    "",
  ].join("\n");
}

function holdersOf(message) {
  const isPlural = typeof message !== "string";
  const texts = isPlural ? Object.values(message) : [message];
  const found = texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  // A plural is chosen by its count, whether or not it is printed.
  const names = [...new Set(isPlural ? [...found, "count"] : found)];
  names.sort((a, b) => a.localeCompare(b));
  return names.map((name) => `"${name}"`).join(" | ") || "never";
}

const nameOf = (key) => (/^[a-z]\w*$/i.test(key) ? key : `"${key}"`);

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const part of PARTS) writeFileSync(new URL(`${part}.ts`, TYPES), messageTypes(part));
}
