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
  /** When the rails' statements were last requested, by the real clock. Before that: the installation's start. */
  readonly railsComparedAt: Date;
}

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
     coalesce(rails_compared_at, (select created_at from installation), 'epoch') as rails_compared_at,
     pg_snapshot_xmin(pg_current_snapshot())::text as horizon`,
);
const ADVANCE = statement(
  "audit_progress_advance",
  `update audit_progress set watermark = $2::xid8, open_order_id = $3, round_order_id = $4,
     rounds = rounds + case when $4 < round_order_id or $4 = 0 then 1 else 0 end,
     passed_at = clock_timestamp()
   where lease_token = $1`,
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
const RAILS_COMPARED = statement(
  "audit_progress_rails_compared",
  `select coalesce((select rails_compared_at from audit_progress), created_at) as at from installation`,
);

interface ProgressRow {
  readonly watermark: string;
  readonly horizon: string;
  readonly open_order_id: string;
  readonly round_order_id: string;
  readonly rails_watermark: string;
  readonly rails_compared_at: Date;
}

/** Claims or renews the lease. Returns undefined when another process is the auditor. */
export async function claimAudit(
  queryable: Queryable,
  lease: { readonly token: string; readonly seconds: number },
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
    }
  );
}

/** Records the progress of a pass. Has no effect when the lease was lost meanwhile. */
export async function advanceAudit(
  queryable: Queryable,
  token: string,
  reached: Pick<AuditProgress, "watermark" | "openOrderId" | "roundOrderId">,
): Promise<void> {
  await queryable.query(ADVANCE, [
    token,
    reached.watermark,
    reached.openOrderId,
    reached.roundOrderId,
  ]);
}

/** Records that the rails were compared. Has no effect when the lease was lost meanwhile. */
export async function advanceRailsAudit(
  queryable: Queryable,
  token: string,
  reached: { readonly watermark: string; readonly comparedAt: Date },
): Promise<void> {
  await queryable.query(ADVANCE_RAILS, [token, reached.watermark, reached.comparedAt]);
}

/** Returns when the rails' statements were last compared: at the earliest the installation's start. */
export async function readRailsComparedAt(queryable: Queryable): Promise<Date> {
  const [row] = await queryable.query<{ at: Date }>(RAILS_COMPARED);
  return row?.at ?? new Date(0);
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
