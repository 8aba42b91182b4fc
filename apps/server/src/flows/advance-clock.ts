import type { Operator } from "../domain/operators/operator.ts";
import { logControl } from "../storage/audit/control-log.ts";
import { advanceBusinessClock } from "../storage/installation.ts";
import { JOBS_DUE_CHANNEL } from "../storage/jobs/jobs.ts";
import { readBusinessNow } from "../storage/postgres/business-clock.ts";
import type { Database, Tx } from "../storage/postgres/database.ts";
import { WEBHOOKS_DUE_CHANNEL } from "../storage/webhooks/outbox.ts";
import type { Deps } from "./deps.ts";
import { requireOperator } from "./operators/require-operator.ts";
import { Refusal } from "./refusal.ts";

export interface AdvancedClock {
  readonly businessNow: Date;
  /** The seconds that the business clock is ahead of real time. */
  readonly aheadSeconds: number;
}

/** Moves the clock for a person who operates the sandbox, and logs that in the same transaction. */
export const advanceClockAsOperator = (
  deps: Pick<Deps, "database" | "environment">,
  command: { readonly seconds: number; readonly by: Operator },
): Promise<AdvancedClock> => {
  const { seconds } = command;
  const operator = requireOperator(deps, command.by);
  return moveClock(deps.database, seconds, (tx, aheadSeconds) =>
    logControl(tx, {
      operator,
      action: "advance_clock",
      subject: "clock",
      before: { aheadSeconds: aheadSeconds - seconds },
      after: { aheadSeconds },
    }),
  );
};

/** Moves the business clock of a sandbox forward. Refuses INVALID_INPUT when it would lead too far. */
export async function moveClock(
  database: Database,
  seconds: number,
  record: (tx: Tx, aheadSeconds: number) => Promise<void> = async () => {},
): Promise<AdvancedClock> {
  const aheadSeconds = await database.transaction(async (tx) => {
    const ahead = await advanceBusinessClock(tx, seconds);
    if (ahead !== undefined) await record(tx, ahead);
    tx.hint(JOBS_DUE_CHANNEL);
    tx.hint(WEBHOOKS_DUE_CHANNEL);
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
