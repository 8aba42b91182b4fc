// Finds the modules that a built program loads, so that a release ships those and no other.
import { existsSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { parseSync } from "oxc-parser";

const BUILTIN = new Set(builtinModules);

/**
 * Returns the files that the entries import, themselves included, and the names of the packages that those files
 * import. An import whose address is computed is not followed.
 */
export function followImports(entries) {
  const files = new Set();
  const packages = new Set();
  const queue = entries.map((entry) => path.resolve(entry));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith(".")) queue.push(path.resolve(path.dirname(file), specifier));
      else if (!isBuiltin(specifier)) packages.add(packageNameOf(specifier));
    }
  }
  return { files: sorted(files), packages: sorted(packages) };
}

const sorted = (paths) => [...paths].toSorted((a, b) => (a < b ? -1 : 1));

function importsOf(file) {
  if (!/\.[cm]?js$/.test(file)) return [];
  const code = readFileSync(file, "utf8");
  const { module } = parseSync(file, code);
  const literal = ({ start, end }) => /^(["'`])([^"'`]+)\1$/.exec(code.slice(start, end))?.[2];
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.flatMap(({ moduleRequest }) => literal(moduleRequest) ?? []),
  ];
}

const isBuiltin = (specifier) => specifier.startsWith("node:") || BUILTIN.has(specifier);

const packageNameOf = (specifier) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Returns the folders of these packages and of all that they depend on, by the rules of Node. */
export function packageFolders(names, from) {
  const folders = new Set();
  const visit = (name, importer) => {
    const folder = findPackage(name, importer);
    if (folder === undefined) throw new Error(`${name} is not installed. Run: npm ci`);
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = JSON.parse(
      readFileSync(path.join(folder, "package.json"), "utf8"),
    );
    for (const needed of Object.keys(dependencies)) visit(needed, folder);
  };
  for (const name of names) visit(name, from);
  return sorted(folders);
}

function findPackage(name, from) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = path.join(folder, "node_modules", name);
    if (existsSync(found) && statSync(found).isDirectory()) return found;
    if (folder === path.dirname(folder)) return undefined;
  }
}
