// Runs test files of the simulation with the campaign's seed and rounds: the same tests as in
// `npm test`, for much longer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "../checks/tracked.mjs";

/** Tests that are ended stop the database they started. */
const GRACE_MS = 10_000;
const VITEST = "node_modules/vitest/vitest.mjs";

/** Runs vitest on the files; gives the report of its JSON reporter, empty when there is none. */
export async function runVitest({ root = ROOT, args, env = {}, quiet = false, timeoutMs }) {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-vitest-"));
  const report = path.join(folder, "results.json");
  const reporters = ["--reporter=json", `--outputFile.json=${report}`];
  const command = [path.join(root, VITEST), "run", "--disable-console-intercept", ...reporters];
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: what a suite started ends with it.
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
    // All of it has ended already.
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

/** A campaign over files of the simulation, which tell what they ran in `ran <n>` lines. */
export const simulationCampaign =
  (name, files = [name]) =>
  async ({ seed, rounds, only }) => {
    const result = await runVitest({
      args: [
        ...["--project", "simulation", "--testTimeout=0"],
        ...files.map((file) => `tests/simulation/${file}.test.ts`),
      ],
      env: {
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
