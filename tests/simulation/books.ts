import { createHash } from "node:crypto";
import type { OrderStatus } from "../../apps/server/src/domain/orders/status.ts";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import {
  type Database,
  type Statement,
  statement,
} from "../../apps/server/src/storage/postgres/database.ts";

/** The books of others: the card processor's, the chain's and the bank's. Never our own. */
export interface RailBooks {
  readonly captures: number;
  readonly cardRefunds: number;
  readonly transfers: number;
  readonly bankPayouts: number;
}

/** One balance of an order's money. */
export interface BalanceRow {
  readonly orderId: string;
  readonly purpose: string;
  readonly asset: string;
  readonly units: string;
}

/** Returns a statement of a test, named by its text. */
export const sql = (text: string): Statement =>
  statement(`simulation_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`, text);

const RAIL_BOOKS = `select
  (select count(*) from sandbox.card_captures)::int as captures,
  (select count(*) from sandbox.card_refunds where status = 'refunded')::int as "cardRefunds",
  (select count(*) from sandbox.chain_transactions
    where mined_at is not null and coalesce(moved_units, units) > 0)::int as transfers,
  (select count(*) from sandbox.bank_payouts where outcome = 'settled')::int as "bankPayouts"`;

const RAIL_BOOKS_OF_ORDER = `with intents as (
    select id::text as id from payout_intents where order_id = $1)
  select
    (select count(*) from sandbox.card_captures where reference = $2)::int as captures,
    (select count(*) from sandbox.card_refunds where reference in (select id from intents))::int
      as "cardRefunds",
    (select count(*) from sandbox.chain_transactions where intent_id in (select id from intents))::int
      as transfers,
    (select count(*) from sandbox.bank_payouts where intent_id in (select id from intents))::int
      as "bankPayouts"`;

/** The transfers of a customer's bank less their returns, and the coins at the order's address less their refunds. */
const PAID_BY_CUSTOMER = `select (
    coalesce((select sum(units - returned_units) from sandbox.bank_transfers
      where reference = $2 and not rejected), 0)
    + coalesce((select sum(units) from sandbox.chain_deposits where address = $3 and not orphaned), 0)
    - coalesce((select sum(coalesce(sent.moved_units, sent.units)) from sandbox.chain_transactions sent
      join payout_intents refund on refund.id::text = sent.intent_id
      where refund.order_id = $1 and refund.purpose <> 'payout' and sent.mined_at is not null), 0)
  )::text as units`;

const STRAY_TRANSFERS = `from sandbox.chain_transactions sent
    left join payout_intents intent on intent.id::text = sent.intent_id
  where sent.mined_at is not null and coalesce(sent.moved_units, sent.units) > 0
    and (intent.id is null or intent.units <> sent.units or intent.address <> sent.address
      or intent.state <> 'confirmed')`;

const BALANCES = `select entry.order_id::text as "orderId", account.purpose, currency.reference as asset,
    sum(posting.units)::text as units
  from ledger_entries entry join ledger_postings posting on posting.entry_id = entry.id
  join ledger_accounts account on account.id = posting.account_id
  join currencies currency on currency.id = posting.asset_id
  where entry.order_id = any ($1) group by 1, 2, 3`;

// The payment of an order that was cancelled before its card was asked is looked for a while, as late money is.
const UNFINISHED_JOBS = `from jobs where order_id = $1 and kind in ('authorize_payment',
  'capture_payment', 'void_payment', 'exchange_order', 'send_payout')
  and not exists (select from payment_attempts attempt
    where attempt.status = 'voided' and jobs.key = 'void_payment:' || attempt.id)`;

const PENDING_DELIVERIES = `select count(*)::int as count,
    extract(epoch from min(next_attempt_at) - business_now())::float as "dueInSeconds"
  from pending_deliveries`;

/** Returns what the books of others, and our own tables, say about orders. */
export function booksOf(database: Database) {
  const rows = <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
    database.query<Row>(sql(text), values);
  const row = async <Row>(text: string, ...values: unknown[]): Promise<Row> => {
    const [first] = await rows<Row>(text, ...values);
    if (first === undefined) throw new Error(`no row: ${text}`);
    return first;
  };
  const count = async (text: string, ...values: unknown[]): Promise<number> =>
    (await row<{ count: number }>(`select count(*)::int as count ${text}`, ...values)).count;
  return {
    ofRails: () => row<RailBooks>(RAIL_BOOKS),
    ofOrder: ({ order, attempt }: OrderView) =>
      row<RailBooks>(RAIL_BOOKS_OF_ORDER, order.id, attempt?.id ?? null),
    /** Returns the smallest units that the customer paid and did not get back. Card payments are not counted. */
    paidByCustomer: async ({ order, instruction }: OrderView): Promise<bigint> => {
      const { reference = null, address = null } = instruction ?? {};
      const { units } = await row<{ units: string }>(
        PAID_BY_CUSTOMER,
        order.id,
        reference,
        address,
      );
      return BigInt(units);
    },
    /** Coins that moved without an intent, to another address or in another amount. */
    strayTransfers: () => count(STRAY_TRANSFERS),
    unfinishedJobs: (orderId: bigint) => count(UNFINISHED_JOBS, orderId),
    ledgerEntries: (merchantId: string) =>
      count("from ledger_entries where merchant_id = $1", merchantId),
    depositEntries: (orderId: bigint) =>
      count("from ledger_entries where order_id = $1 and kind = 'deposit'", orderId),
    balances: (orderIds: readonly bigint[]) => rows<BalanceRow>(BALANCES, orderIds),
    ordersOfSession: (sessionId: string) => count("from orders where session_id = $1", sessionId),
    usedQuotesOfSession: (sessionId: string) =>
      count("from quotes where session_id = $1 and consumed_by_order_id is not null", sessionId),
    usedQuotes: (quoteIds: readonly string[]) =>
      count("from quotes where id = any ($1) and consumed_by_order_id is not null", quoteIds),
    statusOf: (orderId: bigint) =>
      row<{ status: OrderStatus; version: number }>(
        "select status, version from orders where id = $1",
        orderId,
      ),
    timelineOf: async (orderId: bigint) =>
      (
        await rows<{ status: OrderStatus }>(
          "select status from order_events where order_id = $1 order by sequence",
          orderId,
        )
      ).map(({ status }) => status),
    pendingDeliveries: () =>
      row<{ count: number; dueInSeconds: number | null }>(PENDING_DELIVERIES),
    eventsOf: (orderId: bigint) => count("from events where order_id = $1", orderId),
  };
}

/** Returns what happened outside between two readings of the rails' books. */
export const movedSince = (before: RailBooks, after: RailBooks): RailBooks => ({
  captures: after.captures - before.captures,
  cardRefunds: after.cardRefunds - before.cardRefunds,
  transfers: after.transfers - before.transfers,
  bankPayouts: after.bankPayouts - before.bankPayouts,
});

const END_WINDOW = sql(`update orders set version = version + 1,
  payment_expires_at = business_now() - interval '1 second' where id = $1`);

/** Ends the time to pay an order, as if it had passed. */
export async function endPaymentWindow(database: Database, orderId: bigint): Promise<void> {
  await database.query(END_WINDOW, [orderId]);
}

const WRITE_STATUS = sql(`update orders set status = $2, version = version + 1,
  held_from = case when $2 = 'in_review' then coalesce(held_from, status) end where id = $1`);

class RolledBack extends Error {}

/** Returns whether the database accepts a status that is written past the order machine. */
export function acceptsStatus(
  database: Database,
  orderId: bigint,
  status: OrderStatus,
): Promise<boolean> {
  const writing = database.transaction(async (tx): Promise<boolean> => {
    await tx.query(WRITE_STATUS, [orderId, status]);
    throw new RolledBack();
  });
  return writing.catch((error: unknown) => error instanceof RolledBack);
}

/** One pending delivery for each event, spread over the endpoints. */
const ADD_DELIVERIES = sql(
  `with added as (
     insert into events (merchant_id, order_id, event_type, payload)
     select $1, n, 'OrderCreated', format('{"eventType":"OrderCreated","sessionId":"s-%s",' ||
       '"details":{"orderId":%s}}', n, n)
     from generate_series(1, $2::int) n
     returning id, merchant_id, order_id, sequence
   ), delivery as (
     insert into deliveries (merchant_id, event_id, endpoint_id, order_id, sequence)
     select a.merchant_id, a.id, e.id, a.order_id, a.sequence
     from added a join (
       select id, row_number() over (order by id) - 1 as at, count(*) over () as of
       from webhook_endpoints) e on a.order_id % e.of = e.at
     returning *
   )
   insert into pending_deliveries
     (merchant_id, endpoint_id, order_id, sequence, delivery_id, event_id)
   select merchant_id, endpoint_id, order_id, sequence, id, event_id from delivery`,
);

/** Records events of a merchant with a pending delivery each, as orders would. */
export async function addDeliveries(
  database: Database,
  merchantId: string,
  count: number,
): Promise<void> {
  await database.query(ADD_DELIVERIES, [merchantId, count]);
}
