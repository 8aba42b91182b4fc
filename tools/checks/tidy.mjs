import path from "node:path";
import { checkRatchets } from "./ratchets.mjs";

const REFUSED_NAMES = new Set(["utils", "util", "helpers", "helper", "common", "manager", "misc"]);
/** A template of systemd units has an @ before its suffix. */
const KEBAB_CASE = /^[a-z0-9_]+([.-][a-z0-9_]+)*(@\.service)?$/;
const SHOUTED =
  /^(README|ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG)\.md$|^(LICENSE|Containerfile)$/;
/** Composer finds a class by the name of its file. */
const CLASS_OF_PHP = /^sdk\/php\/src\/([A-Z]\w*\/)*[A-Z][A-Za-z]*\.php$/;
/** The texts of a language have the name of the language, such as pt-BR. */
const TEXTS = /\/locales\/[a-z]{2}(-[A-Z]{2})?\.json$/;
const MARKER = new RegExp(
  `\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].join("|")})\\b`,
);
const REGISTRY =
  /https?:\/\/[^\s"'/]*(registry|npmjs|npmmirror|yarnpkg|artifactory|nexus)[^\s"']*/i;
/** A page that a comment or a text names, by its path from the root. */
const PAGE = /(?<![\w./-])docs\/[\w./-]+\.md\b/g;
const SUPPRESSION = /(oxlint-disable|eslint-disable|biome-ignore|@ts-expect-error)[^\n]*/g;
/** A title of a test that begins with a number of a plan, such as "H1:" or "4.8:". */
const NUMBERED_TITLE =
  /^\s*(?:(?:test|describe)\b[^"'`]*)?["'`](?:[A-Z]{1,2}\d{1,2}[a-z]?(?:, [A-Z]{1,2}\d{1,2})*|\d+\.\d+): /;
const IS_TEXT =
  /\.(ts|tsx|mjs|js|css|html|sql|md|json|jsonc|yaml|yml|sh|toml|svg|py|php)$|(^|\/)[^.]+$|\.npmrc$/;
const PACKAGE = /^(packages|apps|sdk|examples)\/[^/]+\/package\.json$/;
const README_LINES_MAX = 30;
/** A published package's README is its page in the registry. */
const PUBLISHED_README_LINES_MAX = 60;

const nameParts = (file) => file.split("/").flatMap((part) => [part, ...part.split(/[.-]/)]);

function nameFaults(file) {
  const faults = [];
  const refused = nameParts(file).find((part) => REFUSED_NAMES.has(part.toLowerCase()));
  if (refused)
    faults.push(`${file}: "${refused}" does not name a thing; use the noun of what is in it`);
  const base = path.posix.basename(file);
  const isNamed =
    KEBAB_CASE.test(base) || SHOUTED.test(base) || CLASS_OF_PHP.test(file) || TEXTS.test(file);
  if (!base.startsWith(".") && !isNamed) {
    faults.push(`${file}: file names have lower-case letters, digits and hyphens`);
  }
  return faults;
}

function textFaults(file, text) {
  const faults = [];
  text.split("\n").forEach((line, index) => {
    const at = `${file}:${index + 1}`;
    const marker = MARKER.exec(line);
    if (marker) faults.push(`${at}: "${marker[0]}" belongs in an issue, not in a comment`);
    if (REGISTRY.test(line) && !file.startsWith("tools/checks/"))
      faults.push(`${at}: no registry address in a tracked file`);
    if (file.includes(".test.") && NUMBERED_TITLE.test(line))
      faults.push(`${at}: a test's title is its promise in words, without a number before it`);
    if (/@ts-(ignore|nocheck)/.test(line) && !file.startsWith("tools/checks/")) {
      faults.push(`${at}: use @ts-expect-error with a reason`);
    }
  });
  return [...faults, ...suppressionFaults(file, text)];
}

function suppressionFaults(file, text) {
  if (!/\.(ts|tsx|mjs|js)$/.test(file) || file.startsWith("tools/checks/")) return [];
  return (text.match(SUPPRESSION) ?? [])
    .filter((found) => !/(--|:)\s*\S+/.test(found.replace(/^biome-ignore \S+/, "")))
    .map(
      (found) => `${file}: "${found.trim()}" has no reason on its line; add " -- " and the reason`,
    );
}

function packageFaults(file, { files, read }) {
  const faults = [];
  const manifest = JSON.parse(read(file));
  const versions = { ...manifest.dependencies, ...manifest.devDependencies };
  for (const [name, version] of Object.entries({ ...versions, ...manifest.optionalDependencies })) {
    if (!/^\d/.test(version))
      faults.push(`${file}: ${name} is not pinned exactly (${version}); write one version`);
  }
  if (!PACKAGE.test(file)) return faults;
  const readme = `${path.posix.dirname(file)}/README.md`;
  if (!files.includes(readme))
    return [...faults, `${readme}: is missing; each package has a README`];
  const linesMax = manifest.private ? README_LINES_MAX : PUBLISHED_README_LINES_MAX;
  return [...faults, ...readmeFaults(readme, { read, linesMax })];
}

function readmeFaults(readme, { read, linesMax }) {
  const lines = read(readme).trimEnd().split("\n").length;
  if (lines <= linesMax) return [];
  return [`${readme}: ${lines} lines; this package's README has at most ${linesMax}`];
}

/** A page's own links are relative, and the site's tests follow them. */
function pageFaults(file, text, files) {
  if (file.endsWith(".md")) return [];
  return [...text.matchAll(PAGE)]
    .filter(([page]) => !files.has(page))
    .map(([page]) => `${file}: ${page} does not exist; name the page as docs/ has it`);
}

/** Each folder's migrations are numbered from 0001 without a gap, so that every installation applies the same order. */
function migrationFaults(files) {
  const next = new Map();
  return files
    .filter((file) => /\/migrations\/[^/]+\.sql$/.test(file))
    .flatMap((file) => {
      const folder = path.posix.dirname(file);
      const number = (next.get(folder) ?? 0) + 1;
      next.set(folder, number);
      const expected = String(number).padStart(4, "0");
      if (path.posix.basename(file).startsWith(`${expected}_`)) return [];
      return [`${file}: the next migration is numbered ${expected}`];
    });
}

/** Checks the house rules that no linter knows. `read` returns a file's text. */
export function checkTidy(files, read) {
  const faults = [...migrationFaults(files), ...checkRatchets(files, read)];
  const existing = new Set(files);
  let looked = 0;
  for (const file of files) {
    faults.push(...nameFaults(file));
    if (file.endsWith("package.json")) faults.push(...packageFaults(file, { files, read }));
    if (!IS_TEXT.test(file)) continue;
    looked += 1;
    const text = read(file);
    faults.push(...textFaults(file, text), ...pageFaults(file, text, existing));
  }
  if (looked === 0) faults.push("looked at no file");
  return { looked, faults };
}
