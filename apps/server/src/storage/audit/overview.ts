import type { OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { PayoutState } from "../../domain/payouts/payout-intent.ts";
import { COUNTED_BY_SENTENCE } from "../../domain/payouts/wait.ts";
import { OPEN_STATUSES_SQL } from "../orders/table.ts";
import { WAIT_JSON, type WaitRow } from "../payouts/waits.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { FIRST_DELIVERIES, millisecondsSince } from "./ages.ts";

/** Open orders with one status and reason. Ages are milliseconds. */
export interface OpenOrderGroup {
  readonly status: OrderStatus;
  readonly reason: StatusReason | null;
  readonly count: number;
  /** The time since the least recent change of one of them. */
  readonly oldestMs: number;
}

/**
 * Payouts under way that wait for the same cause, or for nothing. Those of completed orders may await their final block.
 * Most sentences name the amount of a payout, so they are counted by the cause and its limit.
 */
export interface OpenPayoutGroup {
  readonly state: PayoutState;
  /** The sentence of the oldest one. */
  readonly waitsFor: string | null;
  readonly wait: WaitRow | null;
  readonly count: number;
  readonly oldestMs: number;
}

/** The state of the work that no person has to do. */
export interface Backlog {
  readonly dueJobs: number;
  /** How late the most overdue job is; null when none is due. */
  readonly jobLateMs: number | null;
  readonly pendingDeliveries: number;
  /** The lateness of the most overdue delivery to an endpoint without failures. */
  readonly deliveryLateMs: number | null;
  readonly failingEndpoints: number;
  readonly disabledEndpoints: number;
  /** The time since the newest quote; null before the first. */
  readonly newestQuoteMs: number | null;
}

/** A currency's price in the newest quote that used it. */
export interface QuotedPrice {
  readonly code: string;
  /** The age of that price now. It grows while nobody asks for the currency. */
  readonly ageMs: number;
  readonly sources: readonly string[];
}

/** Price changes that wait for another person's approval. */
export interface Proposals {
  readonly count: number;
  readonly oldestMs: number;
}

/** The last 24 hours, in whole seconds, so that a list of orders with the same bounds has exactly the counted ones. */
export interface LastDay {
  readonly from: Date;
  /** The end of the present second. */
  readonly before: Date;
  readonly placed: number;
  readonly completed: number;
  readonly refunded: number;
  /** The payouts and refunds that were released, at the value that limits count. */
  readonly paidOut: number;
  readonly paidOutCents: bigint;
}

const OPEN_ORDERS = statement(
  "overview_orders",
  `select status, status_reason as reason, count(*)::int as count,
     ${millisecondsSince("min(updated_at)")} as "oldestMs"
   from orders
   where status in (${OPEN_STATUSES_SQL})
   group by 1, 2 order by 4 desc`,
);
const COUNTED_BY_SENTENCE_SQL = COUNTED_BY_SENTENCE.map((code) => `'${code}'`).join(", ");
const OPEN_PAYOUTS = statement(
  "overview_payouts",
  `select case when payout.awaits_finality then 'paid and not final' else payout.state end as state,
     (array_agg(w.why order by payout.created_at))[1] as "waitsFor",
     case when w.code is not null then ${WAIT_JSON} end as wait, count(*)::int as count,
     ${millisecondsSince("min(payout.created_at)")} as "oldestMs"
   from payout_intents payout
     left join payout_waits w on w.intent_id = payout.id and payout.state = 'created'
   where payout.state in ('created', 'signed', 'broadcast') or payout.awaits_finality
   group by 1, w.code, w.limit_cents, w.limit_of,
     case when w.code in (${COUNTED_BY_SENTENCE_SQL}) or w.code is null then w.why end
   order by "oldestMs" desc`,
);
const PROPOSALS = statement(
  "overview_proposals",
  `select count(*)::int as count, ${millisecondsSince("min(proposed_at)")} as "oldestMs"
   from price_changes where state = 'proposed'`,
);
const BACKLOG = statement(
  "overview_backlog",
  `select due.count as "dueJobs", due.late as "jobLateMs", pending.count as "pendingDeliveries",
     pending.late as "deliveryLateMs", endpoints.failing as "failingEndpoints",
     endpoints.disabled as "disabledEndpoints",
     (select ${millisecondsSince("created_at")} from quotes order by id desc limit 1) as "newestQuoteMs"
   from (select count(*)::int, ${millisecondsSince("min(run_at)")} as late
       from jobs where run_at <= business_now()) as due,
     (select (select count(*)::int from pending_deliveries),
       (select ${millisecondsSince("min(first.next_attempt_at)")} from ${FIRST_DELIVERIES}) as late
     ) as pending,
     (select count(*) filter (where state = 'active' and first_failure_at is not null)::int as failing,
         count(*) filter (where state = 'disabled')::int as disabled
       from webhook_endpoints) as endpoints`,
);
const QUOTED_PRICES = statement(
  "overview_quoted_prices",
  `select * from (
     select distinct on (code) side->>'code' as code,
       ${millisecondsSince("(side->>'at')::timestamptz")} as "ageMs", side->'sources' as sources
     from (select id, evidence from quotes order by id desc limit 500) as recent,
       lateral (values (evidence->'spend'), (evidence->'receive')) as sides (side)
     where side is not null
     order by code, id desc) as newest
   order by "ageMs" desc, code`,
);
const LAST_DAY = statement(
  "overview_last_day",
  `with day as materialized (
     select until - interval '24 hours' as "from", until as before
     from (select date_trunc('second', business_now()) + interval '1 second' as until) as present)
   select day.*, placed.*, paid.* from day,
     lateral (select count(*)::int as placed,
         count(*) filter (where status = 'completed')::int as completed,
         count(*) filter (where status = 'refunded')::int as refunded
       from orders where created_at >= day."from" and created_at < day.before) as placed,
     lateral (select count(*)::int as "paidOut", coalesce(sum(euro_cents), 0)::text as "paidOutCents"
       from payout_intents
       where released_at >= day."from" and released_at < day.before and state <> 'void') as paid`,
);

export const listOpenOrderGroups = (queryable: Queryable): Promise<OpenOrderGroup[]> =>
  queryable.query<OpenOrderGroup>(OPEN_ORDERS);

export const listOpenPayoutGroups = (queryable: Queryable): Promise<OpenPayoutGroup[]> =>
  queryable.query<OpenPayoutGroup>(OPEN_PAYOUTS);

export async function readProposals(queryable: Queryable): Promise<Proposals> {
  const [row] = await queryable.query<Proposals>(PROPOSALS);
  if (!row) throw new Error("the overview of price changes has no row");
  return row;
}

export async function readBacklog(queryable: Queryable): Promise<Backlog> {
  const [row] = await queryable.query<Backlog>(BACKLOG);
  if (!row) throw new Error("the overview of jobs has no row");
  return row;
}

/** Returns the prices of the newest 500 quotes, the oldest price first. */
export const listQuotedPrices = (queryable: Queryable): Promise<QuotedPrice[]> =>
  queryable.query<QuotedPrice>(QUOTED_PRICES);

export async function readLastDay(queryable: Queryable): Promise<LastDay> {
  const [row] = await queryable.query<Omit<LastDay, "paidOutCents"> & { paidOutCents: string }>(
    LAST_DAY,
  );
  if (!row) throw new Error("the overview of the last day has no row");
  return { ...row, paidOutCents: BigInt(row.paidOutCents) };
}
