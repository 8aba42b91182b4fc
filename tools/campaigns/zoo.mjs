// The bug zoo: plants one defect at a time in a copy of the tree and runs the smallest suite that must
// go red. A defect that survives is a hole in the suite. A defect whose text is gone must be updated.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findPrograms } from "../testing/programs.mjs";
import { runVitest } from "./simulation.mjs";
import { copyTree, discardTree } from "./tree-copy.mjs";
import { DEFECTS } from "./zoo/defects.mjs";

/** The nodes of the suites about chains. Without them they are skipped, so they are not green. */
const PROGRAMS = Object.fromEntries(
  findPrograms(["ANVIL_PATH", "LITECOIND_PATH"]).flatMap(({ variable, path: found }) =>
    found === undefined ? [] : [[variable, found]],
  ),
);
/** Without a defect the suites only have to be green, so fewer sequences and rounds suffice. */
const GREEN_ROUNDS = "25";
/** A suite that hangs with a defect has found it too. */
const SUITE_TIMEOUT_MS = 240_000;

export async function campaign({ seed, only, print }) {
  const chosen = DEFECTS.filter(({ name }) => only === undefined || name.includes(only));
  const root = copyTree();
  const failures = [];
  let ran = 0;
  try {
    const green = await findGreenSuites(root, chosen, { seed, print });
    failures.push(...green.failures);
    for (const defect of chosen) {
      const fault = await tryDefect({ root, seed }, defect, green);
      ran += 1;
      print(`  ${fault === undefined ? "killed  " : "SURVIVED"} ${defect.name}`);
      if (fault === undefined) continue;
      failures.push(`${fault}\nreplay: npm run campaign -- zoo --only "${defect.name}"`);
    }
  } finally {
    discardTree(root);
  }
  return { ran, failures };
}

const suiteOf = ({ tests, only }) => [...tests, ...(only ? [`(${only})`] : [])].join(" ");

/** Runs the suites without a defect: a suite that is red anyway proves nothing. */
async function findGreenSuites(root, defects, { seed, print }) {
  const failures = [];
  const red = new Set();
  const suites = new Map(defects.map((defect) => [suiteOf(defect), defect]));
  print(`  ${suites.size} suites without any defect first`);
  if (!builds(root)) return { failures: ["the copy does not build"], red: new Set(suites.keys()) };
  for (const [suite, defect] of suites) {
    const env = { CAMPAIGN_SEED: String(seed), CAMPAIGN_ROUNDS: GREEN_ROUNDS };
    const isGreen = await passes(root, defect, env);
    print(`  ${isGreen ? "green   " : "RED     "} ${suite}`);
    if (isGreen) continue;
    red.add(suite);
    failures.push(`the suite ${suite} is red without any defect`);
  }
  return { failures, red };
}

/** Returns undefined when the suite found the defect, otherwise a sentence that says what is wrong. */
async function tryDefect({ root, seed }, defect, { red }) {
  const { name, file, find, replace } = defect;
  if (red.has(suiteOf(defect))) return `${name}: its suite is red without it`;
  const place = path.join(root, file);
  const text = readFileSync(place, "utf8");
  const [before, ...after] = text.split(find);
  if (after.length !== 1) return `${name}: ${file} has its text ${after.length} times, not once`;
  writeFileSync(place, before + replace + after[0]);
  try {
    if (!builds(root)) return `${name}: the tree does not build with it`;
    return (await passes(root, defect, { CAMPAIGN_SEED: String(seed) }))
      ? `${name}: survived`
      : undefined;
  } finally {
    writeFileSync(place, text);
  }
}

const builds = (root) =>
  spawnSync(process.execPath, ["tools/build.mjs"], { cwd: root, stdio: "ignore" }).status === 0;

async function passes(root, { tests, only }, env) {
  const { status, report } = await runVitest({
    root,
    args: ["--bail=1", ...tests],
    env: { ...PROGRAMS, ...env, ...(only === undefined ? {} : { CAMPAIGN_ONLY: only }) },
    quiet: true,
    timeoutMs: SUITE_TIMEOUT_MS,
  });
  return status === 0 && report !== undefined && report.numPassedTests > 0;
}
