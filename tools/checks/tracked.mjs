import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Returns every file that git tracks or would track, as paths from the root with forward slashes. */
export function trackedFiles() {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 });
  const files = new Set(listed.split("\0").filter((file) => file !== ""));
  return [...files].filter((file) => existsSync(path.join(ROOT, file))).sort();
}

export const readTracked = (file) => readFileSync(path.join(ROOT, file), "utf8");

export const isModule = (file) => /\.(ts|tsx)$/.test(file) && !file.endsWith(".d.ts");

/** Whether a file is a test, or support that only tests use. */
export const isTest = (file) => /\.test\.(ts|tsx|mjs)$|\/testing\//.test(file);
