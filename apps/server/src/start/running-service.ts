import type { Config } from "../config.ts";
import type { Deps } from "../flows/deps.ts";
import type { Demo } from "./demo.ts";

/** A running service. */
export interface RunningService {
  /** The address at which it answers on this machine. */
  readonly url: string;
  readonly config: Config;
  readonly deps: Deps;
  /** Where people open the console; undefined in a process that does not serve it. */
  readonly console: RunningConsole | undefined;
  /** The demo merchant, if the start was asked for one and the role of the database may write it. */
  readonly demo: Demo | undefined;
  /** Makes the readiness red and waits until balancers send no more requests. */
  drain(): Promise<void>;
  /** Stops everything in order: requests, jobs, webhooks, connections, PostgreSQL. */
  stop(): Promise<void>;
}

export interface RunningConsole {
  readonly url: string;
  /** The link of the first operator, in `dev` until somebody has accepted it. */
  readonly firstLink: string | undefined;
}
