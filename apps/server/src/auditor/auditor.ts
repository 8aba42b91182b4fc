import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../flows/deps.ts";
import { releaseAudit } from "../storage/audit/progress.ts";
import { auditOnce } from "./pass.ts";
import { newAuditor } from "./state.ts";

const INTERVAL_MS = 2_000;

export interface Auditor {
  /** Whether this process holds the lease, also while its passes fail: then its gauges say so. */
  isAuditor(): boolean;
  /** Finishes the running pass, and releases the lease so that another process can be the auditor. */
  stop(): Promise<void>;
}

/** Starts the auditor. Of all processes that share the database, one at a time makes the passes. */
export function startAuditor(deps: Deps): Auditor {
  const state = newAuditor(deps.ids.uuid());
  const stopped = new AbortController();
  const pass = async (): Promise<void> => {
    const end = deps.metrics.auditSeconds.startTimer();
    if (await auditOnce(deps, state)) end();
  };
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      deps.beat?.("audit");
      await pass().catch((error: unknown) => {
        deps.log.warn({ err: error }, "audit pass failed, retrying");
      });
      // Aborting ends the pause early, with an error that says nothing more.
      await sleep(INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
    state.stopping = true;
    await state.ledgerCheck;
    await releaseAudit(deps.database, state.token).catch(() => {});
  };
  const finished = loop();
  return {
    isAuditor: () => state.holdsLease,
    stop: () => {
      stopped.abort();
      return finished;
    },
  };
}
