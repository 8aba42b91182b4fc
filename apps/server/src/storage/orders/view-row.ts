import type { Order } from "../../domain/orders/order.ts";
import type { Actor, OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { Deposit } from "../../domain/payments/deposit.ts";
import type { PaymentAttempt } from "../../domain/payments/payment-attempt.ts";
import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { type PaymentAttemptRow, toPaymentAttempt } from "../payments/attempts.ts";
import { type DepositRow, toDeposit } from "../payments/deposits.ts";
import { type PaymentInstructionRow, toPaymentInstruction } from "../payments/instructions.ts";
import { type PayoutIntentRow, toPayoutIntent } from "../payouts/intents.ts";
import { momentOf, partOf, readFields } from "../postgres/row-parts.ts";
import { type QuoteRow, toStoredQuote } from "../quotes/quotes.ts";
import { type OrderRow, toOrder } from "./orders.ts";
import type { OrderEventItem } from "./timeline.ts";

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

const ORDER = partOf<OrderRow>(
  "o",
  `id merchant_id session_id quote_id operation status status_reason payment_method_id:number
   delivery_method_id:number spend_asset_id:number spend_units received_units
   receive_asset_id:number receive_units wallet_address network_code memo refund_address
   refund_memo payout_sealed:bytes payout_shown:json held_from customer:json metadata:json
   card_attempts:number payment_expires_at:moment version:number created_at:moment
   updated_at:moment`,
);

const QUOTE = partOf<QuoteRow>(
  "q",
  `id merchant_id session_id operation spend_currency_id:number spend_units
   receive_currency_id:number receive_units rate mid_rate fees:json transaction_fee_units
   delivery_fee_units spread_units payment_method_id:number delivery_method_id:number
   delivery_days_min:number delivery_days_max:number limit_min_units limit_max_units rate_source
   created_at:moment expires_at:moment consumed_by_order_id`,
  {
    spend_code: "s.code",
    "spend_decimals:number": "s.decimals",
    "spend_published_decimals:number": "s.published_decimals",
    receive_code: "r.code",
    "receive_decimals:number": "r.decimals",
    "receive_published_decimals:number": "r.published_decimals",
  },
);

const ATTEMPT = partOf<PaymentAttemptRow>(
  "a",
  `id order_id number:number card_token brand last_four asset_id:number units status
   decline_reason challenge_url three_d_secure:json`,
);

const PAYOUT = partOf<PayoutIntentRow>(
  "p",
  `id order_id merchant_id purpose rail asset_id:number units network_code address memo
   attempt_id deposit_id nonce state transaction_hash confirmations:number settled_hash
   void_reason released_at:moment euro_cents created_at:moment`,
  { signed_bytes: "null" },
);

const INSTRUCTION = partOf<PaymentInstructionRow>(
  "i",
  "order_id rail asset_id:number units network_code address memo reference account:json",
);

/** A row as JSON. Exact numbers leave as text, since JSON numbers become doubles. */
const asJson = (alias: string, exact: readonly string[]): string =>
  `json_build_array(to_json(${alias}), json_build_object(${exact
    .map((column) => `'${column}', ${alias}.${column}::text`)
    .join(", ")}))`;

// Few orders have refunds or deposits, and some have several.
const LISTS = `(select json_agg(${asJson("p", ["order_id", "units", "nonce", "euro_cents"])}
       order by p.created_at, p.id)
     from payout_intents p where p.order_id = o.id and p.purpose <> 'payout') as refunds,
   (select json_agg(${asJson("d", ["order_id", "units"])} order by d.created_at, d.id)
     from deposits d where d.order_id = o.id) as deposits,
   (select json_agg(json_build_array(e.status, e.status_reason, e.actor, e.note,
       date_part('epoch', e.at)) order by e.sequence)
     from order_events e where e.order_id = o.id) as timeline`;

/** The parts in their order, by their tables. */
export const VIEW_PARTS = {
  orders: ORDER,
  quotes: QUOTE,
  payment_attempts: ATTEMPT,
  payout_intents: PAYOUT,
  payment_instructions: INSTRUCTION,
};

/** What is selected of an order `o`. */
export const VIEW_COLUMNS = `row(${Object.values(VIEW_PARTS)
  .map(({ columns }) => columns)
  .join(", ")})::text as parts,
   ${LISTS}`;

/** Everything hangs on the order's row, each by its key: however many orders there are, it costs the same. */
export const VIEW_JOINS = `
   join quotes q on q.id = o.quote_id
   join currencies s on s.id = o.spend_asset_id
   join currencies r on r.id = o.receive_asset_id
   left join lateral (select * from payment_attempts where order_id = o.id
     order by number desc limit 1) a on true
   left join lateral (select * from payout_intents where order_id = o.id and purpose = 'payout'
     order by created_at desc, id desc limit 1) p on true
   left join payment_instructions i on i.order_id = o.id`;

const QUOTE_AT = ORDER.width;
const ATTEMPT_AT = QUOTE_AT + QUOTE.width;
const PAYOUT_AT = ATTEMPT_AT + ATTEMPT.width;
const INSTRUCTION_AT = PAYOUT_AT + PAYOUT.width;

/** JSON has no dates: they come as text. */
type AsText<Row> = {
  [Key in keyof Row]: Row[Key] extends Date
    ? string
    : Row[Key] extends Date | null
      ? string | null
      : Row[Key];
};

/** All columns of a row, and those that are exact. */
type InTwo<Row> = readonly [columns: AsText<Row>, exact: Partial<AsText<Row>>];

type Event = readonly [OrderStatus, StatusReason | null, Actor, note: string, at: number];

/** A row of `VIEW_COLUMNS`. */
export interface OrderViewRow {
  readonly parts: string;
  readonly refunds: readonly InTwo<PayoutIntentRow>[] | null;
  readonly deposits: readonly InTwo<DepositRow>[] | null;
  readonly timeline: readonly Event[];
}

export function toOrderView({ parts, refunds, deposits, timeline }: OrderViewRow): OrderView {
  const fields = readFields(parts);
  const attempt = ATTEMPT.read(fields, ATTEMPT_AT);
  const payout = PAYOUT.read(fields, PAYOUT_AT);
  const instruction = INSTRUCTION.read(fields, INSTRUCTION_AT);
  return {
    order: toOrder(ORDER.read(fields, 0) as OrderRow),
    quote: toStoredQuote(QUOTE.read(fields, QUOTE_AT) as QuoteRow).quote,
    attempt: attempt && toPaymentAttempt(attempt),
    payout: payout && toPayoutIntent(payout),
    refunds: (refunds ?? []).map(toRefund),
    instruction: instruction && toPaymentInstruction(instruction),
    deposits: (deposits ?? []).map(([columns, exact]) => {
      const row = { ...columns, ...exact };
      return toDeposit({ ...row, created_at: new Date(row.created_at) });
    }),
    timeline: timeline.map(([status, statusReason, actor, note, at]) => ({
      status,
      statusReason,
      actor,
      note,
      at: momentOf(at),
    })),
  };
}

function toRefund([columns, exact]: InTwo<PayoutIntentRow>): PayoutIntent {
  const row = { ...columns, ...exact };
  return toPayoutIntent({
    ...row,
    signed_bytes: null,
    released_at: row.released_at === null ? null : new Date(row.released_at),
    created_at: new Date(row.created_at),
  });
}
