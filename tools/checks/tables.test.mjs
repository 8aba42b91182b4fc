import { expect, test } from "vitest";
import { tableFaults } from "./tables.mjs";

const HOME = "packages/contract/src/limits.ts";
const faultsIn = (tree) => tableFaults(Object.keys(tree), (file) => tree[file]);

test("a member of a table of the contract that nothing reads is a fault", () => {
  const table = "export const LIMITS = { digitsMax: 15, secondsMax: 30 } as const;";
  const reader = "if (digits > LIMITS.digitsMax) throw tooLong();";
  expect(faultsIn({ [HOME]: table, "apps/server/src/a.ts": reader })).toEqual([
    `${HOME}: nothing reads LIMITS.secondsMax; remove it or read it`,
  ]);
});

test("a comment does not read a member", () => {
  const table =
    "/** A quote has at most digitsMax digits. */\nexport const LIMITS = { digitsMax: 15 };";
  expect(faultsIn({ [HOME]: table })).toHaveLength(1);
});

test.each([
  ["a table that is listed", "export const KINDS = { card: 1 }; f(Object.entries(KINDS));"],
  ["a member that is read", "export const LIMITS = { daysMax: 9 }; f(LIMITS.daysMax);"],
  ["a table of its own file", "const NAMES = { card: 1 };"],
  ["an object that is not a table", "export const limits = { daysMax: 9 };"],
  ["a member that spreads", "export const LIMITS = { ...OTHERS } satisfies Limits;"],
])("%s is accepted", (_title, text) => {
  expect(faultsIn({ [HOME]: text })).toEqual([]);
});

test("tables of other packages are not read", () => {
  expect(faultsIn({ "apps/server/src/a.ts": "export const LIMITS = { daysMax: 9 };" })).toEqual([]);
});
