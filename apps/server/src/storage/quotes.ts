import {
  type Asset,
  type Decimal,
  formatDecimal,
  type Money,
  money,
  parseDecimal,
} from "@exchange/money";
import type { Operation } from "../domain/catalogue/operation.ts";
import type { Quote, QuoteFee } from "../domain/quotes/quote.ts";
import { type Queryable, statement, type Tx } from "./database.ts";

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
  "quote_insert",
  `insert into quotes (id, merchant_id, session_id, operation, spend_currency_id, spend_units,
     receive_currency_id, receive_units, rate, mid_rate, fees, transaction_fee_units,
     delivery_fee_units, spread_units, payment_method_id, delivery_method_id, delivery_days_min,
     delivery_days_max, limit_min_units, limit_max_units, rate_source, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
     $20, $21, $22, $23)`,
);
// The two currencies come along, so that a quote reads back whole without the catalogue in memory.
const COLUMNS = `q.*,
  s.code as spend_code, s.decimals as spend_decimals,
  s.published_decimals as spend_published_decimals,
  r.code as receive_code, r.decimals as receive_decimals,
  r.published_decimals as receive_published_decimals`;
const MATCHES = `q.id = $1 and q.merchant_id = $2 and q.session_id = $3
  and s.id = q.spend_currency_id and r.id = q.receive_currency_id`;
const CONSUME = statement(
  "quote_consume",
  `update quotes q set consumed_by_order_id = $4, consumed_at = business_now()
   from currencies s, currencies r
   where ${MATCHES} and q.consumed_by_order_id is null and q.expires_at > business_now()
   returning ${COLUMNS}`,
);
const READ = statement(
  "quote_read",
  `select ${COLUMNS} from quotes q, currencies s, currencies r where ${MATCHES}`,
);

/** Keeps a quote for a session, so that an order can be priced from it. */
export async function insertQuote(
  queryable: Queryable,
  entry: { readonly quote: Quote; readonly merchantId: string; readonly sessionId: string },
): Promise<void> {
  const { quote, merchantId, sessionId } = entry;
  const fees = quote.fees.map(({ type, amount }) => ({ type, units: String(amount.units) }));
  await queryable.query(INSERT, [
    quote.id,
    merchantId,
    sessionId,
    quote.operation,
    quote.spend.asset.id,
    quote.spend.units,
    quote.receive.asset.id,
    quote.receive.units,
    formatDecimal(quote.rate),
    formatDecimal(quote.midRate),
    JSON.stringify(fees),
    quote.transactionFee.units,
    quote.deliveryFee.units,
    quote.spread.units,
    quote.paymentMethodId,
    quote.deliveryMethodId,
    quote.deliveryDays.min,
    quote.deliveryDays.max,
    quote.limits.min.units,
    quote.limits.max.units,
    quote.rateSource,
    quote.createdAt,
    quote.expiresAt,
  ]);
}

/**
 * Gives the quote to an order: one conditional update, so only one of many wins. Undefined when it
 * is another session's, expired or used; `readQuote` then tells which.
 */
export async function consumeQuote(
  tx: Tx,
  consumption: QuoteKey & { readonly orderId: bigint },
): Promise<StoredQuote | undefined> {
  const { quoteId, merchantId, sessionId, orderId } = consumption;
  const [row] = await tx.query<QuoteRow>(CONSUME, [quoteId, merchantId, sessionId, orderId]);
  return row && toStoredQuote(row);
}

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
