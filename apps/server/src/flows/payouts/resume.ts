import { describeStop, type Stop, type StopKey } from "../../domain/payouts/stop.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { hurryWaitingPayouts } from "../../storage/payouts/controls.ts";
import { agreeToResume, lockStop, removeStop } from "../../storage/payouts/stops.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requirePerson } from "../merchants/require-person.ts";
import { Refusal } from "../refusal.ts";

export interface ResumePayouts extends StopKey {
  readonly person: string;
}

/** Whether the stop has ended, and how many more people must agree if not. */
export interface Resumption {
  readonly resumed: boolean;
  readonly peopleMissing: number;
}

/**
 * Records a person's agreement to end a stop. The last one needed ends it, and the waiting payouts
 * continue at once. Refuses NOT_FOUND, and INVALID_INPUT when the same person agreed before.
 */
export async function resumePayouts(
  deps: Pick<Deps, "database">,
  command: ResumePayouts,
): Promise<Resumption> {
  const person = requirePerson(command.person);
  return deps.database.transaction((tx) => resume(tx, command, person));
}

async function resume(tx: Tx, key: StopKey, person: string): Promise<Resumption> {
  const stop = await lockStop(tx, key);
  if (!stop) {
    throw new Refusal("NOT_FOUND", { message: `There is no stop of ${describeStop(key)}.` });
  }
  if (!(await agreeToResume(tx, stop, person))) throw agreedBefore(stop, person);
  const peopleMissing = stop.peopleToResume - stop.agreed.length - 1;
  const resumed = peopleMissing <= 0;
  await logControl(tx, {
    person,
    action: resumed ? "resume" : "agree_to_resume",
    subject: describeStop(stop),
    details: { reason: stop.reason },
  });
  if (!resumed) return { resumed, peopleMissing };
  await removeStop(tx, stop);
  await hurryWaitingPayouts(tx);
  return { resumed, peopleMissing: 0 };
}

const agreedBefore = (stop: Stop, person: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `${person} has already agreed. Another person must agree to end the stop of ${describeStop(stop)}.`,
  });
