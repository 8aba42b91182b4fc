import { builtinModules } from "node:module";
import path from "node:path";
import { importsOf, namesIn } from "./imports.mjs";
import { DOORS, PURE_ROOMS, ROOMS, TEST_EXTRAS } from "./rooms.mjs";
import { isModule, isTest } from "./tracked.mjs";

const OUR_PACKAGES = {
  "@exchange/money": "money",
  "@exchange/contract": "contract",
  "@exchange/ui": "ui",
};
const SERVER_ROOMS = Object.keys(ROOMS).filter((name) =>
  ROOMS[name].path.startsWith("apps/server/src/"),
);

function roomOf(file) {
  const matching = Object.keys(ROOMS).filter((name) => file.startsWith(ROOMS[name].path));
  return matching.sort((a, b) => ROOMS[b].path.length - ROOMS[a].path.length)[0];
}

/** Returns the target of an import: a file of ours, a package of ours, Node itself, or a dependency. */
function targetOf(file, specifier) {
  if (specifier.startsWith(".")) {
    const bare = specifier.split("?")[0];
    return { file: path.posix.join(path.posix.dirname(file), bare) };
  }
  if (specifier.startsWith("node:") || builtinModules.includes(specifier)) {
    return { word: "node", name: specifier.startsWith("node:") ? specifier : `node:${specifier}` };
  }
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (name in OUR_PACKAGES) return { word: OUR_PACKAGES[name] };
  if (name.startsWith("@exchange/")) return { word: name };
  return { word: "npm", name };
}

function allowedIn(file) {
  const room = roomOf(file);
  const may = [...ROOMS[room].may];
  if (isTest(file)) {
    may.push(...TEST_EXTRAS);
    if (SERVER_ROOMS.includes(room) && !PURE_ROOMS.includes(room)) may.push(...SERVER_ROOMS);
  }
  return { room, may };
}

function isAllowed({ room, may }, target) {
  if (target.word === "npm" || target.word === "node")
    return may.includes(target.word) || may.includes(target.name);
  if (target.word !== undefined) return may.includes(target.word);
  const targetRoom = roomOf(target.file);
  if (targetRoom === room || may.includes(targetRoom)) return true;
  return may.some((word) => DOORS[word]?.some((door) => target.file.startsWith(door)));
}

/** Returns the names that the file uses although its room is without them. Tests may set any scene. */
function refusedNames(file, read) {
  const without = ROOMS[roomOf(file)].without ?? [];
  if (without.length === 0 || isTest(file)) return [];
  const used = namesIn(file, read(file));
  return without.filter((name) => used.has(name));
}

/**
 * Checks every import of every tracked TypeScript module against the direction table, and looks for
 * cycles between files. `read` returns a file's text.
 */
export function checkLayers(files, read) {
  const modules = files.filter(isModule);
  const faults = [];
  const graph = new Map();
  for (const file of modules) {
    const allowed = allowedIn(file);
    const targets = importsOf(file, read(file)).map((name) => [name, targetOf(file, name)]);
    for (const [name, target] of targets) {
      if (!isAllowed(allowed, target)) {
        faults.push(`${file}: room "${allowed.room}" may not import "${name}"`);
      }
    }
    for (const name of refusedNames(file, read)) {
      faults.push(`${file}: room "${allowed.room}" may not use "${name}"`);
    }
    graph.set(
      file,
      targets.flatMap(([, target]) => target.file ?? []),
    );
  }
  if (graph.size < modules.length || graph.size === 0) {
    faults.push(`read ${graph.size} modules where git lists ${modules.length}`);
  }
  return { looked: graph.size, faults: [...faults, ...cycles(graph)] };
}

function cycles(graph) {
  const done = new Set();
  const found = [];
  const visit = (file, trail) => {
    const start = trail.indexOf(file);
    if (start >= 0) {
      found.push(`import cycle: ${[...trail.slice(start), file].join(" → ")}`);
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}
