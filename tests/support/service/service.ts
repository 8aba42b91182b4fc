import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, type Running, run } from "./processes.ts";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A running service: its address, and the settings with which the command line reaches it. */
export interface Service {
  readonly url: string;
  readonly shopUrl: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface StartedService extends Service {
  readonly process: Running;
  /** Stops it as Ctrl-C does, and resolves with the exit code. */
  stop(): Promise<number | string>;
  /** Stops it and deletes its data. */
  discard(): Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly command?: readonly string[];
}

const START_COMMAND = [process.execPath, "tools/start.mjs"];

/** Returns settings for a new service: free ports, an empty data folder, no inherited settings. */
export async function serviceSettings(options: ServiceOptions = {}): Promise<{
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
}> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), "exchange-data-")));
  const { DATABASE_URL: _databaseUrl, ...inherited } = process.env;
  const own = Object.fromEntries(
    Object.entries(inherited).filter(([name]) => !/^(EXCHANGE_|VITEST|NODE_ENV$)/.test(name)),
  );
  const ports = { PORT: String(await freePort()), SHOP_PORT: String(await freePort()) };
  // A test of the console names a free port of its own.
  const noConsole = { EXCHANGE_CONSOLE_PORT: "0" };
  return {
    dataDir,
    env: { ...own, ...ports, ...noConsole, EXCHANGE_DATA_DIR: dataDir, ...options.env },
  };
}

/** Starts the service as `npm start` does and waits until it says that it is ready. */
export async function startService(options: ServiceOptions = {}): Promise<StartedService> {
  const { dataDir, env } = await serviceSettings(options);
  const running = run(options.command ?? START_COMMAND, { cwd: ROOT, env });
  const [, url = `http://localhost:${env["PORT"]}`] = await running
    .waitFor(/^ready(?: (http:\/\/localhost:\d+))?\n/m)
    .catch((error) => {
      running.signalGroup("SIGKILL");
      throw error;
    });
  const stop = (): Promise<number | string> => {
    running.signal("SIGINT");
    return running.exited;
  };
  return {
    url,
    shopUrl: `http://localhost:${env["SHOP_PORT"]}`,
    dataDir,
    env,
    process: running,
    stop,
    discard: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
