import { expect, test } from "vitest";
import { readSnippet } from "./snippets.ts";

test("a snippet is the lines of its region without their common indent", () => {
  const { code, file } = readSnippet("Apply", { file: "src/purchases.ts", region: "apply" });
  expect(file).toBe("src/purchases.ts");
  expect(code).toMatch(/^\/\*\* The one place[^]*\n {2}if \([^]*\n\}$/);
  expect(code).not.toContain("#region");
});

test("a region that is gone is noticed when the shop starts", () => {
  const place = { file: "src/purchases.ts", region: "gone" };
  expect(() => readSnippet("Gone", place)).toThrow("src/purchases.ts has no region gone.");
});
