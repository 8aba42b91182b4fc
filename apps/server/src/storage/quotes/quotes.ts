import {
  type Asset,
  type Decimal,
  formatDecimal,
  type Money,
  money,
  parseDecimal,
} from "@exchange/money";
import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Quote, QuoteFee } from "../../domain/quotes/quote.ts";
import { sharedBatcher } from "../postgres/batches.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { orderSlots } from "../postgres/statement-slots.ts";

/** A quote that was kept for a session, and the order that used it. */
export interface StoredQuote {
  readonly quote: Quote;
  readonly merchantId: string;
  readonly sessionId: string;
  readonly consumedByOrderId: bigint | null;
}

export interface QuoteKey {
  readonly quoteId: string;
  readonly merchantId: string;
  readonly sessionId: string;
}

const INSERT = statement(
  "quotes_insert",
  `insert into quotes (id, merchant_id, session_id, operation, spend_currency_id, spend_units,
     receive_currency_id, receive_units, rate, mid_rate, fees, transaction_fee_units,
     delivery_fee_units, spread_units, payment_method_id, delivery_method_id, delivery_days_min,
     delivery_days_max, limit_min_units, limit_max_units, rate_source, created_at, expires_at)
   select id, merchant_id, session_id, operation, spend_currency_id, spend_units,
     receive_currency_id, receive_units, rate, mid_rate, fees, transaction_fee_units,
     delivery_fee_units, spread_units, payment_method_id, delivery_method_id, delivery_days_min,
     delivery_days_max, limit_min_units, limit_max_units, rate_source, created_at, expires_at
   from (${jsonRows(
     "quotes",
     `id text, merchant_id text, session_id text, operation text, spend_currency_id int,
      spend_units numeric, receive_currency_id int, receive_units numeric, rate numeric,
      mid_rate numeric, fees jsonb, transaction_fee_units numeric, delivery_fee_units numeric,
      spread_units numeric, payment_method_id int, delivery_method_id int, delivery_days_min int,
      delivery_days_max int, limit_min_units numeric, limit_max_units numeric, rate_source text,
      created_at timestamptz, expires_at timestamptz`,
   )}) quotes`,
);
// The two currencies come along, so that a quote reads back whole without the catalogue in memory.
const COLUMNS = `q.*,
  s.code as spend_code, s.decimals as spend_decimals,
  s.published_decimals as spend_published_decimals,
  r.code as receive_code, r.decimals as receive_decimals,
  r.published_decimals as receive_published_decimals`;
const MATCHES = `q.id = $1 and q.merchant_id = $2 and q.session_id = $3
  and s.id = q.spend_currency_id and r.id = q.receive_currency_id`;
const READ = statement(
  "quote_read",
  `select ${COLUMNS} from quotes q, currencies s, currencies r where ${MATCHES}`,
);

export interface NewQuote {
  readonly quote: Quote;
  readonly merchantId: string;
  readonly sessionId: string;
}

const rowOf = ({ quote, merchantId, sessionId }: NewQuote) => ({
  is_a: "quotes",
  id: quote.id,
  merchant_id: merchantId,
  session_id: sessionId,
  operation: quote.operation,
  spend_currency_id: quote.spend.asset.id,
  spend_units: String(quote.spend.units),
  receive_currency_id: quote.receive.asset.id,
  receive_units: String(quote.receive.units),
  rate: formatDecimal(quote.rate),
  mid_rate: formatDecimal(quote.midRate),
  fees: quote.fees.map(({ type, amount }) => ({ type, units: String(amount.units) })),
  transaction_fee_units: String(quote.transactionFee.units),
  delivery_fee_units: String(quote.deliveryFee.units),
  spread_units: String(quote.spread.units),
  payment_method_id: quote.paymentMethodId,
  delivery_method_id: quote.deliveryMethodId,
  delivery_days_min: quote.deliveryDays.min,
  delivery_days_max: quote.deliveryDays.max,
  limit_min_units: String(quote.limits.min.units),
  limit_max_units: String(quote.limits.max.units),
  rate_source: quote.rateSource,
  created_at: quote.createdAt,
  expires_at: quote.expiresAt,
});

async function insertQuotes(queryable: Queryable, quotes: readonly NewQuote[]): Promise<void[]> {
  await queryable.query(INSERT, [JSON.stringify({ quotes: quotes.map(rowOf) })]);
  return quotes.map(() => undefined);
}

const insertShared = sharedBatcher<Queryable, NewQuote, void>((queryable) => ({
  run: (quotes) => insertQuotes(queryable, quotes),
  batchesInFlightMax: 2,
  slots: orderSlots(queryable),
  itemsMax: 64,
}));

/**
 * Keeps a quote for a session, so that an order can be priced from it. Those that are drawn up at the
 * same time share a statement and a commit.
 */
export const insertQuote = (queryable: Queryable, quote: NewQuote): Promise<void> =>
  insertShared(queryable, quote);

/** The session's quote whatever became of it; undefined when the session has no such quote. */
export async function readQuote(
  queryable: Queryable,
  key: QuoteKey,
): Promise<StoredQuote | undefined> {
  const { quoteId, merchantId, sessionId } = key;
  const [row] = await queryable.query<QuoteRow>(READ, [quoteId, merchantId, sessionId]);
  return row && toStoredQuote(row);
}

export interface QuoteRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly session_id: string;
  readonly operation: Operation;
  readonly spend_currency_id: number;
  readonly spend_code: string;
  readonly spend_decimals: number;
  readonly spend_published_decimals: number;
  readonly spend_units: string;
  readonly receive_currency_id: number;
  readonly receive_code: string;
  readonly receive_decimals: number;
  readonly receive_published_decimals: number;
  readonly receive_units: string;
  readonly rate: string;
  readonly mid_rate: string;
  readonly fees: readonly { readonly type: QuoteFee["type"]; readonly units: string }[];
  readonly transaction_fee_units: string;
  readonly delivery_fee_units: string;
  readonly spread_units: string;
  readonly payment_method_id: number;
  readonly delivery_method_id: number;
  readonly delivery_days_min: number | null;
  readonly delivery_days_max: number | null;
  readonly limit_min_units: string;
  readonly limit_max_units: string;
  readonly rate_source: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly consumed_by_order_id: string | null;
}

export function toStoredQuote(row: QuoteRow): StoredQuote {
  const spent: Asset = {
    id: row.spend_currency_id,
    code: row.spend_code,
    decimals: row.spend_decimals,
    publishedDecimals: row.spend_published_decimals,
  };
  const received: Asset = {
    id: row.receive_currency_id,
    code: row.receive_code,
    decimals: row.receive_decimals,
    publishedDecimals: row.receive_published_decimals,
  };
  const inSpent = (units: string): Money => money(spent, BigInt(units));
  const inReceived = (units: string): Money => money(received, BigInt(units));
  return {
    merchantId: row.merchant_id,
    sessionId: row.session_id,
    consumedByOrderId: row.consumed_by_order_id === null ? null : BigInt(row.consumed_by_order_id),
    quote: {
      id: row.id,
      operation: row.operation,
      spend: inSpent(row.spend_units),
      receive: inReceived(row.receive_units),
      rate: decimalOf(row.rate),
      midRate: decimalOf(row.mid_rate),
      fees: row.fees.map(({ type, units }) => ({ type, amount: inReceived(units) })),
      transactionFee: inReceived(row.transaction_fee_units),
      deliveryFee: inReceived(row.delivery_fee_units),
      spread: inReceived(row.spread_units),
      paymentMethodId: row.payment_method_id,
      deliveryMethodId: row.delivery_method_id,
      deliveryDays: { min: row.delivery_days_min, max: row.delivery_days_max },
      limits: { min: inSpent(row.limit_min_units), max: inSpent(row.limit_max_units) },
      rateSource: row.rate_source,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    },
  };
}

function decimalOf(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error(`${text} is not a decimal number`);
  return value;
}
