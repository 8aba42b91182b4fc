import type { Config } from "../config.ts";
import type { Deps } from "../flows/deps.ts";

/** A running service. */
export interface RunningService {
  /** The address at which it answers on this machine. */
  readonly url: string;
  readonly config: Config;
  readonly deps: Deps;
  /** Stops everything in order: requests, jobs, webhooks, connections, PostgreSQL. */
  stop(): Promise<void>;
}
