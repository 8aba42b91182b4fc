import path from "node:path";
import { importsOf } from "./imports.mjs";
import { identifierFaults } from "./names.mjs";
import { parameterFaults } from "./parameters.mjs";
import { sentenceFaults } from "./prose.mjs";
import { tableFaults } from "./tables.mjs";
import { isTest } from "./tracked.mjs";

/**
 * Faults that the tree still has, counted by rule and top folder. A count may only be lowered. A folder
 * that is not listed has none.
 */
export const ALLOWED = {
  sentence: {},
  identifier: {},
  parameter: {},
  // Most of these are one use case of `flows/` or one noun's routes of `http/`.
  "small file": {
    "apps/server": 18,
    "examples/shop": 1,
    "sdk/browser": 1,
  },
  table: {},
  "one road": {},
};

const SOURCE = /\.(ts|tsx|mjs)$/;
const CODE = /\.(ts|tsx|mjs|js)$/;
const NOT_HAND_WRITTEN = /\.d\.ts$|\/generated\//;
const PROSE = /\.(ts|tsx|mjs|js|md)$/;
const SMALL_LINES = 40;
/** A file that a program or a tool opens by its name. */
const ENTRY = /(^|\/)(index|main|entry|server)\.[a-z]+$|\.config\.[a-z]+$/;

/** Each law says: one road for every request and rule. `where` bounds it to some files. */
const ONE_ROAD = [
  {
    pattern: /(removeListener|listeners|off)\("request"/g,
    says: "a request is answered by the router; do not take its listener away",
  },
  { pattern: /\benable_seqscan\b/g, says: "PostgreSQL's planner chooses; do not switch it off" },
  {
    pattern:
      /\bconnection\??\.stream\b|\bstream\.(un)?cork\(|\._(activeQuery|queryQueue|pulseQueryQueue)\b/g,
    says: "pg's documented interface is the only one; do not use its private members",
  },
  {
    pattern: /new (WeakMap|Map)<Database\b/g,
    where: /^apps\/server\/src\/(flows|domain)\//,
    says: "state that belongs to a database is a member of Deps; do not keep it in the module",
  },
  {
    pattern: /from "[./]+\/sandbox\//g,
    where: /^apps\/server\/src\/(?!start\/|sandbox\/)/,
    says: "only start/ builds the sandbox; reach it through a port",
  },
];

const topFolder = (file) => {
  const parts = path.posix.dirname(file).split("/");
  return /^(apps|packages|sdk|examples|tests)$/.test(parts[0])
    ? parts.slice(0, 2).join("/")
    : parts[0];
};

const lineOf = (text, index) => text.slice(0, index).split("\n").length;

function roadFaults(file, text) {
  if (isTest(file)) return [];
  return ONE_ROAD.filter(({ where }) => where === undefined || where.test(file)).flatMap(
    ({ pattern, says }) =>
      [...text.matchAll(pattern)].map(({ index }) => `${file}:${lineOf(text, index)}: ${says}`),
  );
}

/**
 * A small file has two importers, or else it joins its only caller. A file that its caller loads later,
 * or that only a test imports, stays by itself.
 */
function smallFileFaults(sources, read) {
  const importers = new Map();
  for (const file of sources) {
    for (const specifier of importsOf(file, read(file)).filter((name) => name.startsWith("."))) {
      const target = path.posix.join(path.posix.dirname(file), specifier.split("?")[0]);
      const isLater = read(file).includes(`import("${specifier}")`);
      const importer = { file, mayStandAlone: isTest(file) || isLater };
      importers.set(target, [...(importers.get(target) ?? []), importer]);
    }
  }
  return sources
    .filter((file) => !isTest(file) && !ENTRY.test(file) && importers.get(file)?.length === 1)
    .flatMap((file) => {
      const [importer] = importers.get(file);
      const lines = read(file).trimEnd().split("\n").length;
      if (lines >= SMALL_LINES || importer.mayStandAlone) return [];
      return [`${file}: ${lines} lines, and only ${importer.file} imports it; move them there`];
    });
}

/** Returns the faults of every rule whose count in a top folder is above the allowed one. */
export function checkRatchets(files, read, allowed = ALLOWED) {
  const sources = files.filter((file) => SOURCE.test(file) && !NOT_HAND_WRITTEN.test(file));
  const faultsOf = {
    sentence: files
      .filter((file) => PROSE.test(file))
      .flatMap((file) => sentenceFaults(file, read(file))),
    identifier: files
      .filter((file) => CODE.test(file) && !NOT_HAND_WRITTEN.test(file))
      .flatMap((file) => identifierFaults(file, read(file))),
    parameter: sources
      .filter((file) => !isTest(file) && !file.startsWith("tests/"))
      .flatMap((file) => parameterFaults(file, read(file))),
    "small file": smallFileFaults(sources, read),
    table: tableFaults(sources, read),
    "one road": sources.flatMap((file) => roadFaults(file, read(file))),
  };
  return Object.entries(faultsOf).flatMap(([rule, faults]) => excess(faults, allowed[rule] ?? {}));
}

function excess(faults, allowed) {
  const byFolder = {};
  for (const fault of faults) {
    const folder = topFolder(fault.slice(0, fault.indexOf(":")));
    byFolder[folder] = [...(byFolder[folder] ?? []), fault];
  }
  return Object.entries(byFolder).flatMap(([folder, found]) => {
    const most = allowed[folder] ?? 0;
    if (found.length <= most) return [];
    const note = most === 0 ? [] : [`${folder}: ${found.length} such faults, ${most} are allowed`];
    return [...found, ...note];
  });
}
