import { statement } from "../postgres/database.ts";
import {
  COINS,
  EARNED,
  IN_SPAN,
  IS_EXCHANGE,
  inSnapshot,
  type PageQuery,
  type Report,
  type ReportDatabase,
  type ReportRow,
  type ReportSpan,
  ROWS_AT_ONCE,
  readEntryBounds,
  readPages,
  TIME,
} from "./report-parts.ts";

/** Exchanges and their reversals of the span, $1 to $2, of the merchant $3, with the entries after $4 up to $5. */
const EXCHANGES = `ledger_entries e join currencies c on c.id = e.asset_id
   left join orders o on o.id = e.order_id
   ${EARNED}
   where e.id > $4 and e.id <= $5 and ${IS_EXCHANGE}
     and ${IN_SPAN("e.effective_at")} and ($3::text is null or e.merchant_id = $3)`;

const TOTAL_FEES = "earned.spread + earned.fee + earned.delivery";

const FEES = statement(
  "reports_fees",
  `select e.id, ${TIME("e.effective_at")} as "time", e.merchant_id as "merchant",
     coalesce(e.order_id::text, '') as "order", coalesce(o.operation, '') as "operation",
     c.reference as "currency", ${COINS("earned.spread", "c")} as "spread",
     ${COINS("earned.fee", "c")} as "transactionFee",
     ${COINS("earned.delivery", "c")} as "deliveryFee",
     ${COINS(TOTAL_FEES, "c")} as "total",
     case when e.reverses is null then '' else 'reversal' end as "note"
   from ${EXCHANGES} and earned.lines > 0
   order by e.id limit ${ROWS_AT_ONCE}`,
);

/** Reports the revenue of each exchange. A reversed exchange has negative revenue. */
export const reportFees: Report = async (database, { fromDay, toDay, merchantId }, onRows) => {
  await inSnapshot(database, async (tx) => {
    const { first, high } = await readEntryBounds(tx, fromDay, toDay);
    const queryOf = (after: string): PageQuery => [
      FEES,
      [fromDay, toDay, merchantId, after === "0" ? first : after, high],
    ];
    await readPages(tx, { queryOf, onRows });
  });
};

const sum = (units: string): string => COINS(`sum(${units})`, "c");

// A row without a day is the total of its operation and currency.
const BY_DAY = statement(
  "reports_exchanges_by_day",
  `select coalesce(to_char(day, 'YYYY-MM-DD'), '') as "day", operation, c.reference as "currency",
     sum(sign(paid))::text as "orders", ${sum("paid")} as "volume", ${sum("owed")} as "delivered",
     ${sum("spread")} as "spread", ${sum("fee")} as "transactionFee", ${sum("delivery")} as "deliveryFee",
     ${sum("spread + fee + delivery")} as "fees"
   from (
     select (e.effective_at at time zone 'UTC')::date as day, coalesce(o.operation, '') as operation,
       c.id as currency_id, earned.*
     from ${EXCHANGES}) exchanged join currencies c on c.id = currency_id
   group by grouping sets ((day, operation, c.id), (operation, c.id))
   order by day nulls last, operation, c.reference`,
);

/** Reports volume and fees by day, operation and currency. The rows without a day at the end are the totals. */
export const reportDays: Report = async (database, { fromDay, toDay, merchantId }, onRows) => {
  await inSnapshot(database, async (tx) => {
    const { first, high } = await readEntryBounds(tx, fromDay, toDay);
    await onRows(await tx.query<ReportRow>(BY_DAY, [fromDay, toDay, merchantId, first, high]));
  });
};

const PAYOUTS = statement(
  "reports_payouts",
  `select i.created_at::text || ' ' || i.id as id, ${TIME("i.created_at")} as "created", i.id::text as "payout",
     i.merchant_id as "merchant", i.order_id::text as "order", i.purpose as "purpose",
     i.rail as "rail", coalesce(i.network_code, '') as "network", c.reference as "currency",
     ${COINS("i.units", "c")} as "amount", (i.euro_cents / 100.0)::numeric(38, 2)::text as "euroValue",
     i.state as "state", coalesce(i.void_reason, '') as "reason",
     ${TIME("i.released_at")} as "released",
     coalesce(i.settled_hash, i.transaction_hash, '') as "reference"
   from payout_intents i join currencies c on c.id = i.asset_id
   where ${IN_SPAN("i.created_at")} and ($3::text is null or i.merchant_id = $3)
     and ($4 = '0' or (i.created_at, i.id) >
       (substring($4 from '^(.*) [^ ]+$')::timestamptz, substring($4 from '[^ ]+$')::uuid))
   order by i.created_at, i.id limit ${ROWS_AT_ONCE}`,
);

/** Reports every payout and refund that was created in the span, with its state. */
export const reportPayouts: Report = (database, { fromDay, toDay, merchantId }, onRows) => {
  const queryOf = (after: string): PageQuery => [PAYOUTS, [fromDay, toDay, merchantId, after]];
  return inSnapshot(database, (tx) => readPages(tx, { queryOf, onRows }));
};

/** How many sessions of a span began, got an order, and ended with a completed one. */
export interface Conversion {
  readonly sessions: number;
  readonly placed: number;
  readonly fulfilled: number;
}

const CONVERSION = statement(
  "reports_conversion",
  `select count(*)::int as sessions, count(o.id)::int as placed,
     count(*) filter (where o.status = 'completed')::int as fulfilled
   from sessions s left join orders o on o.id = s.order_id
   where s.merchant_id = $3 and ${IN_SPAN("s.created_at")}`,
);

export function readConversion(
  database: ReportDatabase,
  { fromDay, toDay, merchantId }: ReportSpan,
): Promise<Conversion> {
  return inSnapshot(database, async (tx) => {
    const [row] = await tx.query<Conversion>(CONVERSION, [fromDay, toDay, merchantId]);
    if (!row) throw new Error("the conversion of sessions has no row");
    return row;
  });
}
