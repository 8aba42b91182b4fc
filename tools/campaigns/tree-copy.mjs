// Copies the tree to a temporary folder, to plant defects in: the files that git tracks, the built
// files, and the installed packages as links. The checkout itself is never touched.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT, trackedFiles } from "../checks/tracked.mjs";

const OUR_PACKAGES = "@exchange";
const BUILD_STAMP = ".build-stamp";

/** Copies the tree and returns its folder. The exit of the process or `discardTree` deletes it. */
export function copyTree() {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-campaign-"));
  process.once("exit", () => discardTree(folder));
  const files = trackedFiles();
  if (files.length === 0) throw new Error("git lists no files");
  for (const file of files) copy(file, folder);
  for (const built of builtFolders(files)) copy(built, folder);
  if (existsSync(path.join(ROOT, BUILD_STAMP))) copy(BUILD_STAMP, folder);
  linkPackages(folder);
  return folder;
}

export const discardTree = (folder) => rmSync(folder, { recursive: true, force: true });

/** Copies with the times of the files, so that the build stays fresh. */
function copy(name, folder) {
  const to = path.join(folder, name);
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(path.join(ROOT, name), to, { recursive: true, preserveTimestamps: true });
}

const workspacesOf = (files) =>
  files
    .filter((file) => path.basename(file) === "package.json" && file.includes("/"))
    .map((file) => path.dirname(file));

const builtFolders = (files) =>
  workspacesOf(files)
    .map((workspace) => `${workspace}/dist`)
    .filter((folder) => existsSync(path.join(ROOT, folder)));

/** Links every installed package. Our own packages are links to those of the copy. */
export function linkPackages(folder) {
  for (const place of ["", ...workspacesOf(trackedFiles())]) {
    const installed = path.join(ROOT, place, "node_modules");
    if (!existsSync(installed)) continue;
    const links = path.join(folder, place, "node_modules");
    mkdirSync(links, { recursive: true });
    for (const name of readdirSync(installed)) {
      if (name === OUR_PACKAGES) linkOurPackages(path.join(installed, name), links, folder);
      else if (!name.startsWith(".vite")) {
        symlinkSync(path.join(installed, name), path.join(links, name));
      }
    }
  }
}

function linkOurPackages(installed, links, folder) {
  mkdirSync(path.join(links, OUR_PACKAGES), { recursive: true });
  for (const name of readdirSync(installed)) {
    const place = path.relative(ROOT, realpathSync(path.join(installed, name)));
    symlinkSync(path.join(folder, place), path.join(links, OUR_PACKAGES, name));
  }
}
