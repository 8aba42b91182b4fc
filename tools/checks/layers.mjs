import { builtinModules } from "node:module";
import path from "node:path";
import { importsOf, namesIn, namesTakenFrom } from "./imports.mjs";
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

/** Returns the room of a file, the words of its list, and the words that it may use as a test. */
function allowedIn(file) {
  const room = roomOf(file);
  const isScene = isTest(file) && SERVER_ROOMS.includes(room) && !PURE_ROOMS.includes(room);
  const extras = [...(isTest(file) ? TEST_EXTRAS : []), ...(isScene ? SERVER_ROOMS : [])];
  return { room, may: ROOMS[room].may, extras };
}

/** Returns whether the word of a room's list stands for the target of an import. */
function standsFor(word, target) {
  if (target.word !== undefined) return word === target.word || word === target.name;
  if (word === roomOf(target.file)) return true;
  return DOORS[word]?.some((door) => target.file.startsWith(door)) ?? false;
}

const isOwn = (room, target) => target.file !== undefined && roomOf(target.file) === room;

const isAllowed = ({ room, may, extras }, target) =>
  isOwn(room, target) || [...may, ...extras].some((word) => standsFor(word, target));

/** Returns the names that the file uses although its room is without them. Tests may set any scene. */
function refusedNames(file, read) {
  const without = ROOMS[roomOf(file)].without ?? [];
  if (without.length === 0 || isTest(file)) return [];
  const used = namesIn(file, read(file));
  return without.filter((name) => used.has(name));
}

/** Returns the names that the file takes from the contract although its room's list lacks them. */
function untakenNames(file, read) {
  const { takes } = ROOMS[roomOf(file)];
  if (takes === undefined || isTest(file)) return [];
  const taken = namesTakenFrom("@exchange/contract", file, read(file));
  return taken.filter((name) => !takes.includes(name));
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
    for (const name of untakenNames(file, read)) {
      faults.push(`${file}: room "${allowed.room}" may not take "${name}" from the contract`);
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

/**
 * Finds the words in the lists of rooms that no file needs. A file needs a word if it could not import something without
 * it. `files` is the whole tree.
 */
export function checkPermissions(files, read) {
  const modules = files.filter(isModule);
  const needed = new Set();
  for (const file of modules) {
    const { room, may, extras } = allowedIn(file);
    for (const name of importsOf(file, read(file))) {
      const target = targetOf(file, name);
      const words = may.filter((word) => standsFor(word, target));
      const isOpen = isOwn(room, target) || extras.some((word) => standsFor(word, target));
      if (!isOpen && words.length === 1) needed.add(`${room} ${words[0]}`);
    }
    if (isTest(file) || ROOMS[room].takes === undefined) continue;
    for (const name of namesTakenFrom("@exchange/contract", file, read(file))) {
      needed.add(`${room} contract ${name}`);
    }
  }
  const faults = Object.entries(ROOMS).flatMap(([room, { may, takes = [] }]) =>
    [...may, ...takes.map((name) => `contract ${name}`)]
      .filter((word) => !needed.has(`${room} ${word}`))
      .map((word) => `room "${room}" may import "${word}", and no file needs it`),
  );
  return { looked: modules.length, faults };
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
