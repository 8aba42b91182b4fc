import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { ROOT } from "./tracked.mjs";

/** The commit from which on no migration changes. A release tag takes its place. */
const FIRST = "03e2effa";
const MIGRATION = /\/migrations\/[^/]+\.sql$/;

const git = (...args) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Returns git's hash of each migration of the last release, by its path. Empty where the history is not there. */
export function releasedMigrations() {
  try {
    return readHashes(git("ls-tree", "-r", lastRelease()));
  } catch {
    return new Map();
  }
}

/** Returns the tag of the last release. */
export function lastRelease() {
  try {
    return git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*").trim();
  } catch {
    return FIRST;
  }
}

const readHashes = (listed) =>
  new Map(
    listed
      .split("\n")
      .map((line) => /^\d+ blob ([0-9a-f]+)\t(.*)$/.exec(line))
      .filter((match) => match !== null && MIGRATION.test(match[2]))
      .map(([, hash, file]) => [file, hash]),
  );

/** A database that applied a migration refuses another text of it, so a released file stays as it is. */
export function releaseFaults(files, read, released) {
  const present = new Set(files);
  return [...released].flatMap(([file, hash]) => {
    if (!present.has(file)) return [`${file}: a released migration was removed`];
    if (hashOf(read(file)) === hash) return [];
    return [`${file}: a released migration was edited; add one with the next number`];
  });
}

/** Git's name of a text: SHA-1 over its kind, its length and its bytes. */
export function hashOf(text) {
  const bytes = Buffer.from(text);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
