import type { Cause } from "../../domain/alerts/causes.ts";
import { type Database, type Queryable, statement } from "../postgres/database.ts";

// The unique index on open causes decides which of two processes reports a cause.
const BEGIN = statement(
  "operator_alerts_begin",
  `insert into operator_alerts (id, cause, summary)
   select * from unnest($1::uuid[], $2::text[], $3::text[])
   on conflict (cause) where ended_at is null do nothing`,
);
// An alert that began before messages were switched on has none yet.
const TELL = statement(
  "operator_alerts_tell",
  `insert into operator_alert_messages (alert_id, what, channel)
   select alert.id, 'began', channel from operator_alerts alert, unnest($1::text[]) as channel
   where alert.ended_at is null and alert.cause = any($2::text[])
     and not exists (select from operator_alert_messages earlier where earlier.alert_id = alert.id)
   on conflict do nothing`,
);
const SEE = statement(
  "operator_alerts_see",
  `update operator_alerts alert set seen_at = clock_timestamp(), summary = found.summary
   from unnest($1::text[], $2::text[]) as found (cause, summary)
   where alert.ended_at is null and alert.cause = found.cause`,
);
const END = statement(
  "operator_alerts_end",
  `with ended as (
     update operator_alerts set ended_at = clock_timestamp()
     where ended_at is null and cause <> all($1::text[])
       and seen_at < clock_timestamp() - $2 * interval '1 second'
     returning id)
   insert into operator_alert_messages (alert_id, what, channel)
   select id, 'ended', channel from ended, unnest($3::text[]) as channel`,
);
const LIST_OPEN = statement(
  "operator_alerts_open",
  `select cause, summary, began_at as "beganAt" from operator_alerts where ended_at is null order by began_at, cause`,
);
// The next attempt is later than the longest post, so a process that dies while it sends costs one repetition.
const CLAIM = statement(
  "operator_alert_messages_claim",
  `update operator_alert_messages m set attempts = m.attempts + 1,
     next_attempt_at = clock_timestamp() + least(600, 20 * 2 ^ m.attempts) * interval '1 second'
   from operator_alerts alert
   where alert.id = m.alert_id and m.channel = $1 and (m.alert_id, m.what) in (
     select alert_id, what from operator_alert_messages waiting
     where channel = $1 and sent_at is null and next_attempt_at <= clock_timestamp()
       and created_at > clock_timestamp() - interval '1 day'
       and (what = 'began' or not exists (
         select from operator_alert_messages earlier
         where earlier.alert_id = waiting.alert_id and earlier.what = 'began'
           and earlier.channel = $1 and earlier.sent_at is null))
     order by next_attempt_at limit 10 for update skip locked)
   returning m.alert_id as "alertId", m.what, alert.cause, alert.summary,
     alert.began_at as "beganAt", alert.ended_at as "endedAt"`,
);
const RECORD = statement(
  "operator_alert_messages_record",
  `update operator_alert_messages set last_fault = $4,
     sent_at = case when $4::text is null then clock_timestamp() end
   where alert_id = $1 and what = $2 and channel = $3 and sent_at is null`,
);

const CLEAR = statement(
  "operator_alerts_clear",
  `with old as materialized (
     select id from operator_alerts where ended_at < clock_timestamp() - interval '90 days' limit $1),
   messages as (delete from operator_alert_messages where alert_id in (select id from old))
   delete from operator_alerts where id in (select id from old)`,
);

/** The ways in which messages reach the operator. */
export type AlertChannel = "webhook" | "mail";

/** A message that is about to be sent. A repetition has the same alert and the same `what`. */
export interface AlertMessage {
  readonly alertId: string;
  readonly what: "began" | "ended";
  readonly cause: string;
  readonly summary: string;
  readonly beganAt: Date;
  readonly endedAt: Date | null;
}

/** A cause that was not found for this long has ended, so one that comes and goes is reported once. */
const GONE_SECONDS = 60;

/**
 * Records the causes that were found now: new ones begin, and those that were not found for a while end. Each gets
 * a message for each channel in the same database transaction, even an open one that has none yet.
 */
export async function recordCauses(
  database: Database,
  found: readonly (Cause & { readonly id: string })[],
  { channels, goneSeconds = GONE_SECONDS }: AlertOptions,
): Promise<void> {
  const causes = found.map(({ cause }) => cause);
  await database.transaction(async (tx) => {
    const beginning = found.filter(({ onlyContinues }) => !onlyContinues);
    if (beginning.length > 0) {
      const ids = beginning.map(({ id }) => id);
      const summaries = beginning.map(({ summary }) => summary);
      await tx.query(BEGIN, [ids, beginning.map(({ cause }) => cause), summaries]);
    }
    if (causes.length > 0) {
      await tx.query(SEE, [causes, found.map(({ summary }) => summary)]);
      await tx.query(TELL, [channels, causes]);
    }
    await tx.query(END, [causes, goneSeconds, channels]);
  });
}

export interface AlertOptions {
  /** The ways in which messages are sent. For another way none is stored, so none is sent late. */
  readonly channels: readonly AlertChannel[];
  readonly goneSeconds?: number;
}

/** Deletes alerts 90 days after they ended, with their messages. */
export const clearOldAlerts = (queryable: Queryable, limit: number): Promise<number> =>
  queryable.write(CLEAR, [limit]);

/** A cause that still needs a person. */
export interface OpenAlert extends Cause {
  readonly beganAt: Date;
}

/** Lists the causes that have not ended, the oldest first. */
export const listOpenAlerts = (queryable: Queryable): Promise<OpenAlert[]> =>
  queryable.query<OpenAlert>(LIST_OPEN);

/** Claims messages that are due. A message older than a day is no longer sent. */
export const claimAlertMessages = (
  queryable: Queryable,
  channel: AlertChannel,
): Promise<AlertMessage[]> => queryable.query<AlertMessage>(CLAIM, [channel]);

/** Records that a message was sent, or the fault that prevented it. */
export async function recordAlertMessage(
  queryable: Queryable,
  { alertId, what }: Pick<AlertMessage, "alertId" | "what">,
  { channel, fault }: { readonly channel: AlertChannel; readonly fault: string | undefined },
): Promise<void> {
  await queryable.query(RECORD, [alertId, what, channel, fault ?? null]);
}
