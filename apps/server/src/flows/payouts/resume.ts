import type { Operator } from "../../domain/operators/operator.ts";
import { describeStop, type Stop, type StopKey } from "../../domain/payouts/stop.ts";
import { endBreaksOf, RAILS_SUBJECT } from "../../storage/audit/breaks.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { hurryWaitingPayouts } from "../../storage/payouts/controls.ts";
import { agreeToResume, lockStop, removeStop } from "../../storage/payouts/stops.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { isRestored } from "../history/require-reconciled.ts";
import { describeEarlier, requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";

export interface ResumePayouts extends StopKey {
  readonly by: Operator;
  /** The reason of the stop that the person saw; without it whichever the stop has. */
  readonly stopReason?: string | undefined;
}

/** Whether the stop has ended, and how many more people must agree if not. */
export interface Resumption {
  readonly resumed: boolean;
  readonly peopleMissing: number;
}

/**
 * Records a person's agreement to end a stop. The last one needed ends it, and the waiting payouts
 * continue at once. Refuses NOT_FOUND, INVALID_ORDER_STATE when the stop has another reason by now, and
 * INVALID_INPUT when the same person or account agreed before.
 */
export async function resumePayouts(
  deps: Pick<Deps, "database" | "environment">,
  command: ResumePayouts,
): Promise<Resumption> {
  const by = requireOperator(deps, command.by);
  return deps.database.transaction((tx) => resume(tx, command, by));
}

async function resume(
  tx: Tx,
  { stopReason, ...key }: ResumePayouts,
  by: Operator,
): Promise<Resumption> {
  const stop = await lockStop(tx, key);
  if (!stop) {
    throw new Refusal("NOT_FOUND", { message: `There is no stop of ${describeStop(key)}.` });
  }
  if (stopReason !== undefined && stopReason !== stop.reason) throw replaced(stop);
  if (key.kind === "all" && (await isRestored(tx))) throw notReconciled();
  if (!(await agreeToResume(tx, stop, by))) throw agreedBefore(stop, by);
  const peopleMissing = stop.peopleToResume - stop.agreed.length - 1;
  const resumed = peopleMissing <= 0;
  await logControl(tx, {
    operator: by,
    action: resumed ? "resume" : "agree_to_resume",
    subject: describeStop(stop),
    details: { reason: stop.reason },
    before: { agreed: stop.agreed },
    after: resumed ? null : { agreed: [...stop.agreed, by.person] },
  });
  if (!resumed) return { resumed, peopleMissing };
  await removeStop(tx, stop);
  // The audit cannot see that a break of a rail is gone, so the people who explained it end it. The breaks of a
  // network stopped that network, and those of banks and card processors stopped everything.
  if (stop.kind === "rail") await endBreaksOf(tx, stop.subject);
  if (stop.kind === "all") await endBreaksOf(tx, RAILS_SUBJECT);
  await hurryWaitingPayouts(tx);
  return { resumed, peopleMissing: 0 };
}

const notReconciled = (): Refusal =>
  new Refusal("INVALID_ORDER_STATE", {
    message:
      "The database was restored and may not know payouts that the rails made. Run: exchange payouts reconcile. Then resume.",
  });

const replaced = (stop: Stop): Refusal =>
  new Refusal("INVALID_ORDER_STATE", {
    message: `${stop.setBy} has set the stop of ${describeStop(stop)} for another reason since: ${stop.reason}. Read it before you agree to resume.`,
  });

const agreedBefore = (stop: Stop, by: Operator): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `${describeEarlier(by, stop.agreed)} has already agreed. Another person must agree to end the stop of ${describeStop(stop)}, from their own account.`,
  });
