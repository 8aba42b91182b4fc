import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const pathOf = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

test("the text that is added to the error of a failed test is in vitest's message and in its report", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-failed-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    path.join(folder, "fails.test.ts"),
    `import { addToFailure } from ${JSON.stringify(pathOf("tests/support/service/failed-test.ts"))};
test("fails", ({ onTestFailed }) => {
  onTestFailed(({ task }) => addToFailure(task.result.errors[0], " and a payout waits"));
  expect(1).toBe(2);
});`,
  );
  const vitest = pathOf("node_modules/vitest/vitest.mjs");
  const report = path.join(folder, "results.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const args = ["run", "--root", folder, "--globals", ...reporters];
  const { stderr } = spawnSync(process.execPath, [vitest, ...args], { encoding: "utf8" });
  const [file] = JSON.parse(readFileSync(report, "utf8")).testResults;
  expect(file.assertionResults[0].failureMessages.join()).toContain("and a payout waits");
  expect(stderr).toContain("expected 1 to be 2 // Object.is equality and a payout waits");
});
