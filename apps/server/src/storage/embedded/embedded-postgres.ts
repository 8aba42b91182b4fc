import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseOptions } from "../postgres/database.ts";
import { findBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { makeDataFolder, makeSocketFolder } from "./folders.ts";
import { chooseOperatingUser } from "./operating-user.ts";
import {
  isPostmaster,
  type PostmasterStart,
  readPostmasterFile,
  spawnPostmaster,
} from "./postmaster.ts";
import { boundServerLog } from "./server-log.ts";
import { explainStart } from "./start-faults.ts";

export interface EmbeddedPostgresOptions {
  /** PostgreSQL's data folder. It is created if it is missing. */
  readonly dataDir: string;
  readonly log?: (message: string) => void;
  /**
   * Settings of PostgreSQL as `name=value`. They override the service's own, for bulk loads and
   * measurements.
   */
  readonly settings?: readonly string[] | undefined;
}

export interface EmbeddedPostgres {
  readonly connection: DatabaseOptions;
  readonly pid: () => number;
  /** True when the server was already running because an earlier service was killed. */
  readonly attached: boolean;
  /** Ends the server cleanly, even if this process only attached to it. */
  stop(): Promise<void>;
  /** Stops watching the server and leaves it running. */
  release(): void;
}

const START_TIMEOUT_MS = 60_000;
const WATCH_INTERVAL_MS = 250;
/** The pause after a failed restart. It doubles, so a full disk does not fill the log too. */
const RESTART_PAUSE_MS = { first: 250, max: 10_000 } as const;
/** The children of a killed server hold its shared memory and its lock file for a moment. */
const TRANSIENT_ERROR = /pre-existing shared memory block|lock file .* already exists/;

/**
 * Starts the PostgreSQL that comes with the npm packages, on a unix socket only. Attaches to it instead if it
 * still runs on this folder. While the service runs, it watches the server and starts it again when it ends.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const start = await prepare(options);
  let running = await attachOrStart(start);
  const watch = watchPostmaster(start, {
    pid: () => running.pid,
    log,
    restarted: (again) => {
      running = again;
    },
  });
  return {
    connection: { host: running.socketFolder, port: 5432, user: "postgres", database: "postgres" },
    pid: () => running.pid,
    attached: running.attached,
    stop: async () => {
      await watch.stop();
      await stopPostmaster(running.pid, start.dataDir);
    },
    release: () => void watch.stop(),
  };
}

async function prepare({ dataDir, settings }: EmbeddedPostgresOptions): Promise<PostmasterStart> {
  const parent = dirname(resolve(dataDir));
  makeDataFolder(parent);
  // The kernel reports the real path as a process's folder.
  const realDataDir = join(realpathSync(parent), basename(dataDir));
  const user = chooseOperatingUser(realDataDir);
  makeDataFolder(parent, user);
  const binaries = findBinaries(user);
  await ensureCluster(realDataDir, binaries, user);
  const socketFolder = makeSocketFolder(realDataDir, user);
  return { postgres: binaries.postgres, dataDir: realDataDir, socketFolder, user, settings };
}

interface RunningPostmaster {
  readonly pid: number;
  readonly socketFolder: string;
  readonly attached: boolean;
}

async function attachOrStart(start: PostmasterStart): Promise<RunningPostmaster> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const found = readPostmasterFile(start.dataDir);
    if (found !== undefined && isPostmaster(found.pid, start.dataDir)) {
      const isReady = found.status === "ready";
      if (isReady && hasSocket(found.socketFolder)) return { ...found, attached: true };
      // The temporary folder was cleaned, and a server without its socket cannot be reached.
      if (isReady) await stopPostmaster(found.pid, start.dataDir);
      await sleep(10); // The server is starting or stopping.
      continue;
    }
    const started = await startPostmaster(start, deadline);
    if (started !== undefined) return started;
    await sleep(100);
  }
  throw new Error(
    `PostgreSQL did not start within ${START_TIMEOUT_MS / 1000} seconds. Read ${start.dataDir}/server.log.`,
  );
}

const hasSocket = (folder: string): boolean => existsSync(join(folder, ".s.PGSQL.5432"));

/** Returns undefined when the remains of another server were in the way, which ends by itself. */
async function startPostmaster(
  start: PostmasterStart,
  deadline: number,
): Promise<RunningPostmaster | undefined> {
  const postmaster = spawnPostmaster(start);
  while (performance.now() < deadline) {
    const reason = postmaster.ended();
    if (reason !== undefined) {
      if (TRANSIENT_ERROR.test(reason)) return undefined;
      throw new Error(explainStart(reason, start.dataDir));
    }
    const file = readPostmasterFile(start.dataDir);
    if (file !== undefined && file.pid === postmaster.pid && file.status === "ready") {
      return { ...file, attached: false };
    }
    await sleep(5);
  }
  return undefined;
}

/**
 * Stops the server by SIGINT, PostgreSQL's fast shutdown: it ends all connections and writes all data to
 * disk.
 */
async function stopPostmaster(pid: number, dataDir: string): Promise<void> {
  if (!isPostmaster(pid, dataDir)) return;
  process.kill(pid, "SIGINT");
  while (isPostmaster(pid, dataDir)) await sleep(5);
}

function watchPostmaster(
  start: PostmasterStart,
  watched: {
    readonly pid: () => number;
    readonly log: (message: string) => void;
    readonly restarted: (running: RunningPostmaster) => void;
  },
): { stop(): Promise<void> } {
  let restart: Promise<void> | undefined;
  let pauseMs: number = RESTART_PAUSE_MS.first;
  let notBeforeMs = 0;
  const timer = setInterval(() => {
    if (restart !== undefined || performance.now() < notBeforeMs) return;
    if (isPostmaster(watched.pid(), start.dataDir)) {
      boundServerLog(start.dataDir, start.user);
      return;
    }
    watched.log("PostgreSQL ended while the service was running; starting it again");
    restart = attachOrStart(start)
      .then((running) => {
        pauseMs = RESTART_PAUSE_MS.first;
        watched.restarted(running);
        watched.log("PostgreSQL is running again");
      })
      .catch((error: Error) => {
        watched.log(error.message);
        notBeforeMs = performance.now() + pauseMs;
        pauseMs = Math.min(pauseMs * 2, RESTART_PAUSE_MS.max);
      })
      .finally(() => {
        restart = undefined;
      });
  }, WATCH_INTERVAL_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await restart;
    },
  };
}
