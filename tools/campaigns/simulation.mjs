// Runs test files of the simulation with the campaign's seed and rounds: the same tests as in
// `npm test`, for much longer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "../checks/tracked.mjs";

const VITEST = "node_modules/vitest/vitest.mjs";

/** Runs vitest on the files; gives the report of its JSON reporter, empty when there is none. */
export async function runVitest({ root = ROOT, args, env = {}, quiet = false }) {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-vitest-"));
  const report = path.join(folder, "results.json");
  const reporters = ["--reporter=json", `--outputFile.json=${report}`];
  const command = [path.join(root, VITEST), "run", "--disable-console-intercept", ...reporters];
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      if (!quiet) process.stdout.write(chunk);
    });
  }
  const [status] = await once(child, "exit");
  try {
    return { status, output, report: JSON.parse(readFileSync(report, "utf8")) };
  } catch {
    return { status, output, report: undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The sentences of what failed, each with the words of its error. */
export function failuresOf({ status, output, report }) {
  if (report === undefined) return [`vitest left no report:\n${output.slice(-4_000)}`];
  const failures = report.testResults.flatMap((file) => [
    ...(file.assertionResults.length === 0 && file.status === "failed"
      ? [`${file.name}: ${file.message}`]
      : []),
    ...file.assertionResults
      .filter((result) => result.status === "failed")
      .map((result) => `${result.fullName}\n${result.failureMessages.join("\n")}`),
  ]);
  return failures.length === 0 && status !== 0 ? [output.slice(-4_000)] : failures;
}

/** A campaign over one file of the simulation, which counts what it ran in `ran <n>` lines. */
export const simulationCampaign =
  (file, env = {}) =>
  async ({ seed, rounds, only }) => {
    const result = await runVitest({
      args: ["--project", "simulation", "--testTimeout=0", `tests/simulation/${file}.test.ts`],
      env: {
        ...env,
        CAMPAIGN: file,
        CAMPAIGN_SEED: String(seed),
        ...(rounds === undefined ? {} : { CAMPAIGN_ROUNDS: String(rounds) }),
        ...(only === undefined ? {} : { CAMPAIGN_ONLY: only }),
      },
    });
    const counts = [...result.output.matchAll(/^ {2}ran (\d+)/gm)].map(([, count]) =>
      Number(count),
    );
    return { ran: counts.reduce((sum, count) => sum + count, 0), failures: failuresOf(result) };
  };
