// `npm run check`: the house rules, fastest first. Every step reports how many files it read; a step
// that read none is red.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { checkLayers, checkPermissions } from "./checks/layers.mjs";
import { releasedMigrations, releaseFaults } from "./checks/released.mjs";
import { checkSizes } from "./checks/sizes.mjs";
import { checkTidy } from "./checks/tidy.mjs";
import { isModule, ROOT, readTracked, trackedFiles } from "./checks/tracked.mjs";

const bin = (name) => path.join(ROOT, "node_modules", ".bin", name);
const files = trackedFiles();

function run(command, args) {
  const result = spawnSync(command, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 });
  if (result.error) throw result.error;
  const output = `${result.stdout}${result.stderr}`;
  return { output, faults: result.status === 0 ? [] : [output.trim()] };
}

/** Runs a tool whose output has the number of files that it read. */
function counted(command, args, pattern) {
  const { output, faults } = run(command, args);
  return { looked: Number(pattern.exec(output)?.[1] ?? 0), faults };
}

/** Type checks every project. A module that belongs to no project is a fault, since nothing checks it. */
function types() {
  const { references } = JSON.parse(readTracked("tsconfig.json"));
  const { faults } = run(bin("tsc"), ["-b"]);
  const projects = references.map((reference) => `${reference.path}/`);
  const { include } = JSON.parse(readTracked("tests/tsconfig.json"));
  // The tests are one project of several folders, which it lists.
  const isListed = (file) =>
    !file.startsWith("tests/") || include.some((folder) => file.startsWith(`tests/${folder}/`));
  for (const project of projects) {
    if (!existsSync(path.join(ROOT, project, "tsconfig.json")))
      faults.push(`${project}: no tsconfig`);
  }
  const modules = files.filter(isModule);
  const outside = modules.filter(
    (file) =>
      file !== "vitest.config.ts" &&
      !(projects.some((project) => file.startsWith(project)) && isListed(file)),
  );
  faults.push(...outside.map((file) => `${file}: belongs to no TypeScript project`));
  return { looked: modules.length - outside.length, faults };
}

/** knip prints no count. A pattern of its configuration that matches nothing is an error instead. */
function unused() {
  const { faults } = run(bin("knip"), ["--treat-config-hints-as-errors", "--no-progress"]);
  return { looked: files.filter(isModule).length, faults };
}

function sizes() {
  const built = run(process.execPath, ["tools/build.mjs"]);
  if (built.faults.length > 0) return { looked: 0, faults: built.faults };
  return checkSizes();
}

function tidy() {
  const { looked, faults } = checkTidy(files, readTracked);
  return {
    looked,
    faults: [...faults, ...releaseFaults(files, readTracked, releasedMigrations())],
  };
}

const STEPS = [
  ["tidy", tidy],
  ["layers", () => checkLayers(files, readTracked)],
  ["rooms", () => checkPermissions(files, readTracked)],
  ["format", () => counted(bin("biome"), ["check", "--error-on-warnings"], /Checked (\d+) files/)],
  ["types", types],
  ["lint", () => counted(bin("oxlint"), ["--deny-warnings"], /on (\d+) files/)],
  ["unused", unused],
  ["sizes", sizes],
];

let red = 0;
for (const [name, step] of STEPS) {
  const startedAt = performance.now();
  const { looked, faults } = step();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
  const isGreen = faults.length === 0 && looked > 0;
  if (!isGreen) red += 1;
  console.log(`${isGreen ? "ok " : "RED"}  ${name.padEnd(8)} ${seconds} s  ${looked} files`);
  if (looked === 0 && faults.length === 0) console.log("     this step read no file");
  for (const fault of faults) console.log(fault.replace(/^/gm, "     "));
}
console.log(red === 0 ? "check: all green" : `check: ${red} of ${STEPS.length} red`);
process.exitCode = red === 0 ? 0 : 1;
