import type { Operator } from "../../domain/operators/operator.ts";
import { describeStop, type Stop, type StopKey, type StopKind } from "../../domain/payouts/stop.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

interface StopRow {
  readonly kind: StopKind;
  readonly subject: string;
  readonly reason: string;
  readonly set_by: string;
  readonly people_to_resume: 1 | 2;
  readonly agreed: string[];
  readonly since: Date;
}

const toStop = (row: StopRow): Stop => ({
  kind: row.kind,
  subject: row.subject,
  reason: row.reason,
  setBy: row.set_by,
  peopleToResume: row.people_to_resume,
  agreed: row.agreed,
  since: row.since,
});

const COLUMNS = `kind, subject, reason, set_by, people_to_resume, since,
  array(select person from stop_resumes r
    where r.kind = stop.kind and r.subject = stop.subject order by r.at, person) as agreed`;

const PUT = statement(
  "stops_put",
  "select put_stop($1, $2, $3, $4, $5::smallint, $6, $7, $8, $9, $10, $11, $12) as is_set",
);

const LIST = statement(
  "stops_list",
  `select ${COLUMNS} from stops stop order by since, kind, subject`,
);
const LOCK = statement(
  "stops_lock",
  "select from stops where kind = $1 and subject = $2 for update",
);
const FIND = statement(
  "stops_find",
  `select ${COLUMNS} from stops stop where kind = $1 and subject = $2`,
);
const AGREE = statement(
  "stops_agree",
  `insert into stop_resumes (kind, subject, person, account) values ($1, $2, $3, $4)
   on conflict do nothing returning person`,
);
const REMOVE = statement("stops_remove", "delete from stops where kind = $1 and subject = $2");
const OF_PAYOUTS = statement(
  "stops_of_payouts",
  `select payout.id as "intentId", stop.kind, stop.subject, stop.reason
   from payout_intents payout, stops_of_payout(payout) stop where payout.id = any($1::uuid[])`,
);

export type NewStop = StopKey & Pick<Stop, "reason" | "setBy" | "peopleToResume">;

/**
 * Sets a stop and logs it in control_log, in one function of the database. It waits for payouts that are being released or
 * signed. After the commit no payout that the stop covers is released or signed. Returns false, and changes
 * nothing, when the same stop is already set. Without an operator the service itself sets the stop.
 */
export async function putStop(
  queryable: Queryable,
  stop: NewStop,
  operator?: Operator,
): Promise<boolean> {
  const { kind, subject, reason, setBy, peopleToResume } = stop;
  const { systemUser = null, sudoUser = null, account = null } = operator ?? {};
  const { personId = null, address = null, serviceAccountId = null } = operator?.console ?? {};
  const who = [systemUser, sudoUser, account, personId, address, serviceAccountId];
  const values = [kind, subject, reason, setBy, peopleToResume, describeStop(stop), ...who];
  const [put] = await queryable.query<{ is_set: boolean }>(PUT, values);
  return put?.is_set === true;
}

/** Lists every stop in force, the oldest first. */
export async function listStops(queryable: Queryable): Promise<Stop[]> {
  return (await queryable.query<StopRow>(LIST)).map(toStop);
}

/** Locks a stop until the database transaction ends. */
export async function lockStop(tx: Tx, { kind, subject }: StopKey): Promise<Stop | undefined> {
  // The stop is read after the lock was taken, because its last holder may have agreed.
  await tx.query(LOCK, [kind, subject]);
  const [row] = await tx.query<StopRow>(FIND, [kind, subject]);
  return row && toStop(row);
}

/**
 * Records that a person agreed to end a locked stop. Returns false when the person or the account had agreed
 * before.
 */
export async function agreeToResume(
  tx: Tx,
  stop: StopKey,
  { person, account }: Pick<Operator, "person" | "account">,
): Promise<boolean> {
  return (await tx.query(AGREE, [stop.kind, stop.subject, person, account])).length > 0;
}

/** Ends a locked stop. The database refuses this until enough people have agreed. */
export async function removeStop(tx: Tx, { kind, subject }: StopKey): Promise<void> {
  await tx.query(REMOVE, [kind, subject]);
}

/** A stop that covers a payout. */
export type PayoutStop = Pick<Stop, "kind" | "subject" | "reason"> & { readonly intentId: string };

/** Lists the stops that cover any of the payouts. */
export const stopsOfPayouts = (
  queryable: Queryable,
  intentIds: readonly string[],
): Promise<PayoutStop[]> => queryable.query(OF_PAYOUTS, [intentIds]);
