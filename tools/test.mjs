// `npm test`: installs missing packages, builds stale steps, finds browsers and other programs, runs every test but the drills. Arguments go
// to Vitest, so `npm test -- --project drills` runs one project. The last line is `N passed, N failed, N skipped`.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./start/install.mjs";
import { namedIn } from "./testing/options.mjs";
import { findPrograms, variablesOf } from "./testing/programs.mjs";
import { countResults, countSkipped } from "./testing/results.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const options = process.argv.slice(2);
const { projects, files } = namedIn(options);
// A file may be a drill. A run that names neither a project nor a file leaves the drills out.
const withDrills =
  projects.length > 0 ? projects.some((project) => /drills|[!*]/.test(project)) : files.length > 0;
const isDefault = projects.length === 0 && files.length === 0;
const chosen = isDefault ? ["--project=!drills", ...options] : options;
const mustBeWhole = process.env.CI === "true";

const run = (command, args, env = process.env) =>
  spawnSync(command, args, { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit"] }).status ?? 1;

function fail(sentence) {
  console.error(`test: ${sentence}`);
  process.exit(1);
}

try {
  install({ log: (line) => console.log(`test: ${line}`) });
} catch (error) {
  fail(error.message);
}
console.log("test: building stale steps");
if (run(process.execPath, ["tools/build.mjs"]) !== 0) fail("the build failed");

const programPaths = {};
const missing = [];
for (const { name, variable, path: found, packages, npm, suite } of findPrograms(
  variablesOf({ withDrills }),
)) {
  programPaths[variable] = found;
  if (found) {
    console.log(`test: the tests with ${name} use ${found}`);
    continue;
  }
  const needed = npm === undefined ? packages.join(" and ") : `${npm.name} ${npm.version}`;
  const why = `${name} was not found; set ${variable} to its path, or install ${needed}`;
  if (mustBeWhole) fail(why);
  if (suite) missing.push({ name, suite });
  console.warn(`\ntest: !!! THE TESTS WITH ${name.toUpperCase()} ARE SKIPPED: ${why}\n`);
}

// Everything that a test writes is below this folder. Some programs of the tests run as another user and write there too.
const folder = mkdtempSync(path.join(tmpdir(), "exchange-test-"));
chmodSync(folder, 0o1777);
const report = path.join(folder, "results.json");
const vitest = path.join(ROOT, "node_modules", "vitest", "vitest.mjs");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const status = run(process.execPath, [vitest, "run", ...reporters, ...chosen], {
  ...process.env,
  ...programPaths,
  TMPDIR: folder,
});

let counts = { passed: 0, failed: 0, skipped: 0 };
try {
  const results = JSON.parse(readFileSync(report, "utf8"));
  counts = countResults(results);
  for (const { name, suite } of missing) {
    const scenarios = countSkipped(results, suite.files);
    if (scenarios === 0) continue;
    console.warn(`${suite.name}: ${name} NOT RUN (${scenarios} scenarios): needs ${suite.needs}`);
  }
} catch {
  console.error("test: Vitest wrote no results");
}
const { passed, failed, skipped } = counts;
if (status === 0) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
else console.error(`test: what the tests wrote is left in ${folder}`);
if (passed + failed + skipped === 0) console.error("test: no test ran");
process.exitCode = status === 0 && failed === 0 && passed > 0 ? 0 : 1;
if (isDefault) console.log("test: the drills are a run of their own: npm test -- --project drills");
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
