// Writes the type of every message, from the English catalogues: `npm run generate`.
import { readFileSync, writeFileSync } from "node:fs";
import { formsOf } from "@exchange/ui/messages";

const LOCALES = new URL("../locales/en/", import.meta.url);
const TYPES = new URL("../src/copy/messages/", import.meta.url);

/** One file of types for each catalogue: first.json, steps.json, orders.json. */
export const PARTS = ["first", "steps", "orders"];

/** Returns the names between double braces, sorted, each once. */
export function placeholdersOf(text) {
  const names = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));
  return [...names].sort((a, b) => a.localeCompare(b));
}

export function messageTypes(part) {
  const catalogue = JSON.parse(readFileSync(new URL(`${part}.json`, LOCALES), "utf8"));
  return [
    "// Written by `npm run generate -w @exchange/checkout` from locales/en: change it there.",
    "",
    "/** Each message with the names of its placeholders. */",
    `export interface ${part[0].toUpperCase()}${part.slice(1)}Messages {`,
    ...[...formsOf(catalogue)].map(([name, forms]) => `  ${propertyOf(name)}: ${typeOf(forms)};`),
    "}",
    "",
  ].join("\n");
}

function typeOf(forms) {
  const printed = Object.values(forms).flatMap(placeholdersOf);
  // A plural is chosen by its count, whether or not the text prints it.
  const names = new Set("" in forms ? printed : [...printed, "count"]);
  const sorted = [...names].sort((a, b) => a.localeCompare(b));
  return sorted.map((name) => `"${name}"`).join(" | ") || "never";
}

const propertyOf = (name) => (/^[a-z]\w*$/i.test(name) ? name : `"${name}"`);

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const part of PARTS) writeFileSync(new URL(`${part}.ts`, TYPES), messageTypes(part));
}
