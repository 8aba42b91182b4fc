// Installs the packages when they are missing or differ from package-lock.json.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(fileURLToPath(new URL("../..", import.meta.url)));

export function install({ log }) {
  const missing = findMissing();
  if (missing === undefined) return;
  log(`installing packages (${missing}); this takes a minute the first time`);
  const npm = process.env.npm_execpath;
  const words = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  const [command, prefix] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const result = spawnSync(command, [...prefix, ...words, "--loglevel=error"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (result.status === 0) return;
  throw new Error(
    "Installing the packages failed; the lines above say why. It needs the npm registry and a " +
      "writable folder. Fix that and run the command again.",
  );
}

/**
 * Returns the first difference from package-lock.json in a few words, or undefined without one. npm
 * records what it installed in node_modules/.package-lock.json.
 */
export function findMissing({ root = ROOT } = {}) {
  const installedFile = join(root, "node_modules/.package-lock.json");
  if (!existsSync(installedFile)) return "none are installed";
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(installedFile);
  for (const [path, { version, link, optional, devOptional }] of Object.entries(wanted)) {
    if (!path.startsWith("node_modules/") && !path.includes("/node_modules/")) continue;
    const found = installed[path];
    // An optional package of another platform is never installed.
    if (found === undefined && (optional || devOptional)) continue;
    const isSame = found?.version === version && found?.link === link;
    if (!isSame || !existsSync(join(root, path)))
      return `${path} is missing or has another version`;
  }
  return undefined;
}

const readPackages = (path) => JSON.parse(readFileSync(path, "utf8")).packages;
