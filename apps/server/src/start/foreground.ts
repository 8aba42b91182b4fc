import { ConfigError, readConfig } from "../config.ts";
import { LockHeldError } from "../storage/postgres/exclusive.ts";
import { MigrationError } from "../storage/postgres/migrate.ts";
import { DatabaseUnavailable } from "../storage/postgres/unavailable.ts";
import { shopUrlOf } from "./address.ts";
import type { StartOptions } from "./compose.ts";
import type { Demo } from "./demo.ts";
import { describeMachineFault } from "./machine-faults.ts";
import type { RunningService } from "./running-service.ts";
import { printScreen } from "./screen.ts";
import { StartError } from "./start-error.ts";
import { watchParents } from "./watch-parents.ts";

export interface RunningShop {
  readonly url: string;
  stop(): Promise<void>;
}

/** Programs that the service depends on, such as the chains of `--chains local`. They run beside it. */
export interface Companions {
  /** Lines of the start screen. */
  readonly lines: readonly string[];
  /** Resolves with a sentence when one of them has ended by itself. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly startService: (
    config: RunningService["config"],
    options: StartOptions,
  ) => Promise<RunningService>;
  /** Starts the demo shop with these variables; absent, there is no shop. */
  readonly startShop?: (variables: Readonly<Record<string, string>>) => Promise<RunningShop>;
  /** Processes that were started before the service, and are stopped after it. */
  readonly companions?: Companions;
  /** The time when the whole start began, by `performance.now()`. */
  readonly startedAtMs?: number;
}

/**
 * Runs the service in the foreground of this process: prints progress and the start screen, stops cleanly
 * at Ctrl-C, and prints one sentence when the start fails.
 */
export async function runService(options: RunOptions): Promise<void> {
  const startedAtMs = options.startedAtMs ?? performance.now();
  const progress = (line: string): void => {
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    console.log(`  ${seconds.padStart(5)} s  ${line}`);
  };
  const { companions } = options;
  const starting = startAll(options, progress);
  stopAtTheEnd(starting, companions);
  try {
    const { service, shop } = await starting;
    printScreen({ service, shop, lines: companions?.lines ?? [] });
  } catch (error) {
    console.error(`\n${sentenceOf(error)}`);
    await companions?.stop();
    process.exit(1);
  }
}

interface Running {
  readonly service: RunningService;
  readonly shop: RunningShop | undefined;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

async function startAll(options: RunOptions, progress: (line: string) => void): Promise<Running> {
  const config = readConfig(process.env);
  const hasDemo = config.environment === "dev" && config.role !== "console";
  const shopUrl = options.startShop && shopUrlOf(config);
  const service = await options.startService(config, {
    progress,
    demo: hasDemo ? { shopUrl } : undefined,
  });
  try {
    const { demo } = service;
    const shop =
      demo && shopUrl ? await options.startShop?.(shopVariables(service, demo)) : undefined;
    return {
      service,
      shop,
      drain: service.drain,
      stop: async () => {
        await Promise.all([shop?.stop(), service.stop()]);
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

const shopVariables = (service: RunningService, demo: Demo): Readonly<Record<string, string>> => ({
  SHOP_PORT: String(service.config.shopPort),
  EXCHANGE_URL: `${service.url}/v1`,
  EXCHANGE_ENV: service.config.environment,
  EXCHANGE_CLIENT_ID: demo.clientId,
  EXCHANGE_API_KEY: demo.apiKey,
  EXCHANGE_WEBHOOK_SECRET: demo.webhookSecret ?? "",
});

function stopAtTheEnd(starting: Promise<Running>, companions: Companions | undefined): void {
  let stopping = false;
  const stop = (why: string, code = 0): void => {
    if (stopping) return; // npm passes Ctrl-C on, so the signal arrives twice.
    stopping = true;
    console.log(`\n${why}; stopping`);
    void starting
      .then(async (running) => {
        // A supervisor sends SIGTERM, and a balancer may stand before the service.
        if (why === "SIGTERM") await running.drain();
        await running.stop();
      })
      .then(() => companions?.stop())
      .then(
        () => process.exit(code),
        () => process.exit(1),
      );
  };
  void companions?.ended.then((why) => stop(why, 1));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stop(signal === "SIGINT" ? "Ctrl-C" : signal));
  }
  // A closed terminal must not keep the service from stopping cleanly.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  watchParents(() => stop("npm has ended"));
}

const EXPECTED = new Set([
  ConfigError.name,
  DatabaseUnavailable.name,
  LockHeldError.name,
  MigrationError.name,
  StartError.name,
]);

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Compared by name: the demo shop's error is created by plain JavaScript.
  if (EXPECTED.has(error.name)) return error.message;
  return describeMachineFault(error) ?? `The service could not start.\n${error.stack}`;
}
