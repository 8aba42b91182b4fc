// Finds why the tree that is checked out may not be released.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { findOtherVersions, readVersion, unreleasedText } from "./version.mjs";

const MIGRATIONS = ["apps/server/src/storage/migrations", "apps/server/src/sandbox/migrations"];

/** Runs git and returns what it printed. */
export const git = (root, ...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }).trim();

/** Returns a sentence for each reason. An empty list means that the tree may be released. */
export function findRefusals(root) {
  const version = readVersion(root);
  const tag = `v${version}`;
  const reasons = [];
  if (git(root, "status", "--porcelain") !== "") {
    reasons.push("The tree has changes that are not committed. Commit them, or use a clean clone.");
  }
  const others = findOtherVersions(root);
  if (others.length > 0) {
    reasons.push(
      `${others.join(", ")} state another version than ${version}. Run: npm run release -- --prepare ${version}`,
    );
  }
  const changes = readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
  if (unreleasedText(changes) !== "") {
    reasons.push(
      "CHANGELOG.md has text under Unreleased that no release has. Run: npm run release -- --prepare VERSION",
    );
  }
  if (!new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(`, "m").test(changes)) {
    reasons.push(`CHANGELOG.md has no heading for ${version}. A release says what it changes.`);
  }
  if (!git(root, "tag", "--points-at", "HEAD").split("\n").includes(tag)) {
    reasons.push(`HEAD is not tagged ${tag}. Tag it: git tag -s ${tag}`);
  }
  return [...reasons, ...findChangedMigrations(root)];
}

/** A migration of an earlier release is applied somewhere, so its file stays as it was. */
function findChangedMigrations(root) {
  const tags = git(root, "tag", "--merged", "HEAD", "--list", "v*").split("\n").filter(Boolean);
  return tags.flatMap((tag) =>
    git(root, "diff", "--name-only", "--diff-filter=DMRT", tag, "--", ...MIGRATIONS)
      .split("\n")
      .filter(Boolean)
      .map((file) => `${file} is not as ${tag} released it. Restore it, and add a new migration.`),
  );
}
