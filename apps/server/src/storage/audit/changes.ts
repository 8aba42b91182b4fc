import type { ChangeTopic } from "@exchange/contract/admin";
import { type Queryable, statement } from "../postgres/database.ts";

/** The newest rows that a stamp covers. A change of an older row alone is found by the console's slow refresh. */
const ROWS_MAX = 200;

// Rows of a database transaction that was not visible in the snapshot before. A sequence would miss one that commits
// after a later number. The upper bound lets the planner use the index.
const SINCE = (table: string): string =>
  `select merchant_id from ${table}
   where recorded_by >= pg_snapshot_xmin($1::pg_snapshot)
     and recorded_by < pg_snapshot_xmax(pg_current_snapshot())
     and not pg_visible_in_snapshot(recorded_by, $1::pg_snapshot)`;

const READ_MOVED = statement(
  "changes_moved",
  `select pg_current_snapshot()::text as snapshot,
     array(${SINCE("order_events")} union ${SINCE("ledger_entries")}) as "merchantIds"`,
);

/** The newest changes that people made. */
const LOG = (condition: string): string =>
  `array(select id from (select id, action from control_log
     where ${condition} order by id desc limit ${ROWS_MAX}) newest`;

// A row that is updated has another `xmin`, and an added or a deleted row changes the list.
const READ_STAMPS = statement(
  "changes_stamps",
  `select 'orders' as topic, null as "merchantId",
     ${LOG("true")} where action like '%\\_order' or action = 'approve_refund_address')::text as stamp
   union all select 'reviews', null, array(
     (select xmin from orders where status = 'in_review' order by created_at desc, id desc limit ${ROWS_MAX})
     union all select xmin from order_reviewers)::text
   union all select 'payouts', null, concat(array(
     (select xmin from payout_intents where state in ('created', 'signed', 'broadcast') or awaits_finality
      order by created_at desc, id desc limit ${ROWS_MAX})
     union all (select xmin from payout_waits limit ${ROWS_MAX})),
     ${LOG("true")} where action = 'approve_payout'))
   union all select 'stops', null, array(select xmin from stops union all select xmin from stop_resumes)::text
   union all select 'breaks', null, array(select id from audit_breaks where gone_at is null order by id)::text
   union all select 'prices', null, array(
     select xmin from price_changes order by id desc limit ${ROWS_MAX})::text
   union all select 'audit', null, ${LOG("true")})::text
   union all select 'orders', m, ${LOG("merchant_id = m")} where action like '%\\_order')::text
     from unnest($1::text[]) m
   union all select 'audit', m, ${LOG("merchant_id = m")})::text from unnest($1::text[]) m
   union all select 'webhooks', m, array(
     select xmin from webhook_endpoints where merchant_id = m
     union all (select xmin from deliveries where merchant_id = m
       order by created_at desc, number desc limit ${ROWS_MAX})
     union all (select xmin from pending_deliveries where merchant_id = m limit ${ROWS_MAX}))::text
     from unnest($1::text[]) m`,
);

/** The state of a topic, in one text that differs after each change. */
export interface TopicStamp {
  readonly topic: ChangeTopic;
  /** The merchant whose people hear of it; null for the operator's people. */
  readonly merchantId: string | null;
  readonly stamp: string;
}

/** Returns the merchants whose orders moved since the snapshot, and the new snapshot. */
export async function readMovedMerchants(
  queryable: Queryable,
  snapshot: string | null,
): Promise<{ readonly snapshot: string; readonly merchantIds: readonly string[] }> {
  type Row = { readonly snapshot: string; readonly merchantIds: readonly string[] };
  const [row] = await queryable.query<Row>(READ_MOVED, [snapshot]);
  if (row === undefined) throw new Error("A statement without a condition returned no row.");
  return row;
}

/** Reads the stamps of the operator's topics, and of those of these merchants. */
export const readTopicStamps = (
  queryable: Queryable,
  merchantIds: readonly string[],
): Promise<TopicStamp[]> => queryable.query<TopicStamp>(READ_STAMPS, [merchantIds]);
