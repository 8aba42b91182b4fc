import type { LimitKey, LimitRow } from "../../domain/payouts/limits.ts";
import type { Outflow } from "../../domain/payouts/release.ts";
import { JOBS_DUE_CHANNEL } from "../jobs/jobs.ts";
import { ADVISORY_LOCKS } from "../postgres/advisory-locks.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

// A decision about a release against a limit holds this lock until the commit.
const LOCK_RELEASES = statement(
  "payout_controls_lock",
  `select pg_advisory_xact_lock(${ADVISORY_LOCKS.releases})`,
);

const LIST_LIMITS = statement(
  "payout_limits_list",
  `select kind, subject, payout_cents, hour_cents, day_cents, approval_above_cents
   from payout_limits order by kind, subject`,
);
const PUT_LIMITS = statement(
  "payout_limits_put",
  `insert into payout_limits (kind, subject, payout_cents, hour_cents, day_cents,
     approval_above_cents, set_by)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (kind, subject) do update set payout_cents = excluded.payout_cents,
     hour_cents = excluded.hour_cents, day_cents = excluded.day_cents,
     approval_above_cents = excluded.approval_above_cents, set_by = excluded.set_by,
     set_at = business_now()`,
);
const REMOVE_LIMITS = statement(
  "payout_limits_remove",
  "delete from payout_limits where kind = $1 and subject = $2 returning kind",
);

// A void payout is not counted, because its rail rejected it and no money left. The clock is read once for each bound: a
// function in the condition of a sum is called for each payout of the day.
const OUTFLOWS = statement(
  "payout_controls_outflows",
  `select asset_id as "assetId", coalesce(sum(euro_cents) filter
       (where released_at > (select business_now()) - interval '1 hour'), 0)::text as hour_cents,
     sum(euro_cents)::text as day_cents
   from payout_intents
   where released_at > (select business_now()) - interval '1 day' and state <> 'void'
   group by asset_id`,
);

// A running job may have been refused just before the change, and may record that later. So it is marked to run again.
const HURRY_WAITING = statement(
  "payout_waits_hurry",
  `update jobs set run_at = least(run_at, business_now()), hurried = lease_token is not null
   where kind = 'send_payout' and (lease_token is not null
     or key in (select 'send_payout:' || intent_id from payout_waits))`,
);

interface LimitDbRow {
  readonly kind: LimitRow["kind"];
  readonly subject: string;
  readonly payout_cents: string | null;
  readonly hour_cents: string | null;
  readonly day_cents: string | null;
  readonly approval_above_cents: string | null;
}

const centsOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** Makes all other decisions about releases wait until the database transaction ends. */
export async function lockReleases(tx: Tx): Promise<void> {
  await tx.query(LOCK_RELEASES);
}

/** Lists the limits that an operator has set. */
export async function listPayoutLimits(queryable: Queryable): Promise<LimitRow[]> {
  const rows = await queryable.query<LimitDbRow>(LIST_LIMITS);
  return rows.map((row) => ({
    kind: row.kind,
    subject: row.subject,
    payoutCents: centsOf(row.payout_cents),
    hourCents: centsOf(row.hour_cents),
    dayCents: centsOf(row.day_cents),
    approvalAboveCents: centsOf(row.approval_above_cents),
  }));
}

export async function putPayoutLimits(tx: Tx, row: LimitRow, setBy: string): Promise<void> {
  await tx.query(PUT_LIMITS, [
    row.kind,
    row.subject,
    row.payoutCents,
    row.hourCents,
    row.dayCents,
    row.approvalAboveCents,
    setBy,
  ]);
}

/** Removes limits. Returns false when there were none. */
export async function removePayoutLimits(tx: Tx, { kind, subject }: LimitKey): Promise<boolean> {
  return (await tx.query(REMOVE_LIMITS, [kind, subject])).length > 0;
}

/** Returns the released amounts of the last hour and day by asset, in euro cents. */
export async function readOutflows(queryable: Queryable): Promise<ReadonlyMap<number, Outflow>> {
  const rows = await queryable.query<{ assetId: number; hour_cents: string; day_cents: string }>(
    OUTFLOWS,
  );
  return new Map(
    rows.map((row) => [
      row.assetId,
      { hourCents: BigInt(row.hour_cents), dayCents: BigInt(row.day_cents) },
    ]),
  );
}

/** Returns whether the database refused to release or sign a payout because it is stopped. */
export const isPayoutStopped = (error: unknown): boolean =>
  (error as { constraint?: string } | null)?.constraint === "payouts_stopped";

/** Makes the jobs of waiting payouts due now, before their next scheduled time. */
export async function hurryWaitingPayouts(queryable: Queryable): Promise<void> {
  await queryable.query(HURRY_WAITING);
  queryable.hint(JOBS_DUE_CHANNEL);
}
