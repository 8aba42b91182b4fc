/// <reference types="vite/client" />
import { expect, test } from "vitest";

const SHEETS = Object.entries(
  import.meta.glob<string>(["./*.css", "../../../../packages/ui/src/*.css"], {
    eager: true,
    query: "?raw",
    import: "default",
  }),
);

const PHYSICAL = [
  /(^|[\s;{])(left|right|top|bottom|width|height)\s*:/,
  /(margin|padding|border)-(left|right|top|bottom)/,
  /border-(top|bottom)-(left|right)-radius/,
  /(min|max)-(width|height)\s*:/,
  /(text-align|float|clear)\s*:\s*(left|right)/,
];
/** Four values are top, right, bottom, left; the sides must be equal to hold in both directions. */
const SIDES = /(padding|margin|inset)\s*:\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+);/;

const faultIn = (line: string): boolean => {
  const [, , , right, , left] = SIDES.exec(line.replace(/\(.*\)/, "()")) ?? [];
  return PHYSICAL.some((pattern) => pattern.test(line)) || right !== left;
};

test("the test finds style sheets", () => {
  expect(SHEETS.length).toBeGreaterThan(5);
  expect(SHEETS.filter(([, sheet]) => sheet.length < 100)).toEqual([]);
});

test.each(SHEETS)("%s says before and after, never left and right", (_, sheet) => {
  expect(sheet.split("\n").filter(faultIn)).toEqual([]);
});

test.each([
  "  left: 0;",
  "  margin-right: 4px;",
  "  text-align: right;",
  "  padding: 1px 2px 3px 4px;",
])("%j would be found", (line) => {
  expect(faultIn(line)).toBe(true);
});
