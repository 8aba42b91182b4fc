import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";

/** The time between the order to stop and the closing of the port, in which balancers look elsewhere. */
export interface Draining {
  readonly isDraining: () => boolean;
  /** Adds a function that begins the draining of another process. */
  add(begin: () => void): void;
  /** Makes the readiness red, and waits until the port may be closed. */
  begin(config: Pick<Config, "drainSeconds" | "role">): Promise<void>;
}

export function makeDraining(): Draining {
  let isDraining = false;
  const others: (() => void)[] = [];
  return {
    isDraining: () => isDraining,
    add: (begin) => void others.push(begin),
    begin: async ({ drainSeconds, role }) => {
      isDraining = true;
      for (const begin of others) begin();
      // Nobody sends requests to a worker.
      if (role !== "worker") await sleep(drainSeconds * 1_000);
    },
  };
}
