import { setTimeout as sleep } from "node:timers/promises";
import { ADVISORY_LOCKS } from "../storage/postgres/advisory-locks.ts";
import { type ConnectionLock, tryConnectionLock } from "../storage/postgres/connection-lock.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";
import { readPidFile } from "./pid-file.ts";
import { StartError } from "./start-error.ts";

/** A service that was killed, or whose npm was killed, ends within this time. */
const WAIT_MS = 4_000;
/** A service whose file says that it is stopping gets more time. */
const WAIT_STOPPING_MS = 20_000;
const RETRY_MS = 200;

export interface DataFolderLock {
  /**
   * Ends the lock. Where the database's server stops too, it stops first, because nobody may get the lock on a server that is
   * about to stop.
   */
  release(stopServer?: () => Promise<void>): Promise<void>;
}

export interface LockOptions {
  readonly dataDir: string;
  /** Called when the lock ended with its connection and another service has taken it. */
  readonly lost: (error: Error) => void;
  readonly waitMs?: number;
}

/**
 * Locks the data folder for one service. The lock is held on a connection of its own, so it ends with the
 * process, however the process ends. A restart of the database releases the lock. It is then taken again.
 */
export async function lockDataFolder(
  connection: DatabaseOptions,
  options: LockOptions,
): Promise<DataFolderLock> {
  let released = false;
  let lock: ConnectionLock | undefined;
  const take = async (taken: ConnectionLock): Promise<void> => {
    if (released) return taken.release();
    lock = taken;
    lock.onEnd(() => {
      if (!released) void takeAgain().catch(options.lost);
    });
  };
  const takeAgain = async (): Promise<void> => {
    while (!released) {
      const taken = await waitForLock(connection, options).catch((error: Error) => {
        // The database may be away for longer than a start would wait.
        if (error instanceof StartError) throw error;
      });
      if (taken !== undefined) return take(taken);
    }
  };
  await take(await waitForLock(connection, options));
  return {
    release: async (stopServer) => {
      released = true;
      await stopServer?.();
      await lock?.release();
    },
  };
}

async function waitForLock(
  connection: DatabaseOptions,
  options: LockOptions,
): Promise<ConnectionLock> {
  const { dataDir, waitMs = WAIT_MS } = options;
  const startMs = performance.now();
  let untilMs = startMs + waitMs;
  for (;;) {
    const lock = await tryConnectionLock(connection, ADVISORY_LOCKS.service);
    if (lock !== undefined && !(lock instanceof Error)) return lock;
    // When the holder has ended, the server must start again.
    if (readPidFile(dataDir)?.state === "stopping") {
      untilMs = Math.min(performance.now(), startMs + WAIT_STOPPING_MS) + waitMs;
    }
    if (performance.now() > untilMs) throw lock ?? alreadyRuns(dataDir);
    await sleep(RETRY_MS);
  }
}

function alreadyRuns(dataDir: string): StartError {
  const holder = readPidFile(dataDir);
  const who = holder ? ` (process ${holder.pid}, ${holder.address})` : "";
  const how = holder ? `Stop it with: kill ${holder.pid}` : "Stop it first";
  return new StartError(
    `Another service runs on the data folder ${dataDir} already${who}. ${how} — or start this ` +
      "one with another EXCHANGE_DATA_DIR, PORT, SHOP_PORT and EXCHANGE_CONSOLE_PORT.",
  );
}
