import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { syncFolder } from "./copied-files.ts";
import { dataDirArgument, makePrivateFolder } from "./folders.ts";
import type { OperatingUser } from "./operating-user.ts";
import { explainStart, requireMajor } from "./start-faults.ts";

/** The whole environment of PostgreSQL's programs. They receive nothing of the service's own environment. */
export const PROGRAM_ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

const INITDB_FLAGS = [
  // The socket's folder is its owner's alone. No network connection is accepted, whatever the settings are.
  ...["--username=postgres", "--auth-local=trust", "--auth-host=reject"],
  ...["--encoding=UTF8", "--locale=C"],
  // Text is sorted the same way on every machine, whichever libraries it has.
  ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--data-checksums"],
];

/**
 * Creates the database cluster if it is missing. The cluster is created in a folder beside its own and then
 * renamed. So a crash leaves no half-made cluster, and of two copies that start at once one wins.
 */
export async function ensureCluster(
  dataDir: string,
  binaries: Binaries,
  user: OperatingUser | undefined,
): Promise<void> {
  if (existsSync(join(dataDir, "PG_VERSION"))) {
    requireOwner(dataDir, user);
    return requireMajor(dataDir, binaries.major);
  }
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(
      `${dataDir} is not empty and has no PostgreSQL database. Move it away, or choose another ` +
        "EXCHANGE_DATA_DIR.",
    );
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
  await syncFolder(dirname(dataDir));
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
    // Ctrl-C in the service's terminal must not reach initdb, so that a stopped start ends cleanly.
    detached: true,
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const status = await once(child, "close").then(
    ([code]) => code,
    (error: Error) => {
      output += error.message;
    },
  );
  if (status === 0) return;
  rmSync(dataDir, { recursive: true, force: true });
  const reason = `PostgreSQL could not create its data folder ${dataDir}: ${output.trim()}`;
  throw new Error(explainStart(reason, dataDir));
}

function requireOwner(dataDir: string, user: OperatingUser | undefined): void {
  const owner = statSync(dataDir).uid;
  if (user !== undefined || owner === process.getuid?.()) return;
  throw new Error(
    `${dataDir} belongs to user ${owner}. Run the service as that user, or choose another ` +
      "EXCHANGE_DATA_DIR.",
  );
}

/** Removes the folders of starts that were killed during initdb. */
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
