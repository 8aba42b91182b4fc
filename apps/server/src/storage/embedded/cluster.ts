import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { dataDirArgument, makePrivateFolder } from "./folders.ts";
import type { OperatingUser } from "./operating-user.ts";

/** Everything PostgreSQL's programs get of our environment. */
export const PROGRAM_ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

const INITDB_FLAGS = [
  ...["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C"],
  // The same order of text on every machine, whatever its libraries.
  ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--data-checksums"],
];

/**
 * Makes the database cluster unless it is there. It is made beside its place and renamed, so a
 * crash in the middle leaves no half a cluster, and of two copies that start at once one wins.
 */
export async function ensureCluster(
  dataDir: string,
  binaries: Binaries,
  user: OperatingUser | undefined,
): Promise<void> {
  if (existsSync(join(dataDir, "PG_VERSION"))) return requireOwner(dataDir, user);
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(`${dataDir} is not empty and holds no PostgreSQL database. Move it away.`);
  }
  removeAbandoned(dataDir);
  const partial = `${dataDir}.init-${process.pid}`;
  makePrivateFolder(partial, user);
  await runInitdb(partial, { initdb: binaries.initdb, user });
  try {
    renameSync(partial, dataDir);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(join(dataDir, "PG_VERSION"))) throw error;
  }
  syncFolder(dirname(dataDir));
}

async function runInitdb(
  dataDir: string,
  program: { readonly initdb: string; readonly user: OperatingUser | undefined },
): Promise<void> {
  const { initdb, user } = program;
  const child = spawn(initdb, ["-D", dataDirArgument(dataDir, user), ...INITDB_FLAGS], {
    ...user,
    cwd: dataDir,
    env: PROGRAM_ENVIRONMENT,
    stdio: ["ignore", "ignore", "pipe"],
    // Ctrl-C in our terminal must not reach it: a start that is stopped ends cleanly.
    detached: true,
  });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
  });
  const status = await once(child, "close").then(
    ([code]) => code,
    (error: Error) => {
      words += error.message;
    },
  );
  if (status === 0) return;
  rmSync(dataDir, { recursive: true, force: true });
  throw new Error(`PostgreSQL could not make its data folder ${dataDir}: ${words.trim()}`);
}

function requireOwner(dataDir: string, user: OperatingUser | undefined): void {
  const owner = statSync(dataDir).uid;
  if (user !== undefined || owner === process.getuid?.()) return;
  throw new Error(
    `${dataDir} belongs to user ${owner}. Run the service as that user, or choose another ` +
      "EXCHANGE_DATA_DIR.",
  );
}

/** A start that was killed during initdb leaves its folder behind. */
function removeAbandoned(dataDir: string): void {
  if (!existsSync(dirname(dataDir))) return;
  const prefix = `${basename(dataDir)}.init-`;
  for (const name of readdirSync(dirname(dataDir))) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    rmSync(join(dirname(dataDir), name), { recursive: true, force: true });
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function syncFolder(path: string): void {
  const handle = openSync(path, "r");
  fsyncSync(handle);
  closeSync(handle);
}
