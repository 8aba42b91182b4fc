import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import type { Deps } from "../flows/deps.ts";
import type { Samples } from "../metrics/metrics.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";
import { askForMetrics } from "./api-metrics.ts";
import { StartError } from "./start-error.ts";

/** The data that an API process needs besides its settings. */
export interface ApiProcessTask {
  readonly port: number;
  readonly publicUrl: string;
  readonly demo?: Deps["demo"];
  readonly connection: DatabaseOptions;
}

/** The environment variable that holds the task as JSON. */
export const TASK_VARIABLE = "API_PROCESS_TASK";

/** The message that it sends to the main process once. */
export type ApiProcessState =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly message: string };

/** The message that the main process sends when it was told to stop. */
export const DRAIN = "drain";

export interface Front extends ApiProcessTask {
  readonly config: Pick<Config, "apiProcesses" | "databaseUrl" | "databaseConnections">;
}

const PROGRAM = fileURLToPath(new URL("./api-process.js", import.meta.url));
/** The embedded PostgreSQL accepts 100 connections. Some are reserved for the command line. */
const EMBEDDED_CONNECTIONS = 90;
/** The delay doubles while a process dies early again and again. */
const RESTART_MS = { first: 100, max: 10_000, livedLongMs: 10_000 };

export interface ApiProcesses {
  drain(): void;
  /** Stops them after they have finished their requests. */
  stop(): Promise<void>;
  /** Returns the samples of all that answer, and of each kind of metric. */
  readMetrics(): Promise<Samples>;
}

/** Starts the API processes, and replaces each one that dies. */
export async function startApiProcesses(front: Front, log: Deps["log"]): Promise<ApiProcesses> {
  cluster.setupPrimary({ exec: PROGRAM, args: [] });
  const { port, publicUrl, demo } = front;
  const task: ApiProcessTask = { port, publicUrl, demo, connection: connectionOf(front) };
  const running = new Set<Worker>();
  let isStopping = false;

  const start = async (): Promise<void> => {
    const worker = cluster.fork({ [TASK_VARIABLE]: JSON.stringify(task) });
    const startedAt = performance.now();
    running.add(worker);
    // A send to a process that just died fails. Its exit event reports the death.
    worker.on("error", () => {});
    worker.once("exit", (code, signal) => {
      running.delete(worker);
      if (isStopping) return;
      log.error({ code, signal }, "API process died, starting another");
      restart(performance.now() - startedAt);
    });
    const [state] = (await Promise.race([
      firstState(worker),
      once(worker, "exit").then(() => [
        {
          kind: "failed",
          message: "An API process ended before it was ready. Lines above may say why.",
        },
      ]),
    ])) as [ApiProcessState];
    if (state.kind === "failed") throw new StartError(state.message);
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
    await Promise.all([...running].map(stopWorker));
  };
  try {
    await Promise.all(Array.from({ length: front.config.apiProcesses }, start));
  } catch (error) {
    await stop();
    throw error;
  }
  const drain = (): void => {
    for (const worker of running) worker.send(DRAIN);
  };
  return {
    drain,
    stop,
    readMetrics: async () => (await Promise.all([...running].map(askForMetrics))).flat(2),
  };
}

/** Resolves with the first message about its state. It may answer questions about metrics before. */
const firstState = (worker: Worker): Promise<[ApiProcessState]> =>
  new Promise((resolve) => {
    const take = (message: ApiProcessState | { readonly kind: "metrics" }): void => {
      if (message.kind === "metrics") return;
      worker.off("message", take);
      resolve([message]);
    };
    worker.on("message", take);
  });

/** Closes the channel of the process. It ends when its requests are answered. */
async function stopWorker(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  if (worker.isDead()) return;
  if (worker.isConnected()) worker.disconnect();
  await ended;
}

function connectionOf({ config, connection }: Front): DatabaseOptions {
  if (config.databaseUrl !== undefined) return connection;
  const share = Math.floor(EMBEDDED_CONNECTIONS / (config.apiProcesses + 1));
  const connections = Math.min(share, config.databaseConnections);
  // The watch of each process has a connection of its own.
  return { ...connection, poolSize: Math.max(1, connections - 1) };
}
