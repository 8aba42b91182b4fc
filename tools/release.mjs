// `npm run release -- --prepare VERSION` writes the version and the changelog, for a commit and its tag.
// `npm run release -- --out FOLDER --key FILE` makes every artifact of the tagged commit, from a clean clone of it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { makeDebianPackage, makeTarball } from "./release/archives.mjs";
import { canMakeImage, makeImage } from "./release/image.mjs";
import { findRefusals, git } from "./release/refusals.mjs";
import {
  signChecksums,
  writeChecksums,
  writeProvenance,
  writeSbom,
} from "./release/statements.mjs";
import { listTree, makeTree, ROOT } from "./release/tree.mjs";
import { prepareVersion, readVersion } from "./release/version.mjs";

const USAGE = `Usage:
  npm run release -- --prepare VERSION        write the version and the changelog; then commit and tag
  npm run release -- --out FOLDER --key FILE  make the artifacts of the tagged commit, signed with an SSH key
  npm run release -- --out FOLDER --trial     make them of any commit, unsigned, to look at`;

try {
  release(readArguments());
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      prepare: { type: "string" },
      out: { type: "string" },
      key: { type: "string" },
      trial: { type: "boolean", default: false },
    },
  });
  const { prepare, out, key, trial } = values;
  const isRelease = out !== undefined && (key !== undefined) !== trial;
  if ((prepare !== undefined) === isRelease)
    throw new Error(`These arguments do not fit.\n${USAGE}`);
  if (key !== undefined && !existsSync(key)) throw new Error(`The key ${key} does not exist.`);
  return { prepare, out, key, isTrial: trial };
}

function release({ prepare, out, key, isTrial }) {
  if (prepare !== undefined) {
    const date = new Date().toISOString().slice(0, 10);
    prepareVersion(ROOT, { version: prepare, date });
    console.log(`Commit it, then: git tag -s v${prepare}`);
    return;
  }
  const refusals = findRefusals(ROOT);
  if (!canMakeImage()) refusals.push("The image needs Linux with Podman.");
  if (refusals.length > 0 && !isTrial) throw new Error(`not released.\n- ${refusals.join("\n- ")}`);
  for (const reason of refusals) console.warn(`release: a trial only. ${reason}`);
  const folder = path.resolve(out);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(`${folder} is not empty. Name a folder that is empty or not there.`);
  }
  mkdirSync(folder, { recursive: true });
  // Podman refuses the path of its folder when it has more than 50 characters.
  const scratch = mkdtempSync("/tmp/exchange-");
  try {
    makeArtifacts({ root: cloneAndBuild(scratch), scratch, out: folder, isTrial });
    const sums = writeChecksums(folder);
    if (key !== undefined) signChecksums(sums, path.resolve(key));
  } finally {
    // Podman's own clean-up of a build still writes for a moment.
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20 });
  }
  for (const { file, bytes } of listTree(folder))
    console.log(`${String(bytes).padStart(12)}  ${file}`);
}

/** Builds the commit in a clone of its own: nothing that is on this machine alone gets into a release. */
function cloneAndBuild(scratch) {
  const root = path.join(scratch, "clone");
  const run = (command, ...args) =>
    execFileSync(command, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  console.log(`release: building ${git(ROOT, "rev-parse", "HEAD")} in a clean clone`);
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, root], { stdio: "inherit" });
  run("git", "checkout", "--quiet", "--detach", git(ROOT, "rev-parse", "HEAD"));
  run("npm", "ci", "--ignore-scripts", "--loglevel=error");
  run("npm", "run", "build");
  return root;
}

function makeArtifacts({ root, scratch, out, isTrial }) {
  const version = readVersion(root);
  const name = isTrial ? `exchange-${version}-trial` : `exchange-${version}`;
  const epoch = Number(process.env["SOURCE_DATE_EPOCH"] ?? git(root, "log", "-1", "--format=%ct"));
  const tree = path.join(scratch, "tree");
  makeTree({ out: tree, root });
  makeTarball({ tree, name, out, epoch });
  makeDebianPackage({ tree, root, out, version, epoch });
  if (canMakeImage()) makeImage({ tree, root, scratch, name, version, out, epoch });
  const embedded = path.join(scratch, "embedded");
  makeTree({ out: embedded, root, embedded: true });
  const platform = `${process.platform}-${process.arch}`;
  makeTarball({ tree: embedded, name: `${name}-postgresql-${platform}`, out, epoch });
  writeSbom({ root, out, name, version, epoch });
  writeProvenance({ root, out, name, version, isTrial });
}
