import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { advanceBusinessClock } from "../../storage/installation.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";

export interface AdvancedClock {
  readonly businessNow: Date;
  /** The seconds that the business clock is ahead of real time. */
  readonly aheadSeconds: number;
}

/** Moves the sandbox's business clock forward and wakes the workers for what is due then. */
export async function advanceClock(
  deps: Pick<Deps, "database" | "syncClock" | "wakeJobs" | "wakeWebhooks">,
  seconds: number,
): Promise<AdvancedClock> {
  const aheadSeconds = await deps.database.transaction((tx) => advanceBusinessClock(tx, seconds));
  if (aheadSeconds === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: "The clock cannot run more than a hundred years ahead. Start a new sandbox.",
      details: [{ field: "advanceSeconds", issue: "leads too far ahead" }],
    });
  }
  await deps.syncClock();
  deps.wakeJobs();
  deps.wakeWebhooks();
  return { businessNow: await readBusinessNow(deps.database), aheadSeconds };
}
