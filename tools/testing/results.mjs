/** Returns the number of skipped tests in the files whose path has this text. */
export const countSkipped = (report, text) =>
  report.testResults
    .filter(({ name }) => name.includes(text))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "skipped" || status === "pending").length;

/**
 * Returns the totals of Vitest's JSON report. A test file that failed before its first test counts as
 * one failure.
 */
export function countResults(report) {
  const brokenFiles = report.testResults.filter(
    (file) =>
      file.status === "failed" &&
      !file.assertionResults.some((result) => result.status === "failed"),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
