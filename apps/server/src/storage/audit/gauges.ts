import type { AlertFacts } from "../../domain/alerts/causes.ts";
import { LEAST_EXCESS_CENTS } from "../../domain/orders/held.ts";
import type { PayoutPurpose } from "../../domain/payouts/payout-intent.ts";
import { JOB_RETRY_SECONDS_MAX } from "../jobs/jobs.ts";
import { OPEN_STATUSES_SQL } from "../orders/table.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { FIRST_DELIVERIES, secondsSince } from "./ages.ts";

/** The state of the work, as an operator watches it. Ages are seconds of business time. */
export interface Readings
  extends Pick<
    AlertFacts,
    "stops" | "breaks" | "heldExcess" | "jobsFailing" | "deliveryLate" | "endpointsDisabled"
  > {
  readonly orders: readonly {
    readonly status: string;
    readonly operation: string;
    readonly reason: string | null;
    readonly count: number;
    readonly oldest: number;
    /** The id of the oldest order. */
    readonly orderId: string;
  }[];
  readonly payouts: readonly {
    readonly rail: string;
    /** `not_final`: it completed its order, and its block may still be dropped. */
    readonly state: string;
    readonly count: number;
    readonly oldest: number;
    /** The order of the oldest payout. */
    readonly orderId: string;
  }[];
  readonly waits: readonly {
    readonly outcome: "wait" | "hold";
    readonly purpose: PayoutPurpose;
    readonly count: number;
  }[];
  readonly jobs: readonly {
    readonly kind: string;
    readonly count: number;
    readonly oldest: number;
  }[];
  /** At most `PENDING_MAX`. */
  readonly pendingDeliveries: number;
  readonly endpoints: Readonly<Record<"sound" | "failing" | "disabled", number>>;
  readonly networks: readonly {
    readonly network: string;
    readonly problem: string | null;
    /** Unix time. */
    readonly movedAt: number;
  }[];
  readonly isRestored: boolean;
  /** Unix time. Null before the first pass of the audit. */
  readonly auditPassedAt: number | null;
  /** The installation's start. Unix time. */
  readonly installedAt: number;
  /** Unix time. Before the first comparison: the installation's start. */
  readonly railsComparedAt: number;
}

/** A rail that is away for a moment fails a job some times. These failures take three minutes. */
const FAILURES_MIN = 10;

/** More pending deliveries are not counted: one dead endpoint may have millions. */
const PENDING_MAX = 10_000;

const EXCESS_MAX = 20;
const DISABLED_MAX = 20;

const IS_REJECTED = "purpose = 'excess_refund' and state = 'void'";

/**
 * The value in euro cents of what order `o` still holds of receipts whose refund was rejected: received, less the live
 * refunds, less the exchange, which consumed the oldest receipts first (`heldReceipts`).
 */
const REJECTED_CENTS = `select ceil(sum(held.units * 100 / (currency.per_euro * 10::numeric ^ currency.decimals))) as cents
  from (select source, asset_id, least(kept, greatest(0, sum(kept) over (partition by asset_id order by at, source)
      - case when o.status = 'completed' and asset_id = o.spend_asset_id then o.spend_units else 0 end)) as units
    from (select receipt.source, receipt.asset_id, receipt.at, receipt.units - coalesce((
        select sum(refund.units) from payout_intents refund where refund.order_id = rejected.id and refund.state <> 'void'
          and coalesce(refund.attempt_id, refund.deposit_id) = receipt.source), 0) as kept
      from (select id as source, asset_id, units, '-infinity' as at from payment_attempts
          where order_id = rejected.id and status = 'captured'
        union all select id, asset_id, units, created_at from deposits
          where order_id = rejected.id and state = 'final') receipt) receipts) held
  join currencies currency on currency.id = held.asset_id
  where held.source in (select coalesce(attempt_id, deposit_id) from payout_intents
    where order_id = rejected.id and ${IS_REJECTED})`;

/** A payout that completed its order counts from then on. */
const PAYOUT_SINCE = `case when awaits_finality then
  (select updated_at from orders where id = order_id) else created_at end`;

const rows = (query: string): string =>
  `(select coalesce(json_agg(found), '[]') from (${query}) found)`;

/** Reads all gauges in one statement, over partial indexes of open work. Its cost does not grow with history. */
const READ = statement(
  "gauges_read",
  `select json_build_object(
    'orders', ${rows(`select status, operation, status_reason as reason, count(*)::int as count,
        ${secondsSince("min(updated_at)")} as oldest,
        (min(array[extract(epoch from updated_at), id]))[2]::bigint::text as "orderId"
      from orders where status in (${OPEN_STATUSES_SQL})
      group by 1, 2, 3`)},
    'payouts', ${rows(`select rail, case when awaits_finality then 'not_final' else state end as state,
        count(*)::int as count, ${secondsSince("min(since)")} as oldest,
        (min(array[extract(epoch from since), order_id]))[2]::bigint::text as "orderId"
      from payout_intents cross join lateral (select ${PAYOUT_SINCE} as since) counted
      where state in ('created', 'signed', 'broadcast') or awaits_finality group by 1, 2`)},
    'waits', ${rows(`select w.outcome, payout.purpose, count(*)::int as count
      from payout_waits w join payout_intents payout on payout.id = w.intent_id
      where payout.state = 'created' group by 1, 2`)},
    'stops', ${rows("select kind, subject, reason from stops order by since")},
    'breaks', (select count(*)::int from audit_breaks where gone_at is null),
    'heldExcess', ${rows(`select o.id::text as "orderId", o.status
      from (select distinct order_id as id from payout_intents where ${IS_REJECTED}) rejected
        join orders o on o.id = rejected.id and o.status in ('completed', 'refunded')
        cross join lateral (${REJECTED_CENTS}) value
      where value.cents >= ${LEAST_EXCESS_CENTS}
      order by o.id limit ${EXCESS_MAX}`)},
    'jobs', ${rows(`select kind, count(*)::int as count, ${secondsSince("min(run_at)")} as oldest
      from jobs where run_at <= business_now() group by 1`)},
    'jobsFailing', ${rows(`select kind, count(*)::int as count, min(order_id)::text as "orderId"
      from jobs where attempts >= ${FAILURES_MIN}
        and run_at <= business_now() + interval '${JOB_RETRY_SECONDS_MAX} seconds' group by 1`)},
    'pendingDeliveries', (select count(*)::int
      from (select from pending_deliveries limit ${PENDING_MAX}) counted),
    'deliveryLate', (select coalesce(max(${secondsSince("first.next_attempt_at")}), 0)
      from ${FIRST_DELIVERIES}),
    'endpoints', (select json_build_object(
        'sound', count(*) filter (where state = 'active' and first_failure_at is null),
        'failing', count(*) filter (where state = 'active' and first_failure_at is not null),
        'disabled', count(*) filter (where state = 'disabled'))
      from webhook_endpoints),
    'endpointsDisabled', ${rows(`select e.id as "endpointId", merchant_id as "merchantId",
        substring(url from '^https?://(?:[^/?#]*@)?([^/?#]+)') as host, disabled_reason as reason
      from webhook_endpoints e join merchants m on m.id = e.merchant_id and m.disabled_at is null
      where state = 'disabled' and disabled_reason in ('failing', 'gone')
        and e.disabled_at > business_now() - interval '90 days'
      order by e.disabled_at, e.id limit ${DISABLED_MAX}`)},
    'networks', ${rows(`select network_code as network, problem,
        extract(epoch from moved_at)::float8 as "movedAt" from chain_cursors`)},
    'isRestored', (select restored_at is not null from history),
    'auditPassedAt', (select extract(epoch from passed_at)::float8 from audit_progress),
    'installedAt', (select extract(epoch from created_at)::float8 from installation),
    'railsComparedAt', (select extract(epoch from coalesce(
      (select rails_compared_at from audit_progress), created_at))::float8 from installation)
  ) as readings`,
);

export async function readGauges(queryable: Queryable): Promise<Readings> {
  const [row] = await queryable.query<{ readings: Readings }>(READ);
  if (!row) throw new Error("the statement of the gauges returned no row");
  return row.readings;
}
