import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import type { Deps } from "../flows/deps.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";
import { StartError } from "./start-error.ts";

/** What a process that answers requests has to know besides its settings. */
export interface ApiProcessTask {
  readonly port: number;
  readonly publicUrl: string;
  readonly connection: DatabaseOptions;
}

/** Where it finds that. */
export const TASK_VARIABLE = "API_PROCESS_TASK";

/** What it tells the main process. */
export type ApiProcessNews =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly message: string };

export interface Front extends ApiProcessTask {
  readonly config: Pick<Config, "apiProcesses" | "databaseUrl">;
}

const PROGRAM = fileURLToPath(new URL("./api-process.js", import.meta.url));
/** The embedded PostgreSQL takes 100 connections; some are left for the command line. */
const EMBEDDED_CONNECTIONS = 90;
const POOL_SIZE_MAX = 16;
/** One that dies at once again and again is started less and less often. */
const RESTART_MS = { first: 100, max: 10_000, livedLongMs: 10_000 };

/**
 * Starts the processes that share the port, and one in place of each that dies. Gives what ends them:
 * each finishes its requests.
 */
export async function startApiProcesses(
  front: Front,
  log: Deps["log"],
): Promise<() => Promise<void>> {
  cluster.setupPrimary({ exec: PROGRAM, args: [] });
  const { port, publicUrl } = front;
  const task: ApiProcessTask = { port, publicUrl, connection: connectionOf(front) };
  const running = new Set<Worker>();
  let isStopping = false;

  const start = async (): Promise<void> => {
    const worker = cluster.fork({ [TASK_VARIABLE]: JSON.stringify(task) });
    const startedAt = performance.now();
    running.add(worker);
    // What cannot be sent to one that just died is told by its exit.
    worker.on("error", () => {});
    worker.once("exit", (code, signal) => {
      running.delete(worker);
      if (isStopping) return;
      log.error({ code, signal }, "a process that answers requests died; another is started");
      restart(performance.now() - startedAt);
    });
    const [news] = (await Promise.race([
      once(worker, "message"),
      once(worker, "exit").then(() => [{ kind: "failed", message: "An API process ended." }]),
    ])) as [ApiProcessNews];
    if (news.kind === "failed") throw new StartError(news.message);
  };
  let delayMs = RESTART_MS.first;
  const restart = (livedMs: number): void => {
    delayMs = livedMs > RESTART_MS.livedLongMs ? RESTART_MS.first : delayMs * 2;
    const timer = setTimeout(
      () => {
        if (!isStopping) start().catch((error: Error) => log.error({ err: error }, error.message));
      },
      Math.min(delayMs, RESTART_MS.max),
    );
    timer.unref();
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    await Promise.all([...running].map(end));
  };
  try {
    await Promise.all(Array.from({ length: front.config.apiProcesses }, start));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** Its channel closes, and it ends when its requests are answered. */
async function end(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  if (worker.isDead()) return;
  if (worker.isConnected()) worker.disconnect();
  await ended;
}

function connectionOf({ config, connection }: Front): DatabaseOptions {
  if (config.databaseUrl !== undefined) return connection;
  const share = Math.floor(EMBEDDED_CONNECTIONS / (config.apiProcesses + 1));
  return { ...connection, poolSize: Math.min(share, POOL_SIZE_MAX) };
}
