import type { Deps } from "../flows/deps.ts";
import { releaseAudit } from "../storage/audit/progress.ts";
import { auditOnce } from "./pass.ts";
import { newAuditor } from "./state.ts";

const INTERVAL_MS = 2_000;

export interface Auditor {
  /** Ends the look that is under way and lets another process be the auditor. */
  stop(): Promise<void>;
}

/** Looks at the books again and again, in one process of all that share the database. */
export function startAuditor(deps: Deps): Auditor {
  const state = newAuditor(deps.ids.uuid(), new Date());
  let stopping = false;
  let wakeUp: () => void = () => {};
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, INTERVAL_MS);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const loop = async (): Promise<void> => {
    while (!stopping) {
      await auditOnce(deps, state).catch((error: unknown) => {
        deps.log.warn({ err: error }, "the audit could not look; it will again");
      });
      if (!stopping) await pause();
    }
    state.stopping = true;
    await state.books;
    await releaseAudit(deps.database, state.token).catch(() => {});
  };
  const finished = loop();
  return {
    stop: () => {
      stopping = true;
      wakeUp();
      return finished;
    },
  };
}
