import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRunning, PROGRAM_ENVIRONMENT } from "./cluster.ts";
import { dataDirArgument } from "./folders.ts";
import { chownTo, type OperatingUser } from "./operating-user.ts";
import { boundServerLog, serverLogOf } from "./server-log.ts";
import { memoryBytes, sharedBuffersMb } from "./shared-buffers.ts";

/**
 * The content of the postmaster's pid file. The service never deletes that file, because it guards the data.
 */
export interface PostmasterFile {
  readonly pid: number;
  readonly socketFolder: string;
  readonly status: string;
}

export function readPostmasterFile(dataDir: string): PostmasterFile | undefined {
  try {
    const lines = readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n");
    return {
      pid: Number(lines[0]),
      socketFolder: lines[4]?.trim() ?? "",
      status: lines[7]?.trim() ?? "starting",
    };
  } catch {
    return undefined;
  }
}

/** Returns whether the process is the postmaster of this data folder. The pid alone may have been reused. */
export function isPostmaster(pid: number, dataDir: string): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return commandLine.includes("postgres") && readlinkSync(`/proc/${pid}/cwd`) === dataDir;
  } catch {
    return false;
  }
}

const settingsOf = (start: PostmasterStart): string[] => [
  `shared_buffers=${sharedBuffersMb(memoryBytes())}MB`,
  "listen_addresses=",
  "unix_socket_permissions=0700",
  "max_connections=100",
  "fsync=on",
  "full_page_writes=on",
  "synchronous_commit=on",
  "timezone=UTC",
  "log_timezone=UTC",
  "log_min_messages=warning",
  "log_checkpoints=off",
  // A plan that was made for an empty table lasts until the table is analyzed, so autovacuum looks often.
  "autovacuum_naptime=5s",
  // To analyze or vacuum a table ends every cached plan that uses it, on each connection. Below these numbers of changed
  // rows that costs more than it brings (docs/internals/query-plans.md).
  "autovacuum_analyze_threshold=3000",
  "autovacuum_vacuum_threshold=5000",
  "autovacuum_vacuum_insert_threshold=20000",
  // Compilation does not make short statements faster.
  "jit=off",
  ...(start.settings ?? []),
];

export interface PostmasterStart {
  readonly postgres: string;
  readonly dataDir: string;
  readonly socketFolder: string;
  readonly user: OperatingUser | undefined;
  /** Settings of PostgreSQL that override those of the service, each as `name=value`. */
  readonly settings?: readonly string[] | undefined;
}

export interface StartedPostmaster {
  readonly pid: number | undefined;
  /** Returns why the server ended, with its last log lines. Returns undefined while it runs. */
  ended(): string | undefined;
}

/**
 * Starts the postmaster in a session of its own, so that Ctrl-C in the service's terminal does not reach it.
 */
export function spawnPostmaster(start: PostmasterStart): StartedPostmaster {
  const { dataDir, socketFolder, user } = start;
  boundServerLog(dataDir, user);
  const logFile = serverLogOf(dataDir);
  const logStart = existsSync(logFile) ? statSync(logFile).size : 0;
  const log = openSync(logFile, "a", 0o600);
  chownTo(user, logFile);
  const settings = settingsOf(start).flatMap((setting) => ["-c", setting]);
  const child = spawn(
    start.postgres,
    ["-D", dataDirArgument(dataDir, user), "-k", socketFolder, "-p", "5432", ...settings],
    {
      ...user,
      cwd: dataDir,
      detached: true,
      stdio: ["ignore", log, log],
      env: PROGRAM_ENVIRONMENT,
    },
  );
  closeSync(log);
  child.unref();
  let reason: string | undefined;
  child.on("exit", (code, signal) => {
    reason = `PostgreSQL ended (${signal ?? code}).`;
  });
  child.on("error", (error) => {
    reason = `PostgreSQL did not start: ${error.message}`;
  });
  return {
    pid: child.pid,
    ended: () => reason && `${reason} ${readLogTail(logFile, logStart)}`.trim(),
  };
}

/** Returns the end of the log since the server was started. Returns no text when the folder was removed. */
function readLogTail(logFile: string, logStart: number): string {
  if (!existsSync(logFile)) return "";
  return readFileSync(logFile).subarray(logStart).toString().slice(-1500).trim();
}
