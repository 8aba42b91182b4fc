// A release has one version. Every package states it, and `npm run release -- --prepare VERSION` writes it everywhere.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The place that decides. The others are compared with it. */
const FIRST = "apps/server/package.json";
const LOCK = "package-lock.json";
const WORKSPACES = ["packages", "apps", "sdk", "examples"];
/** Versions outside of npm's manifests: what is before one, and after it. */
const TEXTS = [
  ["sdk/python/pyproject.toml", 'version = "', '"'],
  ["sdk/python/src/exchange_client/calls.py", "exchange-python/", '"'],
  ["sdk/node/src/calls/attempt.ts", 'PACKAGE_VERSION = "', '"'],
  ["sdk/php/src/Caller.php", "exchange-php/", "'"],
  ["deploy/compose.yaml", "EXCHANGE_IMAGE:-exchange:", "}"],
  ["deploy/kubernetes/base/kustomization.yaml", "newTag: ", "\n"],
];
/** The page that names the artifacts of a release, which have its version in their names. */
const PAGE = "docs/operating/install.md";
const IN_NAME =
  /(?<=\bexchange[:_-])\d+\.\d+\.\d+(?:-[0-9a-z.]+?)?(?=[\s/]|\.tar\.xz|\.cdx|\.intoto|-postgresql-|-image-|-1_all)/g;
const VERSION = /^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/;

export const readVersion = (root) =>
  JSON.parse(readFileSync(path.join(root, FIRST), "utf8")).version;

/** Returns the files that do not state the version of the server. */
export function findOtherVersions(root) {
  const version = readVersion(root);
  return [...withVersion(root, version)]
    .filter(([file, text]) => readFileSync(path.join(root, file), "utf8") !== text)
    .map(([file]) => file);
}

/** Writes the version into every place, and into the changelog as the heading of what was under Unreleased. */
export function prepareVersion(root, { version, date }) {
  if (!VERSION.test(version)) {
    throw new Error(`${version} is not a version. Write it as 1.2.3 or 1.2.3-rc.1.`);
  }
  const changelog = path.join(root, "CHANGELOG.md");
  const changes = readFileSync(changelog, "utf8");
  if (unreleasedText(changes) === "") {
    throw new Error(
      "CHANGELOG.md has nothing under Unreleased. Say there what the release changes.",
    );
  }
  const heading = `## Unreleased\n\n## ${version} (${date})`;
  writeFileSync(changelog, changes.replace(/^## Unreleased$/m, heading));
  for (const [file, text] of withVersion(root, version)) writeFileSync(path.join(root, file), text);
}

/** Returns the text of the changelog that no release has. */
export const unreleasedText = (changes) =>
  (/^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changes)?.[1] ?? "").trim();

/** Returns the text that each place should have, by its path. */
function withVersion(root, version) {
  const read = (file) => readFileSync(path.join(root, file), "utf8");
  const manifests = listManifests(root).map((file) => [file, manifestWith(read(file), version)]);
  const texts = TEXTS.filter(([file]) => existsSync(path.join(root, file))).map(
    ([file, before, after]) => [file, textWith(read(file), { before, after, version, file })],
  );
  const pages = existsSync(path.join(root, PAGE))
    ? [[PAGE, read(PAGE).replaceAll(IN_NAME, version)]]
    : [];
  return new Map([...manifests, ...texts, ...pages, [LOCK, lockWith(read(LOCK), version)]]);
}

const listManifests = (root) =>
  [
    "package.json",
    "tests/package.json",
    ...WORKSPACES.flatMap((folder) =>
      readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}/package.json`),
    ),
  ].filter((file) => existsSync(path.join(root, file)));

const manifestWith = (text, version) =>
  text
    .replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`)
    .replaceAll(/^( {4}"@exchange\/[a-z-]+": )"[^"]*"/gm, `$1"${version}"`);

function textWith(text, { before, after, version, file }) {
  const start = text.indexOf(before) + before.length;
  const end = text.indexOf(after, start);
  if (start < before.length || end < 0) throw new Error(`${file} states no version.`);
  return `${text.slice(0, start)}${version}${text.slice(end)}`;
}

function lockWith(text, version) {
  const lock = JSON.parse(text);
  lock.version = version;
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (place.includes("node_modules/")) continue;
    entry.version = version;
    for (const kind of ["dependencies", "devDependencies"]) {
      for (const name of Object.keys(entry[kind] ?? {})) {
        if (name.startsWith("@exchange/")) entry[kind][name] = version;
      }
    }
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}
