import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../checks/tracked.mjs";
import { DEFECTS } from "./defects.mjs";

test("the zoo has a defect of each kind, each under a name of its own", () => {
  expect(DEFECTS.length).toBeGreaterThanOrEqual(30);
  expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
});

test.each(DEFECTS)("$name: its text is there once, and changes", ({ file, find, replace }) => {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  expect(text.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
});
