import type { PayoutPurpose } from "../../domain/payouts/payout-intent.ts";
import type { Stop } from "../../domain/payouts/stop.ts";
import { OPEN_STATUSES_SQL } from "../orders/table.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { secondsSince } from "./ages.ts";

/** The state of the work, as an operator watches it. Ages are seconds of business time. */
export interface Readings {
  readonly orders: readonly {
    readonly status: string;
    readonly operation: string;
    readonly reason: string | null;
    readonly count: number;
    readonly oldest: number;
  }[];
  readonly payouts: readonly {
    readonly rail: string;
    readonly state: string;
    readonly count: number;
    readonly oldest: number;
  }[];
  readonly waits: readonly {
    readonly outcome: "wait" | "hold";
    readonly purpose: PayoutPurpose;
    readonly count: number;
  }[];
  readonly stops: readonly Pick<Stop, "kind" | "subject" | "reason">[];
  readonly breaks: number;
  /** Orders that ended and hold money whose refund was rejected, the oldest first. At most `EXCESS_MAX`. */
  readonly heldExcess: readonly { readonly orderId: string; readonly status: string }[];
  readonly jobs: readonly {
    readonly kind: string;
    readonly count: number;
    readonly oldest: number;
  }[];
  /** At most `PENDING_MAX`. */
  readonly pendingDeliveries: number;
  /** The lateness of the most overdue delivery to an endpoint without failures. */
  readonly deliveryLate: number;
  readonly endpoints: Readonly<Record<"sound" | "failing" | "disabled", number>>;
  readonly networks: readonly {
    readonly network: string;
    readonly problem: string | null;
    /** Unix time. */
    readonly movedAt: number;
  }[];
  readonly isRestored: boolean;
  /** Unix time. Null before the first comparison. */
  readonly railsComparedAt: number | null;
}

/** More pending deliveries are not counted: one dead endpoint may have millions. */
const PENDING_MAX = 10_000;

const EXCESS_MAX = 20;
/** Less than a euro may be less than the fee to return it. Such an amount is in the order's timeline only. */
const EXCESS_CENTS_MIN = 100;

const rows = (query: string): string =>
  `(select coalesce(json_agg(found), '[]') from (${query}) found)`;

/** Reads all gauges in one statement, over partial indexes of open work. Its cost does not grow with history. */
const READ = statement(
  "gauges_read",
  `select json_build_object(
    'orders', ${rows(`select status, operation, status_reason as reason, count(*)::int as count,
        ${secondsSince("min(updated_at)")} as oldest
      from orders where status in (${OPEN_STATUSES_SQL})
      group by 1, 2, 3`)},
    'payouts', ${rows(`select rail, state, count(*)::int as count, ${secondsSince("min(created_at)")} as oldest
      from payout_intents where state in ('created', 'signed', 'broadcast') group by 1, 2`)},
    'waits', ${rows(`select w.outcome, payout.purpose, count(*)::int as count
      from payout_waits w join payout_intents payout on payout.id = w.intent_id
      where payout.state = 'created' group by 1, 2`)},
    'stops', ${rows("select kind, subject, reason from stops order by since")},
    'breaks', (select count(*)::int from audit_breaks where gone_at is null),
    'heldExcess', ${rows(`select o.id::text as "orderId", o.status
      from orders o where o.status in ('completed', 'refunded') and o.id in (
        select rejected.order_id from payout_intents rejected
        where rejected.purpose = 'excess_refund' and rejected.state = 'void'
          and rejected.euro_cents >= ${EXCESS_CENTS_MIN}
          and not exists (select from payout_intents again
            where again.order_id = rejected.order_id and again.state <> 'void'
              and again.attempt_id is not distinct from rejected.attempt_id
              and again.deposit_id is not distinct from rejected.deposit_id))
      order by o.id limit ${EXCESS_MAX}`)},
    'jobs', ${rows(`select kind, count(*)::int as count, ${secondsSince("min(run_at)")} as oldest
      from jobs where run_at <= business_now() group by 1`)},
    'pendingDeliveries', (select count(*)::int
      from (select from pending_deliveries limit ${PENDING_MAX}) counted),
    'deliveryLate', (select coalesce(max(${secondsSince("first.next_attempt_at")}), 0)
      from webhook_endpoints e cross join lateral (
        select next_attempt_at from pending_deliveries p
        where p.merchant_id = e.merchant_id and p.endpoint_id = e.id
        order by next_attempt_at limit 1) first
      where e.state = 'active' and e.first_failure_at is null),
    'endpoints', (select json_build_object(
        'sound', count(*) filter (where state = 'active' and first_failure_at is null),
        'failing', count(*) filter (where state = 'active' and first_failure_at is not null),
        'disabled', count(*) filter (where state = 'disabled'))
      from webhook_endpoints),
    'networks', ${rows(`select network_code as network, problem,
        extract(epoch from moved_at)::float8 as "movedAt" from chain_cursors`)},
    'isRestored', (select restored_at is not null from history),
    'railsComparedAt', (select extract(epoch from rails_compared_at)::float8 from audit_progress)
  ) as readings`,
);

export async function readGauges(queryable: Queryable): Promise<Readings> {
  const [row] = await queryable.query<{ readings: Readings }>(READ);
  if (!row) throw new Error("the statement of the gauges returned no row");
  return row.readings;
}
