import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import { startDeadline } from "../deadline.ts";
import type { Deps } from "../flows/deps.ts";
import type { Samples } from "../metrics/metrics.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";
import { makeApiSamples } from "./api-metrics.ts";
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

/** The messages that the main process sends when it was told to stop. */
export const DRAIN = "drain";
export const STOP = "stop";

export interface Front extends ApiProcessTask {
  readonly config: Pick<Config, "apiProcesses" | "databaseUrl" | "databaseConnections">;
}

const PROGRAM = fileURLToPath(new URL("./api-process.js", import.meta.url));
/** The embedded PostgreSQL accepts 100 connections. Some are reserved for the command line. */
const EMBEDDED_CONNECTIONS = 90;
/** Longer than the grace of requests in flight, and shorter than the time that the main process waits for this part. */
const STOP_MS = 8_000;
/** The delay doubles while a process dies early again and again. */
const RESTART_MS = { first: 100, max: 10_000, livedLongMs: 10_000 };

const ENDED_EARLY: ApiProcessState = {
  kind: "failed",
  message: "An API process ended before it was ready. Lines above may say why.",
};

export interface ApiProcesses {
  /** Returns whether at least one of them listens. */
  isListening(): boolean;
  drain(): void;
  /** Stops them after they have finished their requests. */
  stop(): Promise<void>;
  /** Returns the samples of all that answer, and the counts of the others and of those that have ended. */
  readMetrics(): Promise<Samples>;
}

/** Starts the API processes, and replaces each one that dies. */
export async function startApiProcesses(
  front: Front,
  log: Deps["log"],
  program = PROGRAM,
): Promise<ApiProcesses> {
  cluster.setupPrimary({ exec: program, args: [] });
  const { port, publicUrl, demo } = front;
  const task: ApiProcessTask = { port, publicUrl, demo, connection: connectionOf(front) };
  const running = new Set<Worker>();
  const listening = new Set<Worker>();
  const samples = makeApiSamples();
  let isStopping = false;

  const start = async (): Promise<void> => {
    const worker = cluster.fork({ [TASK_VARIABLE]: JSON.stringify(task) });
    const startedAt = performance.now();
    running.add(worker);
    // A send to a process that just died fails. Its exit event reports the death.
    worker.on("error", () => {});
    worker.once("exit", (code, signal) => {
      running.delete(worker);
      listening.delete(worker);
      samples.noteEnd(worker);
      if (isStopping) return;
      log.error({ code, signal }, "API process died, starting another");
      restart(performance.now() - startedAt);
    });
    const state = await firstState(worker);
    if (state.kind === "failed") throw new StartError(state.message);
    if (running.has(worker)) listening.add(worker);
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
  return {
    isListening: () => listening.size > 0,
    drain: () => running.forEach((worker) => worker.send(DRAIN)),
    stop,
    readMetrics: () => samples.read(running),
  };
}

/** Resolves with the first message about its state, or when it ends. It may answer questions about metrics before. */
const firstState = (worker: Worker): Promise<ApiProcessState> =>
  new Promise((resolve) => {
    const take = (message: ApiProcessState | { readonly kind: "metrics" }): void => {
      if (message.kind === "metrics") return;
      worker.off("message", take);
      resolve(message);
    };
    worker.on("message", take);
    worker.once("exit", () => resolve(ENDED_EARLY));
  });

/**
 * Ends the process, which gives requests in flight their grace and ends its event streams. It is killed if it takes too long.
 * A closed channel would not do: Node closes it once every connection has ended, and a stream lives for minutes.
 */
async function stopWorker(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  if (worker.isDead()) return;
  if (worker.isConnected()) worker.send(STOP);
  const deadline = startDeadline(STOP_MS, () => void worker.process.kill("SIGKILL"));
  await ended.finally(() => deadline.stop());
}

function connectionOf({ config, connection }: Front): DatabaseOptions {
  if (config.databaseUrl !== undefined) return connection;
  const share = Math.floor(EMBEDDED_CONNECTIONS / (config.apiProcesses + 1));
  const connections = Math.min(share, config.databaseConnections);
  // The watch of each process has a connection of its own.
  return { ...connection, poolSize: Math.max(1, connections - 1) };
}
