// Runs test files of the simulation with the campaign's seed and rounds: the same tests as in
// `npm test`, for a longer time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "../checks/tracked.mjs";

/** Tests that are ended get this time to stop the database that they started. */
const GRACE_MS = 10_000;
const VITEST = "node_modules/vitest/vitest.mjs";

/** Runs Vitest on the files. `report` is that of its JSON reporter, or undefined without one. */
export async function runVitest({ root = ROOT, args, env = {}, quiet = false, timeoutMs }) {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-vitest-"));
  const report = path.join(folder, "results.json");
  const reporters = ["--reporter=json", `--outputFile.json=${report}`];
  const command = [path.join(root, VITEST), "run", "--disable-console-intercept", ...reporters];
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // In a process group of its own, so that all processes of a suite end together.
    detached: true,
  });
  const end = (signal) => endGroup(child.pid, signal);
  const endNow = () => end("SIGTERM");
  process.once("exit", endNow);
  const timers = [];
  if (timeoutMs !== undefined) {
    timers.push(setTimeout(endNow, timeoutMs));
    timers.push(setTimeout(() => end("SIGKILL"), timeoutMs + GRACE_MS));
  }
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      if (!quiet) process.stdout.write(chunk);
    });
  }
  const [status] = await once(child, "exit");
  for (const timer of timers) clearTimeout(timer);
  process.off("exit", endNow);
  try {
    return { status, output, report: JSON.parse(readFileSync(report, "utf8")) };
  } catch {
    return { status, output, report: undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function endGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended already.
  }
}

/** Returns a sentence for each failed test, with the message of its error. */
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

/** A campaign over test files of a project, by default the simulation. They print how much they ran as `ran <n>`. */
export const simulationCampaign =
  (name, files = [name], { project = "simulation", variables = {} } = {}) =>
  async ({ seed, rounds, only }) => {
    const result = await runVitest({
      args: [
        ...["--project", project, "--testTimeout=0"],
        ...files.map((file) => `tests/${project}/${file}.test.ts`),
      ],
      env: {
        ...variables,
        CAMPAIGN: name,
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
