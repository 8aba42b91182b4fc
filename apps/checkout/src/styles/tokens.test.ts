/// <reference types="vite/client" />
import { expect, test } from "vitest";

const SHEETS = import.meta.glob<string>(["./*.css", "../../../../packages/ui/src/*.css"], {
  eager: true,
  query: "?raw",
  import: "default",
});
const { "../../../../packages/ui/src/tokens.css": tokens = "", ...others } = SHEETS;
/** Settings of the device, where a thicker border replaces a colour, and a text that only screen readers find. */
const EXCEPT = ["./contrast.css", "./utilities.css"];
const CHECKED = Object.entries(others).filter(([name]) => !EXCEPT.includes(name));

const namesOf = (prefix: string): readonly string[] => {
  const names = [...tokens.matchAll(/^ {2}(--[\w-]+):/gm)].map(([, name]) => name ?? "");
  return [...new Set(names)].filter((name) => name.startsWith(prefix));
};

/** A length or number that is written out. `em` follows the size of the text. */
const LITERAL = /(?<![\w-])\d*\.?\d+(px|rem)\b/;
const RULES: readonly (readonly [properties: RegExp, isFault: (value: string) => boolean])[] = [
  [/^font-size$/, (value) => !/^(inherit|var\(--text-\w+\))$/.test(value)],
  [/^font-weight$/, (value) => !/^(inherit|var\(--weight-\w+\))$/.test(value)],
  [/^font$/, (value) => /\d/.test(value.replace("/ 1.5", ""))],
  [/^(margin|padding|gap|row-gap|column-gap)(-[\w-]+)?$/, (value) => LITERAL.test(value)],
  [/^border(-[\w-]+)?$/, (value) => LITERAL.test(value)],
];

const faultsIn = (sheet: string): readonly string[] =>
  [...sheet.matchAll(/^\s+([\w-]+): ([^;]+);$/gm)].flatMap(([, property = "", value = ""]) => {
    if (property.endsWith("radius")) return [];
    const isFault = RULES.some(([names, wrong]) => names.test(property) && wrong(value));
    return isFault ? [`${property}: ${value}`] : [];
  });

test("there are six sizes of text, two weights, nine spaces and one border", () => {
  const count = (prefix: string): number => namesOf(prefix).length;
  expect([count("--text-"), count("--weight-"), count("--space-"), count("--border")]).toEqual([
    ...[6, 2, 9, 1],
  ]);
});

test("every token is used", () => {
  const sheets = Object.values(SHEETS).join("\n");
  expect(namesOf("--").filter((name) => !sheets.includes(`var(${name})`))).toEqual([]);
});

test.each(CHECKED)("%s takes sizes, weights, spaces and borders from the tokens", (_, sheet) => {
  expect(faultsIn(sheet)).toEqual([]);
});

test.each([
  "font-size: 0.9rem",
  "font-weight: 650",
  "font: 400 1rem / 1.5 serif",
  "padding: 0 3px",
  "gap: 0.5rem",
  "border: 3px solid red",
])("%j would be found", (declaration) => {
  expect(faultsIn(`.part {\n  ${declaration};\n}`)).toEqual([declaration]);
});
