import { OPEN_STATUSES_SQL } from "../orders/table.ts";
import { type Database, type Queryable, statement } from "../postgres/database.ts";

/**
 * The progress of the only auditor of all processes. Transaction numbers are text, because they can exceed
 * 2^53.
 */
export interface AuditProgress {
  readonly watermark: string;
  /** Every database transaction before it has ended. */
  readonly horizon: string;
  readonly openOrderId: bigint;
  readonly roundOrderId: bigint;
  /** Everything booked before this watermark has been compared with the rails. */
  readonly railsWatermark: string;
  /** When the rails' statements were last requested, by the database's real clock. Before that: the installation's start. */
  readonly railsComparedAt: Date;
  /** The database's real clock before the pass. */
  readonly claimedAt: Date;
}

// A time that is still to come was stored by a wrong clock. It does not say until when lines were compared.
const RAILS_COMPARED_AT =
  "case when rails_compared_at <= clock_timestamp() then rails_compared_at end";

const BEGIN = statement(
  "audit_progress_begin",
  `insert into audit_progress (cluster, watermark, rails_watermark)
   select ledger_cluster(), xmin, xmin from pg_snapshot_xmin(pg_current_snapshot()) as xmin
   on conflict (singleton) do update set cluster = excluded.cluster,
     watermark = excluded.watermark, rails_watermark = excluded.rails_watermark,
     open_order_id = 0, round_order_id = 0
   where audit_progress.cluster <> excluded.cluster`,
);
const CLAIM = statement(
  "audit_progress_claim",
  `update audit_progress set lease_token = $1,
     leased_until = clock_timestamp() + $2 * interval '1 second'
   where lease_token = $1 or lease_token is null or leased_until < clock_timestamp()
   returning watermark::text as watermark, open_order_id, round_order_id,
     coalesce(rails_watermark, watermark)::text as rails_watermark,
     coalesce(${RAILS_COMPARED_AT}, (select created_at from installation), 'epoch') as rails_compared_at,
     clock_timestamp() as claimed_at,
     pg_snapshot_xmin(pg_current_snapshot())::text as horizon`,
);
const RENEW = statement(
  "audit_progress_renew",
  `update audit_progress set leased_until = clock_timestamp() + $2 * interval '1 second'
   where lease_token = $1 returning true as renewed`,
);
const ADVANCE = statement(
  "audit_progress_advance",
  `update audit_progress set watermark = $2::xid8, open_order_id = $3, round_order_id = $4,
     rounds = rounds + case when $4 < round_order_id or $4 = 0 then 1 else 0 end,
     passed_at = clock_timestamp()
   where lease_token = $1 returning true as written`,
);
const RELEASE = statement(
  "audit_progress_release",
  "update audit_progress set lease_token = null, leased_until = null where lease_token = $1",
);

const ADVANCE_RAILS = statement(
  "audit_progress_advance_rails",
  `update audit_progress set rails_watermark = $2::xid8, rails_compared_at = $3
   where lease_token = $1`,
);
const READ_TIMES = statement(
  "audit_progress_times",
  `select passed_at as "passedAt", coalesce(${RAILS_COMPARED_AT}, created_at) as "railsComparedAt"
   from installation left join audit_progress on true`,
);
const NOTE_OBSERVED = statement(
  "audit_progress_note_observed",
  `update audit_progress set observed_at = clock_timestamp(),
     observed_since = case when observed_at > clock_timestamp() - $1 * interval '1 second'
       then least(observed_since, clock_timestamp()) else clock_timestamp() end
   returning extract(epoch from clock_timestamp() - observed_since)::float8 as seconds`,
);

interface ProgressRow {
  readonly watermark: string;
  readonly horizon: string;
  readonly open_order_id: string;
  readonly round_order_id: string;
  readonly rails_watermark: string;
  readonly rails_compared_at: Date;
  readonly claimed_at: Date;
}

interface AuditLease {
  readonly token: string;
  readonly seconds: number;
}

/** Claims the lease for a pass. Returns undefined when another process is the auditor. */
export async function claimAudit(
  queryable: Queryable,
  lease: AuditLease,
): Promise<AuditProgress | undefined> {
  await queryable.query(BEGIN);
  const [row] = await queryable.query<ProgressRow>(CLAIM, [lease.token, lease.seconds]);
  return (
    row && {
      watermark: row.watermark,
      horizon: row.horizon,
      openOrderId: BigInt(row.open_order_id),
      roundOrderId: BigInt(row.round_order_id),
      railsWatermark: row.rails_watermark,
      railsComparedAt: row.rails_compared_at,
      claimedAt: row.claimed_at,
    }
  );
}

/** Renews the lease during a pass. Returns false when another process has claimed it meanwhile. */
export async function renewAudit(queryable: Queryable, lease: AuditLease): Promise<boolean> {
  return (await queryable.query(RENEW, [lease.token, lease.seconds])).length > 0;
}

/** Records the progress of a pass. Writes nothing and returns false when the lease was lost meanwhile. */
export async function advanceAudit(
  queryable: Queryable,
  token: string,
  reached: Pick<AuditProgress, "watermark" | "openOrderId" | "roundOrderId">,
): Promise<boolean> {
  const { watermark, openOrderId, roundOrderId } = reached;
  const values = [token, watermark, openOrderId, roundOrderId];
  return (await queryable.query(ADVANCE, values)).length > 0;
}

/** Records that the rails were compared. Has no effect when the lease was lost meanwhile. */
export async function advanceRailsAudit(
  queryable: Queryable,
  token: string,
  reached: { readonly watermark: string; readonly comparedAt: Date },
): Promise<void> {
  await queryable.query(ADVANCE_RAILS, [token, reached.watermark, reached.comparedAt]);
}

export interface AuditTimes {
  /** Null before the first pass. */
  readonly passedAt: Date | null;
  /** When the rails' statements were last compared: at the earliest the installation's start. */
  readonly railsComparedAt: Date;
}

/** Returns when the audit last ended its two kinds of work, by the real clock. */
export async function readAuditTimes(queryable: Queryable): Promise<AuditTimes> {
  const [row] = await queryable.query<AuditTimes>(READ_TIMES);
  return row ?? { passedAt: null, railsComparedAt: new Date(0) };
}

export async function releaseAudit(database: Database, token: string): Promise<void> {
  await database.query(RELEASE, [token]);
}

const CHANGED = statement(
  "audit_changed_orders",
  `select order_id from (
     select order_id from ledger_entries
       where recorded_by >= $1::xid8 and recorded_by < $2::xid8 and order_id is not null
     union
     select order_id from order_events where recorded_by >= $1::xid8 and recorded_by < $2::xid8) t`,
);
// OFFSET 0 keeps PostgreSQL from a scan of all entries by id to find the lowest one
// (docs/internals/query-plans.md).
const CHANGED_ENTRIES = statement(
  "audit_changed_entries",
  `select min(id) as low, max(id) as high from (
     select id from ledger_entries where recorded_by >= $1::xid8 and recorded_by < $2::xid8
     offset 0) t`,
);
const OPEN_ORDERS = statement(
  "audit_open_orders",
  `select id as order_id from orders where id > $1 and status in (${OPEN_STATUSES_SQL})
   order by id limit $2`,
);

/** The rows that database transactions from the watermark up to the horizon wrote. */
export interface Changes {
  readonly orderIds: readonly bigint[];
  /** The lowest and the highest id of the written entries. */
  readonly entries: readonly [low: bigint, high: bigint] | undefined;
}

export async function readChanges(
  queryable: Queryable,
  span: Pick<AuditProgress, "watermark" | "horizon">,
): Promise<Changes> {
  const values = [span.watermark, span.horizon];
  const orders = await queryable.query<{ order_id: string }>(CHANGED, values);
  const [entries] = await queryable.query<{ low: string | null; high: string | null }>(
    CHANGED_ENTRIES,
    values,
  );
  const { low = null, high = null } = entries ?? {};
  return {
    orderIds: orders.map((row) => BigInt(row.order_id)),
    entries: low === null || high === null ? undefined : [BigInt(low), BigInt(high)],
  };
}

/** Lists the next orders by id that have not reached a final status. */
export async function listOpenOrders(
  queryable: Queryable,
  after: bigint,
  limit: number,
): Promise<bigint[]> {
  const rows = await queryable.query<{ order_id: string }>(OPEN_ORDERS, [after, limit]);
  return rows.map((row) => BigInt(row.order_id));
}

/** A worker that died is replaced within this time: Kubernetes waits for up to five minutes before it starts one again. */
const GAP_SECONDS = 400;

/** Records that the state of the work is read. Returns for how many seconds it has been read without a gap, by any process. */
export async function noteObserved(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<{ seconds: number }>(NOTE_OBSERVED, [GAP_SECONDS]);
  return row?.seconds ?? 0;
}
