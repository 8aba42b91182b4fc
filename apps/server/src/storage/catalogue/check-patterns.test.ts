import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { patternProblem } from "./check-patterns.ts";

const FIELDS = new URL("../../../catalogue/payout-fields.json", import.meta.url);

test.each([
  "^(a+)+$",
  "^(a*)*$",
  "^([a-z]+){2,}$",
  "^(?:a|a)*$",
  "^((?:[0-9]{1,9}){2,9})$",
  "^(?<name>x+)\\k<name>$",
  "^(a+)\\1$",
  "^((a+)b?)*$",
  "^(a?){24}a*b$",
  "^(a|a){32}b$",
  "^(a{1,9}){10}b$",
  "^(?:a+){9}b$",
  "^(?=(a+)+$)a",
  "^.*.*.*.*=$",
  `^${"a?".repeat(31)}b$`,
])("the pattern %s is refused, because it may take too long", (pattern) => {
  expect(patternProblem(pattern)).toMatch(/repeats|refers back/);
});

test.each([
  "^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$",
  "^(?:AB|CD)[0-9]+$",
  "^[(+*)|]{2,9}$",
  "^\\(\\d+\\)*$",
  "^(\\d{4} ){3}\\d{4}$",
  "^(\\d{4} ?){4}$",
  "^(?:[A-Z]{2})+?X?$",
])("the pattern %s is accepted", (pattern) => {
  expect(patternProblem(pattern)).toBeUndefined();
});

test("every pattern of the shipped catalogue is accepted", () => {
  const fields = JSON.parse(readFileSync(FIELDS, "utf8")) as { readonly pattern: string }[];
  expect(fields.map(({ pattern }) => patternProblem(pattern))).toEqual(fields.map(() => undefined));
});
