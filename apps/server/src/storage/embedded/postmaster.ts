import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRunning, PROGRAM_ENVIRONMENT } from "./cluster.ts";
import { dataDirArgument } from "./folders.ts";
import { giveTo, type OperatingUser } from "./operating-user.ts";
import { boundServerLog, serverLogOf } from "./server-log.ts";
import { memoryBytes, sharedBuffersMb } from "./shared-buffers.ts";

/** What the postmaster writes into its pid file. We read it and never delete it: it guards the data. */
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

/** Whether the process is the postmaster of this data folder: a pid alone may have been given anew. */
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
  // A plan made while a table was empty is kept until the table is analyzed: soon, while it is young.
  "autovacuum_naptime=5s",
  // Short statements gain nothing from compiling.
  "jit=off",
  ...(start.settings ?? []),
];

export interface PostmasterStart {
  readonly postgres: string;
  readonly dataDir: string;
  readonly socketFolder: string;
  readonly user: OperatingUser | undefined;
  /** These win over our own. */
  readonly settings?: readonly string[] | undefined;
}

export interface StartedPostmaster {
  readonly pid: number | undefined;
  /** Why it ended, with its last words; undefined while it runs. */
  ended(): string | undefined;
}

/** Starts the postmaster in a session of its own: Ctrl-C in our terminal must not reach it first. */
export function spawnPostmaster(start: PostmasterStart): StartedPostmaster {
  const { dataDir, socketFolder, user } = start;
  boundServerLog(dataDir, user);
  const logFile = serverLogOf(dataDir);
  const logStart = existsSync(logFile) ? statSync(logFile).size : 0;
  const log = openSync(logFile, "a", 0o600);
  giveTo(user, logFile);
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
    ended: () => reason && `${reason} ${lastWords(logFile, logStart)}`.trim(),
  };
}

/** What the server wrote since it was started; nothing once its folder is gone. */
function lastWords(logFile: string, logStart: number): string {
  if (!existsSync(logFile)) return "";
  return readFileSync(logFile).subarray(logStart).toString().slice(-1500).trim();
}
