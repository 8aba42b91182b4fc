import type { Operator } from "../../domain/operators/operator.ts";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { advanceBusinessClock } from "../../storage/installation.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";
import { type Database, type Tx } from "../../storage/postgres/database.ts";
import type { SandboxDeps } from "../deps.ts";

export interface AdvancedClock {
  readonly businessNow: Date;
  /** The seconds that the business clock is ahead of real time. */
  readonly aheadSeconds: number;
}

/**
 * Moves the sandbox's business clock forward for a merchant and wakes the workers for what is due then.
 * All merchants share the clock, so a merchant moves it only where that is allowed.
 */
export async function advanceClock(
  deps: Pick<SandboxDeps, "database" | "syncClock" | "wakeJobs" | "wakeWebhooks" | "clockMover">,
  seconds: number,
): Promise<AdvancedClock> {
  if (deps.clockMover === "operator") {
    throw new Refusal("NOT_FOUND", {
      message:
        "The operator moves the clock here, because all merchants share it. Ask the operator of this sandbox.",
    });
  }
  const advanced = await moveClock(deps.database, seconds);
  await deps.syncClock();
  deps.wakeJobs();
  deps.wakeWebhooks();
  return advanced;
}

/** Moves the clock for a person who operates the sandbox, and logs that in the same transaction. */
export const advanceClockAsOperator = (
  { database }: Pick<Deps, "database">,
  command: { readonly seconds: number; readonly operator: Operator },
): Promise<AdvancedClock> => {
  const { seconds, operator } = command;
  return moveClock(database, seconds, (tx, aheadSeconds) =>
    logControl(tx, {
      operator,
      action: "advance_clock",
      subject: "clock",
      before: { aheadSeconds: aheadSeconds - seconds },
      after: { aheadSeconds },
    }),
  );
};

async function moveClock(
  database: Database,
  seconds: number,
  record: (tx: Tx, aheadSeconds: number) => Promise<void> = async () => {},
): Promise<AdvancedClock> {
  const aheadSeconds = await database.transaction(async (tx) => {
    const ahead = await advanceBusinessClock(tx, seconds);
    if (ahead !== undefined) await record(tx, ahead);
    return ahead;
  });
  if (aheadSeconds === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: "The clock cannot run more than a hundred years ahead. Start a new sandbox.",
      details: [{ field: "advanceSeconds", issue: "leads too far ahead" }],
    });
  }
  return { businessNow: await readBusinessNow(database), aheadSeconds };
}
