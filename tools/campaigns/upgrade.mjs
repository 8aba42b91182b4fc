// Builds an earlier commit and replaces its processes by this tree's while customers buy. `--only COMMIT` chooses the
// commit; the default is the last release. Each round also upgrades a large database of the first migration.
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { lastRelease } from "../checks/released.mjs";
import { ROOT } from "../checks/tracked.mjs";
import { failuresOf, runVitest } from "./simulation.mjs";
import { discardTree, linkPackages } from "./tree-copy.mjs";

const TESTS = ["tests/simulation/upgrade.test.ts", "tests/simulation/upgrade-first.test.ts"];

export async function campaign({ only, rounds = 1, print }) {
  const commit = only ?? lastRelease();
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-upgrade-"));
  process.once("exit", () => discardTree(folder));
  const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 1 << 28 });
  execFileSync("tar", ["-x"], { cwd: folder, input: archive });
  linkPackages(folder);
  print(`building ${commit}`);
  execFileSync(process.execPath, ["tools/build.mjs"], { cwd: folder, stdio: "inherit" });
  const failures = [];
  for (let round = 1; round <= rounds; round++) {
    const env = { CAMPAIGN: "upgrade", CAMPAIGN_UPGRADE_FROM: folder };
    const args = ["--project", "simulation", "--testTimeout=0", ...TESTS];
    const found = failuresOf(await runVitest({ args, env }));
    const replay = `npm run campaign -- upgrade --only ${commit}`;
    failures.push(...found.map((failure) => `round ${round}: ${failure}\n${replay}`));
  }
  return { ran: rounds, failures };
}
