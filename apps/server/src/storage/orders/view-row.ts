import type { OrderView } from "../../domain/orders/view.ts";
import { PAYMENT_ATTEMPTS } from "../payments/attempts.ts";
import { DEPOSITS } from "../payments/deposits.ts";
import { PAYMENT_INSTRUCTIONS } from "../payments/instructions.ts";
import { SHOWN_PAYOUTS, toShownPayout } from "../payouts/table.ts";
import { ASSETS, QUOTES, toStoredQuote } from "../quotes/quotes.ts";
import { IS_PAGE_REVOKED } from "./pages.ts";
import { ORDER_EVENTS, ORDER_KEY, ORDERS } from "./table.ts";

/** The selected columns of an order `o` and of its joined rows. Each column is a row or a list as JSON. */
export const VIEW_COLUMNS = `${ORDERS.json("o")} as "order", ${ORDER_KEY("o")},
   ${IS_PAGE_REVOKED} as page_revoked,
   ${QUOTES.json("q")} as quote,
   ${ASSETS.json("s")} as spend, ${ASSETS.json("r")} as receive,
   ${PAYMENT_ATTEMPTS.json("a")} as attempt, ${SHOWN_PAYOUTS.json("p")} as payout,
   ${PAYMENT_INSTRUCTIONS.json("i")} as instruction,
   (select json_agg(${SHOWN_PAYOUTS.json("p")} order by p.created_at, p.id)
     from payout_intents p where p.order_id = o.id and p.purpose <> 'payout') as refunds,
   (select json_agg(${DEPOSITS.json("d")} order by d.created_at, d.id)
     from deposits d where d.order_id = o.id) as deposits,
   (select json_agg(${ORDER_EVENTS.json("e")} order by e.sequence)
     from order_events e where e.order_id = o.id) as timeline`;

/** Every row is joined to the order by key, so the cost does not grow with the number of orders. */
export const VIEW_JOINS = `
   join quotes q on q.id = o.quote_id
   join currencies s on s.id = o.spend_asset_id
   join currencies r on r.id = o.receive_asset_id
   left join lateral (select * from payment_attempts where order_id = o.id
     order by number desc limit 1) a on true
   left join lateral (select ${SHOWN_PAYOUTS.names} from payout_intents where order_id = o.id and purpose = 'payout'
     order by created_at desc, id desc limit 1) p on true
   left join payment_instructions i on i.order_id = o.id`;

/** A row of `VIEW_COLUMNS`. */
export interface OrderViewRow {
  readonly order: unknown;
  readonly data_key: Uint8Array | null;
  readonly page_revoked: boolean;
  readonly quote: unknown;
  readonly spend: unknown;
  readonly receive: unknown;
  readonly attempt: unknown;
  readonly payout: unknown;
  readonly instruction: unknown;
  readonly refunds: readonly unknown[] | null;
  readonly deposits: readonly unknown[] | null;
  readonly timeline: readonly unknown[];
}

export function toOrderView(row: OrderViewRow): OrderView {
  const { attempt, payout, instruction, refunds, deposits, timeline } = row;
  const [spend, receive] = [ASSETS.read(row.spend), ASSETS.read(row.receive)];
  return {
    order: { ...ORDERS.read(row.order), dataKey: row.data_key },
    isPageRevoked: row.page_revoked,
    quote: toStoredQuote(QUOTES.read(row.quote), spend, receive).quote,
    attempt: attempt === null ? undefined : PAYMENT_ATTEMPTS.read(attempt),
    payout: payout === null ? undefined : toShownPayout(payout),
    refunds: (refunds ?? []).map(toShownPayout),
    instruction: instruction === null ? undefined : PAYMENT_INSTRUCTIONS.read(instruction),
    deposits: (deposits ?? []).map(DEPOSITS.read),
    timeline: timeline.map(ORDER_EVENTS.read),
  };
}
