import type { Quote } from "../domain/quotes/quote.ts";
import { type Queryable, statement } from "./database.ts";
import type { OrderEventItem } from "./order-timeline.ts";
import { type Order, type OrderRow, toOrder } from "./orders.ts";
import {
  type PaymentAttempt,
  type PaymentAttemptRow,
  toPaymentAttempt,
} from "./payment-attempts.ts";
import { type PayoutIntent, type PayoutIntentRow, toPayoutIntent } from "./payout-intents.ts";
import { type QuoteRow, toStoredQuote } from "./quotes.ts";

/** An order with all that belongs to it, as it was at one moment. */
export interface OrderView {
  readonly order: Order;
  readonly quote: Quote;
  /** The latest one. */
  readonly attempt: PaymentAttempt | undefined;
  readonly payout: PayoutIntent | undefined;
  readonly timeline: readonly OrderEventItem[];
}

/** A row as JSON. Exact numbers leave as text, since JSON numbers become doubles. */
function asJson(alias: string, exactColumns: readonly string[]): string {
  const exact = exactColumns.map((column) => `'${column}', ${alias}.${column}::text`).join(", ");
  return `to_jsonb(${alias}) || jsonb_build_object(${exact})`;
}

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

// One statement: one moment, one round trip. The signed bytes stay where they are.
const FIND = statement(
  "order_views_find",
  `select to_jsonb(o) || jsonb_build_object('id', o.id::text, 'spend_units', o.spend_units::text,
       'received_units', o.received_units::text, 'receive_units', o.receive_units::text) as "order",
     ${asJson("q", QUOTE_EXACT)} || jsonb_build_object(
       'spend_code', s.code, 'spend_decimals', s.decimals,
       'spend_published_decimals', s.published_decimals, 'receive_code', r.code,
       'receive_decimals', r.decimals, 'receive_published_decimals', r.published_decimals) as quote,
     (select ${asJson("a", ["order_id", "units"])} from payment_attempts a
       where a.order_id = o.id order by a.number desc limit 1) as attempt,
     (select ${asJson("p", ["order_id", "units"])} || '{"signed_bytes": null}'
       from payout_intents p where p.order_id = o.id) as payout,
     (select jsonb_agg(jsonb_build_object('status', e.status, 'statusReason', e.status_reason,
         'actor', e.actor, 'note', e.note, 'at', e.at) order by e.sequence)
       from order_events e where e.order_id = o.id) as timeline
   from orders o
     join quotes q on q.id = o.quote_id
     join currencies s on s.id = o.spend_asset_id
     join currencies r on r.id = o.receive_asset_id
   where o.merchant_id = $1 and o.id = $2`,
);

/** JSON has no dates: they come as text. */
type AsText<Row> = { [Key in keyof Row]: Row[Key] extends Date ? string : Row[Key] };

interface ViewRow {
  readonly order: AsText<OrderRow>;
  readonly quote: AsText<QuoteRow>;
  readonly attempt: PaymentAttemptRow | null;
  readonly payout: PayoutIntentRow | null;
  readonly timeline: readonly AsText<OrderEventItem>[];
}

export async function findOrderView(
  queryable: Queryable,
  key: { readonly merchantId: string; readonly orderId: bigint },
): Promise<OrderView | undefined> {
  const [row] = await queryable.query<ViewRow>(FIND, [key.merchantId, key.orderId]);
  return row && toOrderView(row);
}

function toOrderView(row: ViewRow): OrderView {
  const { order, quote, attempt, payout, timeline } = row;
  return {
    order: toOrder({
      ...order,
      payment_expires_at: new Date(order.payment_expires_at),
      created_at: new Date(order.created_at),
      updated_at: new Date(order.updated_at),
    }),
    quote: toStoredQuote({
      ...quote,
      created_at: new Date(quote.created_at),
      expires_at: new Date(quote.expires_at),
    }).quote,
    attempt: attempt === null ? undefined : toPaymentAttempt(attempt),
    payout: payout === null ? undefined : toPayoutIntent(payout),
    timeline: timeline.map((item) => ({ ...item, at: new Date(item.at) })),
  };
}
