import { type Asset, type Money, money } from "@exchange/money";
import type { OrderFacts } from "../../domain/ledger/audit-facts.ts";
import { type Queryable, statement } from "../postgres/database.ts";

// Numbers are selected as text, because JSON numbers become doubles. One statement reads one moment, so an
// order is read together with the entries that were written with it.
const ENTRIES = `(select json_agg(json_build_object('key', e.key, 'kind', e.kind,
    'merchantId', e.merchant_id, 'assetId', e.asset_id, 'link', e.link,
    'reverses', (select undone.key from ledger_entries undone where undone.id = e.reverses),
    'postings', (select json_agg(json_build_array(p.account_id, p.units::text))
      from ledger_postings p where p.entry_id = e.id)) order by e.id)
  from ledger_entries e where e.order_id = o.id)`;

const QUOTE = `(select json_build_object('operation', q.operation,
    'spendAssetId', q.spend_currency_id, 'spendUnits', q.spend_units::text,
    'receiveAssetId', q.receive_currency_id, 'receiveUnits', q.receive_units::text,
    'transactionFee', q.transaction_fee_units::text, 'deliveryFee', q.delivery_fee_units::text,
    'spread', q.spread_units::text, 'consumedBy', q.consumed_by_order_id::text,
    'consumedInTime', coalesce(q.consumed_at <= q.expires_at + interval '1 second', false))
  from quotes q where q.id = o.quote_id)`;

const LINES = (columns: string, table: string): string =>
  `(select json_agg(json_build_object(${columns}, 'assetId', x.asset_id, 'units', x.units::text)
      order by x.created_at, x.id) from ${table} x where x.order_id = o.id)`;

const EVENTS = `(select json_agg(json_build_object('eventType', t.event_type, 'count', t.count))
  from (select event_type, count(*) from events
    where events.merchant_id = o.merchant_id and events.order_id = o.id and not events.is_test
    group by event_type) t)`;

// Events are deleted 90 days after their own time, so near that age an event may be missing. A note repeats the status of
// the order and has no such event.
const CLEARABLE = (status: string): string =>
  `(select count(*)::int from (
     select t.status, t.at, lag(t.status) over (order by t.sequence) as before
     from order_events t where t.order_id = o.id) t
   where t.status = '${status}' and t.before is distinct from t.status
     and t.at < business_now() - interval '89 days')`;

const FACTS = `select o.id, o.merchant_id, o.operation, o.status, o.held_from, o.spend_asset_id,
    o.spend_units, o.receive_asset_id, o.receive_units, o.received_units,
    (select t.status from order_events t where t.order_id = o.id
      order by t.sequence desc limit 1) as timeline_status,
    (o.created_at < business_now() - interval '89 days')::int as created_clearable,
    ${CLEARABLE("completed")} as completed_clearable, ${CLEARABLE("refunded")} as refunded_clearable,
    ${QUOTE} as quote,
    (select json_build_object('status', s.status, 'orderId', s.order_id::text) from sessions s
      where s.merchant_id = o.merchant_id and s.session_id = o.session_id) as session,
    ${LINES("'id', x.id, 'status', x.status", "payment_attempts")} as attempts,
    ${LINES("'id', x.id, 'rail', x.rail, 'state', x.state", "deposits")} as deposits,
    ${LINES(
      `'id', x.id, 'rail', x.rail, 'state', x.state, 'purpose', x.purpose,
       'attemptId', x.attempt_id, 'depositId', x.deposit_id`,
      "payout_intents",
    )} as intents,
    ${ENTRIES} as entries, ${EVENTS} as events
  from orders o`;

const READ = statement("audit_facts", `${FACTS} where o.id = any ($1::bigint[])`);
const READ_NEXT = statement("audit_facts_next", `${FACTS} where o.id > $1 order by o.id limit $2`);
const READ_ASSETS = statement(
  "audit_assets",
  `select id, code, decimals, published_decimals as "publishedDecimals" from currencies`,
);

const READ_ACCOUNTS = statement("audit_accounts", "select id, purpose from ledger_accounts");

/** Reads facts of orders. The reader loads the assets once, when it is made. */
export interface FactReader {
  of(orderIds: readonly bigint[]): Promise<OrderFacts[]>;
  /** Returns the next orders by id. */
  after(orderId: bigint, limit: number): Promise<OrderFacts[]>;
}

export async function makeFactReader(queryable: Queryable): Promise<FactReader> {
  const rows = await queryable.query<Asset>(READ_ASSETS);
  const assets = new Map(rows.map((asset) => [asset.id, asset]));
  let purposes = await readPurposes(queryable);
  const read = async (orders: readonly FactsRow[]): Promise<OrderFacts[]> => {
    // An account may have been opened since the purposes were read.
    if (orders.some((row) => hasNewAccount(row, purposes)))
      purposes = await readPurposes(queryable);
    return orders.map((row) => toFacts(row, { assets, purposes }));
  };
  return {
    of: async (orderIds) => read(await queryable.query<FactsRow>(READ, [orderIds.map(String)])),
    after: async (orderId, limit) =>
      read(await queryable.query<FactsRow>(READ_NEXT, [orderId, limit])),
  };
}

/**
 * Purposes of accounts by id. They are joined here, because a join for each entry is slower than all other
 * reads.
 */
type Purposes = ReadonlyMap<number, string>;

async function readPurposes(queryable: Queryable): Promise<Purposes> {
  const rows = await queryable.query<{ id: string; purpose: string }>(READ_ACCOUNTS);
  return new Map(rows.map(({ id, purpose }) => [Number(id), purpose]));
}

const hasNewAccount = ({ entries }: FactsRow, purposes: Purposes): boolean =>
  (entries ?? []).some(({ postings }) =>
    (postings ?? []).some(([account]) => !purposes.has(account)),
  );

interface AmountRow {
  readonly assetId: number;
  readonly units: string;
}
/** A list of JSON objects as in the facts, but with the amount in two members. */
type Lines<Facts extends { readonly amount: Money }> =
  | readonly (Omit<Facts, "amount"> & AmountRow)[]
  | null;

interface QuoteJson {
  readonly operation: string;
  readonly spendAssetId: number;
  readonly spendUnits: string;
  readonly receiveAssetId: number;
  readonly receiveUnits: string;
  readonly transactionFee: string;
  readonly deliveryFee: string;
  readonly spread: string;
  readonly consumedBy: string | null;
  readonly consumedInTime: boolean;
}

type EntryJson = Omit<OrderFacts["entries"][number], "postings"> & {
  readonly postings: readonly (readonly [account: number, units: string])[] | null;
};

interface FactsRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly operation: string;
  readonly status: OrderFacts["status"];
  readonly held_from: OrderFacts["heldFrom"];
  readonly spend_asset_id: number;
  readonly spend_units: string;
  readonly receive_asset_id: number;
  readonly receive_units: string;
  readonly received_units: string | null;
  readonly timeline_status: OrderFacts["timelineStatus"];
  readonly created_clearable: number;
  readonly completed_clearable: number;
  readonly refunded_clearable: number;
  readonly quote: QuoteJson | null;
  readonly session: { readonly status: string; readonly orderId: string | null } | null;
  readonly attempts: Lines<OrderFacts["attempts"][number]>;
  readonly deposits: Lines<OrderFacts["deposits"][number]>;
  readonly intents: Lines<OrderFacts["intents"][number]>;
  readonly entries: readonly EntryJson[] | null;
  readonly events: readonly { readonly eventType: string; readonly count: number }[] | null;
}

type Assets = ReadonlyMap<number, Asset>;

const NO_ASSET: Asset = { id: 0, code: "?", decimals: 0, publishedDecimals: 0 };

const amountOf = (assets: Assets, { assetId, units }: AmountRow): Money =>
  money(assets.get(assetId) ?? { ...NO_ASSET, id: assetId }, BigInt(units));

function toFacts(
  row: FactsRow,
  { assets, purposes }: { readonly assets: Assets; readonly purposes: Purposes },
): OrderFacts {
  const amount = (assetId: number, units: string): Money => amountOf(assets, { assetId, units });
  const withAmount = <Line extends AmountRow>(line: Line) => ({
    ...line,
    amount: amountOf(assets, line),
  });
  return {
    orderId: BigInt(row.id),
    merchantId: row.merchant_id,
    operation: row.operation,
    status: row.status,
    heldFrom: row.held_from,
    spend: amount(row.spend_asset_id, row.spend_units),
    receive: amount(row.receive_asset_id, row.receive_units),
    receivedUnits: row.received_units === null ? null : BigInt(row.received_units),
    timelineStatus: row.timeline_status,
    quote: row.quote && toQuote(row.quote, amount),
    session: row.session && {
      status: row.session.status,
      orderId: row.session.orderId === null ? null : BigInt(row.session.orderId),
    },
    attempts: (row.attempts ?? []).map(withAmount),
    deposits: (row.deposits ?? []).map(withAmount),
    intents: (row.intents ?? []).map(withAmount),
    entries: (row.entries ?? []).map((entry) => ({
      ...entry,
      postings: (entry.postings ?? []).map(([account, units]) => ({
        purpose: purposes.get(account) ?? `account ${account}`,
        units: BigInt(units),
      })),
    })),
    events: toEvents(row),
  };
}

function toQuote(
  quote: QuoteJson,
  amount: (assetId: number, units: string) => Money,
): OrderFacts["quote"] {
  const received = (units: string): Money => amount(quote.receiveAssetId, units);
  return {
    operation: quote.operation,
    spend: amount(quote.spendAssetId, quote.spendUnits),
    receive: received(quote.receiveUnits),
    transactionFee: received(quote.transactionFee),
    deliveryFee: received(quote.deliveryFee),
    spread: received(quote.spread),
    consumedByOrderId: quote.consumedBy === null ? null : BigInt(quote.consumedBy),
    consumedInTime: quote.consumedInTime,
  };
}

const toEvents = (row: FactsRow): OrderFacts["events"] =>
  [
    { eventType: "OrderCreated", clearable: row.created_clearable },
    { eventType: "OrderFulfillment", clearable: row.completed_clearable },
    { eventType: "OrderRefunded", clearable: row.refunded_clearable },
  ].map(({ eventType, clearable }) => ({
    eventType,
    clearable,
    count: row.events?.find((event) => event.eventType === eventType)?.count ?? 0,
  }));
