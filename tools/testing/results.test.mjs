import { expect, test } from "vitest";
import { countResults, countSkipped } from "./results.mjs";

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

test("skipped tests are counted in the files of a suite alone", () => {
  const tests = [{ status: "skipped" }, { status: "passed" }, { status: "pending" }];
  const files = ["/tests/chains/coin-a.test.ts", "/tests/chains/a.test.ts"].map((name) => ({
    name,
    assertionResults: tests,
  }));
  expect(countSkipped(report(files), "/chains/coin-")).toBe(2);
});
