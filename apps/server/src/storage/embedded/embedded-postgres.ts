import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseOptions } from "../postgres/database.ts";
import { findBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { makeSocketFolder } from "./folders.ts";
import { chooseOperatingUser } from "./operating-user.ts";
import {
  isPostmaster,
  type PostmasterStart,
  readPostmasterFile,
  spawnPostmaster,
} from "./postmaster.ts";
import { boundServerLog } from "./server-log.ts";

export interface EmbeddedPostgresOptions {
  /** PostgreSQL's own folder; made when missing. */
  readonly dataDir: string;
  readonly log?: (message: string) => void;
  /** Of PostgreSQL, `name=value`, over the service's own: for who loads a database or measures one. */
  readonly settings?: readonly string[] | undefined;
}

export interface EmbeddedPostgres {
  readonly connection: DatabaseOptions;
  readonly pid: () => number;
  /** True when the server was running already, left behind by a service that was killed. */
  readonly attached: boolean;
  /** Ends the server cleanly, also one we found running. */
  stop(): Promise<void>;
  /** Leaves the server running and only stops watching it. */
  release(): void;
}

const START_TIMEOUT_MS = 60_000;
const WATCH_INTERVAL_MS = 250;
/** A killed server's children hold its memory and its lock file for a moment. */
const PASSING_TROUBLE = /pre-existing shared memory block|lock file .* already exists/;

/**
 * Starts the PostgreSQL that comes with the npm packages, on a unix socket only, or re-attaches to
 * one that still runs on this folder. While we run it is watched and started again when it dies.
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
  mkdirSync(parent, { recursive: true, mode: 0o755 });
  // The real path: the kernel reports a process's folder so.
  const realDataDir = join(realpathSync(parent), basename(dataDir));
  const user = chooseOperatingUser(realDataDir);
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
      // Somebody cleaned the temporary folder: a server without its socket cannot be reached.
      if (isReady) await stopPostmaster(found.pid, start.dataDir);
      await sleep(10); // It is starting or stopping: wait for the end of that.
      continue;
    }
    const started = await startPostmaster(start, deadline);
    if (started !== undefined) return started;
    await sleep(100);
  }
  throw new Error(`PostgreSQL did not start within a minute; see ${start.dataDir}/server.log.`);
}

const hasSocket = (folder: string): boolean => existsSync(join(folder, ".s.PGSQL.5432"));

/** Undefined when another server's remains were in the way, which passes. */
async function startPostmaster(
  start: PostmasterStart,
  deadline: number,
): Promise<RunningPostmaster | undefined> {
  const postmaster = spawnPostmaster(start);
  while (performance.now() < deadline) {
    const reason = postmaster.ended();
    if (reason !== undefined) {
      if (PASSING_TROUBLE.test(reason)) return undefined;
      throw new Error(reason);
    }
    const file = readPostmasterFile(start.dataDir);
    if (file !== undefined && file.pid === postmaster.pid && file.status === "ready") {
      return { ...file, attached: false };
    }
    await sleep(5);
  }
  return undefined;
}

/** SIGINT is PostgreSQL's fast shutdown: connections are ended, everything is on disk. */
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
  const timer = setInterval(() => {
    if (restart !== undefined) return;
    if (isPostmaster(watched.pid(), start.dataDir)) {
      boundServerLog(start.dataDir, start.user);
      return;
    }
    watched.log("PostgreSQL has ended while the service runs; starting it again");
    restart = attachOrStart(start)
      .then(watched.restarted)
      .then(() => watched.log("PostgreSQL runs again"))
      .catch((error: Error) => watched.log(error.message))
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
