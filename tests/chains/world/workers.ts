import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { vi } from "vitest";
import type { Failpoint } from "../../../apps/server/src/failpoints.ts";
import type { RunningService } from "../../../apps/server/src/main.ts";
import { endLeases } from "../../../apps/server/src/storage/jobs/leases.ts";
import { type Database, statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { ROOT } from "../../support/service/service.ts";

const MAIN = path.join(ROOT, "apps/server/dist/main.js");

const END_SCANNING = statement(
  "test_end_scanning",
  "update chain_cursors set leased_until = null, lease_token = null",
);

/** A worker in a process of its own. */
export interface Worker {
  /** Resolves with the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;
  hasEnded(): boolean;
  /** Kills it, as `kill -9` does, and waits for its end. */
  kill(): Promise<void>;
}

/** The workers of one test, of which one runs at a time. */
export interface Workers {
  /** Starts a worker when the leases of dead ones were ended. It may be doomed at a failpoint. */
  start(failpoint?: Failpoint): Promise<Worker>;
  killAll(): Promise<void>;
}

/** Runs a worker until its scanner has read the hot wallet. Nobody is quoted a coin before. */
export async function readStock(workers: Workers, { deps }: RunningService): Promise<void> {
  const worker = await workers.start();
  await vi.waitFor(
    () => {
      const stock = [...deps.controls().stock.values()];
      if (!stock.some((units) => units > 0n)) throw new Error("no stock");
    },
    { timeout: 60_000, interval: 100 },
  );
  await worker.kill();
}

/** Ends the leases of dead workers. Otherwise the next one waits a minute for the scanner's lease. */
export async function endLeasesOfDead(database: Database): Promise<void> {
  await endLeases(database);
  await database.query(END_SCANNING);
}

/** Makes workers on the database of a service whose API is in the test's own process. */
export function makeWorkers(variables: NodeJS.ProcessEnv, database: Database): Workers {
  const running = new Set<ChildProcess>();
  return {
    start: async (failpoint) => {
      await endLeasesOfDead(database);
      const child = spawn(process.execPath, [MAIN], {
        stdio: "ignore",
        env: {
          ...process.env,
          ...variables,
          EXCHANGE_ROLE: "worker",
          ...(failpoint && { EXCHANGE_FAILPOINT: failpoint }),
        },
      });
      running.add(child);
      const ended = once(child, "exit").then(([, signal]) => {
        running.delete(child);
        return signal as NodeJS.Signals | null;
      });
      return {
        ended,
        hasEnded: () => !running.has(child),
        kill: async () => {
          child.kill("SIGKILL");
          await ended;
        },
      };
    },
    killAll: async () => {
      for (const child of running) child.kill("SIGKILL");
      while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}
