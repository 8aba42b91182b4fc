import type { Operation } from "../domain/catalogue/operation.ts";
import type { OrderStatus } from "../domain/orders/status.ts";
import type { Quote } from "../domain/quotes/quote.ts";
import { makeBatcher } from "./batches.ts";
import { type Queryable, statement } from "./database.ts";
import { type Deposit, type DepositRow, toDeposit } from "./deposits.ts";
import type { OrderEventItem } from "./order-timeline.ts";
import { type Order, type OrderRow, toOrder } from "./orders.ts";
import {
  type PaymentAttempt,
  type PaymentAttemptRow,
  toPaymentAttempt,
} from "./payment-attempts.ts";
import {
  type PaymentInstruction,
  type PaymentInstructionRow,
  toPaymentInstruction,
} from "./payment-instructions.ts";
import { type PayoutIntent, type PayoutIntentRow, toPayoutIntent } from "./payout-intents.ts";
import { type QuoteRow, toStoredQuote } from "./quotes.ts";

/** An order with all that belongs to it, as it was at one moment. */
export interface OrderView {
  readonly order: Order;
  readonly quote: Quote;
  /** The latest one. */
  readonly attempt: PaymentAttempt | undefined;
  /** The one that is alive, else the last. */
  readonly payout: PayoutIntent | undefined;
  /** What was or is returned of what was received, oldest first. */
  readonly refunds: readonly PayoutIntent[];
  readonly instruction: PaymentInstruction | undefined;
  /** Oldest first. */
  readonly deposits: readonly Deposit[];
  readonly timeline: readonly OrderEventItem[];
}

/**
 * A row as JSON: all its columns, and those that are said otherwise. It is put together when it is
 * read: PostgreSQL would sort and copy every member to do it.
 */
type InTwo<Row> = readonly [columns: Row, otherwise: Partial<Row>];

/** Exact numbers leave as text, since JSON numbers become doubles. */
function asJson(alias: string, exactColumns: readonly string[], others: readonly string[] = []) {
  const exact = exactColumns.map((column) => `'${column}', ${alias}.${column}::text`);
  return `json_build_array(to_json(${alias}), json_build_object(${[...exact, ...others].join(", ")}))`;
}

const joined = <Row>([columns, otherwise]: InTwo<Row>): Row => ({ ...columns, ...otherwise });

const QUOTE_EXACT = [
  "spend_units",
  "receive_units",
  "rate",
  "mid_rate",
  "transaction_fee_units",
  "delivery_fee_units",
  "spread_units",
  "limit_min_units",
  "limit_max_units",
  "consumed_by_order_id",
];

const QUOTE_CURRENCIES = [
  ...["'spend_code', s.code", "'spend_decimals', s.decimals"],
  ...["'receive_code', r.code", "'receive_decimals', r.decimals"],
  "'spend_published_decimals', s.published_decimals",
  "'receive_published_decimals', r.published_decimals",
];

const ORDER_EXACT = ["id", "spend_units", "received_units", "receive_units"];
const INTENT_EXACT = ["order_id", "units", "nonce", "euro_cents"];
const INTENT = asJson("p", INTENT_EXACT, ["'signed_bytes', null"]);

// Everything hangs on the order's row `o`, by subqueries that each look one key up: however many
// orders there are, a row costs the same.
const SEALED = "'payout_sealed', encode(o.payout_sealed, 'base64')";
const VIEW = `${asJson("o", ORDER_EXACT, [SEALED])} as "order",
     (select ${asJson("q", QUOTE_EXACT, QUOTE_CURRENCIES)}
       from quotes q, currencies s, currencies r
       where q.id = o.quote_id and s.id = o.spend_asset_id and r.id = o.receive_asset_id) as quote,
     (select ${asJson("a", ["order_id", "units"])} from payment_attempts a
       where a.order_id = o.id order by a.number desc limit 1) as attempt,
     (select ${INTENT} from payout_intents p where p.order_id = o.id and p.purpose = 'payout'
       order by p.created_at desc, p.id desc limit 1) as payout,
     (select json_agg(${INTENT} order by p.created_at, p.id) from payout_intents p
       where p.order_id = o.id and p.purpose <> 'payout') as refunds,
     (select ${asJson("i", ["order_id", "units"])} from payment_instructions i
       where i.order_id = o.id) as instruction,
     (select json_agg(${asJson("d", ["order_id", "units"])} order by d.created_at, d.id)
       from deposits d where d.order_id = o.id) as deposits,
     (select json_agg(json_build_object('status', e.status, 'statusReason', e.status_reason,
         'actor', e.actor, 'note', e.note, 'at', e.at) order by e.sequence)
       from order_events e where e.order_id = o.id) as timeline`;

// One statement: one moment and one round trip for all orders that are asked for at the same time.
const FIND = statement(
  "order_views_find",
  `select ${VIEW}, wanted.line::int
   from unnest($1::text[], $2::bigint[]) with ordinality as wanted (merchant_id, id, line)
     join orders o on o.merchant_id = wanted.merchant_id and o.id = wanted.id`,
);

/** JSON has no dates: they come as text. */
type AsText<Row> = {
  [Key in keyof Row]: Row[Key] extends Date
    ? string
    : Row[Key] extends Date | null
      ? string | null
      : Row[Key];
};

type OrderAsText = Omit<AsText<OrderRow>, "payout_sealed"> & {
  readonly payout_sealed: string | null;
};

interface ViewRow {
  readonly order: InTwo<OrderAsText>;
  readonly quote: InTwo<AsText<QuoteRow>>;
  readonly attempt: InTwo<PaymentAttemptRow> | null;
  readonly payout: InTwo<AsText<PayoutIntentRow>> | null;
  readonly refunds: readonly InTwo<AsText<PayoutIntentRow>>[] | null;
  readonly instruction: InTwo<PaymentInstructionRow> | null;
  readonly deposits: readonly InTwo<AsText<DepositRow>>[] | null;
  readonly timeline: readonly AsText<OrderEventItem>[];
}

export interface OrderViewKey {
  readonly merchantId: string;
  readonly orderId: bigint;
}

/** The orders as they are at one moment, in the order of their keys; undefined where there is none. */
async function findOrderViews(
  queryable: Queryable,
  keys: readonly OrderViewKey[],
): Promise<(OrderView | undefined)[]> {
  const rows = await queryable.query<ViewRow & { readonly line: number }>(FIND, [
    keys.map((key) => key.merchantId),
    keys.map((key) => key.orderId),
  ]);
  const views = new Map(rows.map((row) => [row.line, toOrderView(row)]));
  return keys.map((_key, index) => views.get(index + 1));
}

type FindOrderView = (key: OrderViewKey) => Promise<OrderView | undefined>;

const makeFindOrderView = (queryable: Queryable): FindOrderView => {
  let count = 0;
  return makeBatcher<OrderViewKey, OrderView | undefined>({
    run: (keys) => findOrderViews(queryable, keys),
    // Reads do not get in each other's way.
    keyOf: () => String((count += 1)),
    batchesInFlightMax: 3,
    itemsMax: 32,
  });
};

const finders = new WeakMap<Queryable, FindOrderView>();

/** Reads an order. Those that are asked for at the same time share a statement. */
export function findOrderView(
  queryable: Queryable,
  key: OrderViewKey,
): Promise<OrderView | undefined> {
  const find = finders.get(queryable) ?? makeFindOrderView(queryable);
  finders.set(queryable, find);
  return find(key);
}

/** Where an order stands in a list: newest first, and by id among those of one moment. */
export interface OrderPosition {
  /** Microseconds since 1970, as exact as the row has it. */
  readonly createdAtMicros: bigint;
  readonly id: bigint;
}

/** Which of a merchant's orders are listed; what is left out matches all. */
export interface OrderFilter {
  readonly merchantId: string;
  readonly status?: OrderStatus | undefined;
  readonly operation?: Operation | undefined;
  readonly sessionId?: string | undefined;
  /** Unix seconds; inclusive. */
  readonly createdFrom?: number | undefined;
  /** Unix seconds; exclusive. */
  readonly createdTo?: number | undefined;
  /** The order before the first one listed. */
  readonly after?: OrderPosition | undefined;
}

export interface ListedOrder {
  readonly view: OrderView;
  readonly position: OrderPosition;
}

/** The newest orders that match, at most `limit`. */
export async function listOrderViews(
  queryable: Queryable,
  filter: OrderFilter,
  limit: number,
): Promise<ListedOrder[]> {
  const { sql, values } = listStatement(filter);
  const rows = await queryable.query<ListRow>(sql, [...values, limit]);
  return rows.map((row) => ({
    view: toOrderView(row),
    position: { createdAtMicros: BigInt(row.created_at_micros), id: BigInt(joined(row.order).id) },
  }));
}

interface ListRow extends ViewRow {
  readonly created_at_micros: string;
}

/** A moment from a count since 1970; exact, as counts stay below 2^53. */
const momentOf = (parameter: string, unit: "second" | "microsecond"): string =>
  `timestamptz 'epoch' + ${parameter} * interval '1 ${unit}'`;

/** The members of a filter that are given, as conditions; each set of members is one statement. */
function listStatement(filter: OrderFilter) {
  const values: unknown[] = [];
  const used: string[] = [];
  const conditions: string[] = [];
  const add = (name: string, given: readonly unknown[], condition: (from: number) => string) => {
    if (given.includes(undefined)) return;
    conditions.push(condition(values.length + 1));
    values.push(...given);
    used.push(name);
  };
  const { after } = filter;
  add("m", [filter.merchantId], (at) => `merchant_id = $${at}`);
  add("status", [filter.status], (at) => `status = $${at}`);
  add("operation", [filter.operation], (at) => `operation = $${at}`);
  add("session", [filter.sessionId], (at) => `session_id = $${at}`);
  add("from", [filter.createdFrom], (at) => `created_at >= ${momentOf(`$${at}`, "second")}`);
  add("to", [filter.createdTo], (at) => `created_at < ${momentOf(`$${at}`, "second")}`);
  add(
    "after",
    [after?.createdAtMicros, after?.id],
    (at) => `(created_at, id) < (${momentOf(`$${at}`, "microsecond")}, $${at + 1})`,
  );
  const text = `select ${VIEW},
     (extract(epoch from o.created_at) * 1000000)::bigint as created_at_micros
   from (select * from orders where ${conditions.join(" and ")}
     order by created_at desc, id desc limit $${values.length + 1}) o
   order by o.created_at desc, o.id desc`;
  return { sql: statement(`order_views_list_${used.join("_")}`, text), values };
}

function toOrderView(row: ViewRow): OrderView {
  const { attempt, payout, refunds, instruction, deposits, timeline } = row;
  const [order, quote] = [joined(row.order), joined(row.quote)];
  return {
    order: toOrder({
      ...order,
      payout_sealed:
        order.payout_sealed === null ? null : Buffer.from(order.payout_sealed, "base64"),
      payment_expires_at: new Date(order.payment_expires_at),
      created_at: new Date(order.created_at),
      updated_at: new Date(order.updated_at),
    }),
    quote: toStoredQuote({
      ...quote,
      created_at: new Date(quote.created_at),
      expires_at: new Date(quote.expires_at),
    }).quote,
    attempt: attempt === null ? undefined : toPaymentAttempt(joined(attempt)),
    payout: payout === null ? undefined : intentOf(payout),
    refunds: (refunds ?? []).map(intentOf),
    instruction: instruction === null ? undefined : toPaymentInstruction(joined(instruction)),
    deposits: (deposits ?? [])
      .map(joined)
      .map((deposit) => toDeposit({ ...deposit, created_at: new Date(deposit.created_at) })),
    timeline: timeline.map((item) => ({ ...item, at: new Date(item.at) })),
  };
}

function intentOf(row: InTwo<AsText<PayoutIntentRow>>): PayoutIntent {
  const intent = joined(row);
  return toPayoutIntent({
    ...intent,
    released_at: intent.released_at === null ? null : new Date(intent.released_at),
    created_at: new Date(intent.created_at),
  });
}
