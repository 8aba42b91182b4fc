import { expect, test } from "vitest";
import { countResults } from "./results.mjs";

const report = (testResults) => ({
  numPassedTests: 3,
  numFailedTests: 1,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults,
});

test("passed, failed and skipped are vitest's own numbers", () => {
  const files = [{ status: "failed", assertionResults: [{ status: "failed" }] }];
  expect(countResults(report(files))).toEqual({ passed: 3, failed: 1, skipped: 2 });
});

test("a file that failed before its first test is one more failure", () => {
  const files = [{ status: "failed", assertionResults: [] }];
  expect(countResults(report(files)).failed).toBe(2);
});
