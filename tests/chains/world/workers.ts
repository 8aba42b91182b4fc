import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { vi } from "vitest";
import { readConfig } from "../../../apps/server/src/config.ts";
import type { Failpoint } from "../../../apps/server/src/failpoints.ts";
import { type RunningService, startService } from "../../../apps/server/src/main.ts";
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
  /**
   * Lets another worker go on where a killed one ended, until the work is done. It runs in this process, which has
   * loaded and compiled the service already: the start of a process takes several times as long.
   */
  goOn(work: () => Promise<unknown>): Promise<void>;
  killAll(): Promise<void>;
}

/** Runs a worker until its scanner has read the hot wallet. Nobody is quoted a coin before. */
export async function readStock(workers: Workers, { deps }: RunningService): Promise<void> {
  const hasStock = (): void => {
    const stock = [...deps.controls().stock.values()];
    if (!stock.some((units) => units > 0n)) throw new Error("no stock");
  };
  await workers.goOn(() => vi.waitFor(hasStock, { timeout: 60_000, interval: 100 }));
}

/** Ends the leases of dead workers. Otherwise the next one waits a minute for the scanner's lease. */
export async function endLeasesOfDead(database: Database): Promise<void> {
  await endLeases(database);
  await database.query(END_SCANNING);
}

/** A service listens for errors that nothing handles as long as its process lives. Returns the function that ends that. */
function keepListeners(): () => void {
  const events = ["uncaughtException", "unhandledRejection"];
  const before = new Set(events.flatMap((event) => process.rawListeners(event)));
  return () => {
    for (const event of events) {
      for (const listener of process.rawListeners(event)) {
        if (!before.has(listener)) process.off(event, listener as () => void);
      }
    }
  };
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
    goOn: async (work) => {
      await endLeasesOfDead(database);
      const config = readConfig({ ...variables, EXCHANGE_ROLE: "worker" });
      const restore = keepListeners();
      const worker = await startService(config, { progress: () => {} });
      await work().finally(() => worker.stop());
      restore();
    },
    killAll: async () => {
      for (const child of running) child.kill("SIGKILL");
      while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}
