import { expect, test } from "vitest";
import { readSnippet } from "./code.ts";

test("a snippet is the lines of its region without their common indent", () => {
  const { code, file } = readSnippet("Apply", "src/purchases.ts", "apply");
  expect(file).toBe("src/purchases.ts");
  expect(code).toMatch(/^\/\*\* The one place[^]*\n {2}if \([^]*\n\}$/);
  expect(code).not.toContain("#region");
});

test("a region that is gone is noticed when the shop starts", () => {
  expect(() => readSnippet("Gone", "src/purchases.ts", "gone")).toThrow(
    "src/purchases.ts has no region gone.",
  );
});
