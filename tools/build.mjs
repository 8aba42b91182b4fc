// Builds the stale steps and nothing else: `npm run build`, and the first part of `npm start`.
// A step is stale when the sizes or times of its input files changed, or its output is gone.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(fileURLToPath(new URL("..", import.meta.url)));
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const STAMP_FILE = join(ROOT, ".build-stamp");
const SKIPPED = new Set(["node_modules", "dist", ".data", "test-results"]);

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Builds every stale step. Returns the names of those that it built. Throws when one fails. */
export function build({ log = () => {} } = {}) {
  const stamps = existsSync(STAMP_FILE) ? readJson(STAMP_FILE) : {};
  const built = [];
  for (const step of listSteps()) {
    const inputs = digestOf(step.inputs);
    if (isFresh(stamps[step.name], inputs)) continue;
    log(`building ${step.name}`);
    runStep(step);
    stamps[step.name] = { inputs, outputs: listOutputs(step) };
    writeFileSync(STAMP_FILE, `${JSON.stringify(stamps, null, 2)}\n`);
    built.push(step.name);
  }
  return built;
}

const isFresh = (stamp, inputs) =>
  stamp?.inputs === inputs && stamp.outputs.every((file) => existsSync(join(ROOT, file)));

function listSteps() {
  const workspaces = listWorkspaces();
  const typed = workspaces.filter(({ folder }) => isTypeScript(folder));
  const compiled = {
    name: "TypeScript",
    inputs: [join(ROOT, "tsconfig.base.json"), ...typed.map(({ folder }) => folder)],
    outputs: typed
      .filter(({ folder }) => !isBundled(folder))
      .flatMap(({ folder }) => projectsOf(folder).map((project) => join(project, "dist"))),
    // Type checking takes five times as long as the rest; `npm run check` does it.
    command: [TSC, "-b", "--noCheck", ...typed.flatMap(({ folder }) => projectsOf(folder))],
    cwd: ROOT,
  };
  const bundled = workspaces.filter(({ folder }) => isBundled(folder));
  return [compiled, ...bundled.map((workspace) => bundleStep(workspace, workspaces))];
}

/** Whether a workspace has TypeScript sources. The tests are type checked elsewhere. */
function isTypeScript(folder) {
  return folder !== join(ROOT, "tests") && existsSync(join(folder, "tsconfig.json"));
}

/** Returns the projects of a workspace: a published library is compiled a second time, as CommonJS. */
function projectsOf(folder) {
  const commonJs = join(folder, "cjs");
  return existsSync(join(commonJs, "tsconfig.json")) ? [folder, commonJs] : [folder];
}

function isBundled(folder) {
  return readdirSync(folder).some((name) => name.startsWith("vite.config."));
}

function bundleStep(workspace, workspaces) {
  const own = readJson(join(workspace.folder, "package.json")).dependencies ?? {};
  const needed = workspaces.filter(({ name }) => name in own).map(({ folder }) => folder);
  return {
    name: workspace.name,
    inputs: [workspace.folder, ...needed],
    outputs: [join(workspace.folder, "dist")],
    command: [join(ROOT, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"],
    cwd: workspace.folder,
  };
}

function listWorkspaces() {
  const folders = readJson(join(ROOT, "package.json")).workspaces.flatMap((pattern) => {
    if (!pattern.endsWith("/*")) return [join(ROOT, pattern)];
    const parent = join(ROOT, pattern.slice(0, -2));
    return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
  });
  return folders
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, name: readJson(join(folder, "package.json")).name }));
}

function runStep({ name, command, cwd }) {
  const result = spawnSync(process.execPath, command, {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (result.status === 0) return;
  throw new Error(`Building ${name} failed; the lines above say why. Fix that and run it again.`);
}

/** Returns the files that the step made, so that a missing one makes the step stale. */
function listOutputs({ outputs }) {
  return outputs
    .filter((folder) => existsSync(folder))
    .flatMap(listFiles)
    .map((file) => relative(ROOT, file));
}

function digestOf(inputs) {
  const hash = createHash("sha256");
  for (const input of inputs) {
    for (const file of listFiles(input)) {
      const { size, mtimeMs } = statSync(file);
      hash.update(`${file}\0${size}\0${mtimeMs}\n`);
    }
  }
  return hash.digest("hex");
}

function listFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !SKIPPED.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const child = join(path, entry.name);
      if (entry.isDirectory()) return listFiles(child);
      return entry.isFile() ? [child] : [];
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const start = performance.now();
  try {
    const built = build({ log: (line) => console.log(line) });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(
      built.length === 0 ? "nothing to build" : `built ${built.join(", ")} in ${seconds} s`,
    );
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
