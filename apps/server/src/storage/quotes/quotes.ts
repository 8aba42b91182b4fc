import { type Asset, type Money, money } from "@exchange/money";
import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Quote, QuoteEvidence, QuoteFee } from "../../domain/quotes/quote.ts";
import { makeBatcher } from "../postgres/batches.ts";
import { lookup, type Queryable, statement, type Tx } from "../postgres/database.ts";
import {
  bigInteger,
  decimal,
  integer,
  json,
  nullable,
  records,
  type TableRow,
  table,
  text,
  timestamp,
  units,
} from "../postgres/table.ts";

/** A quote that is stored for a session, with the order that used it. */
export interface StoredQuote {
  readonly quote: Quote;
  readonly merchantId: string;
  readonly sessionId: string;
  readonly consumedByOrderId: bigint | null;
  /** The order to which the quote offers a new price. Null for a quote that an order is placed from. */
  readonly repricesOrderId: bigint | null;
}

export interface QuoteKey {
  readonly quoteId: string;
  readonly merchantId: string;
  readonly sessionId: string;
}

export interface NewQuote {
  readonly quote: Quote;
  readonly merchantId: string;
  readonly sessionId: string;
  readonly repricesOrderId?: bigint | undefined;
}

interface FeeJson {
  readonly type: QuoteFee["type"];
  readonly units: string;
}

export const QUOTES = table({
  id: text(),
  merchant_id: text(),
  session_id: text(),
  operation: text<Operation>(),
  spend_currency_id: integer(),
  spend_units: units(),
  receive_currency_id: integer(),
  receive_units: units(),
  asked_receive: nullable(decimal()),
  rate: decimal(),
  mid_rate: decimal(),
  fees: json<readonly FeeJson[]>(),
  transaction_fee_units: units(),
  delivery_fee_units: units(),
  spread_units: units(),
  payment_method_id: integer(),
  delivery_method_id: integer(),
  delivery_days_min: nullable(integer()),
  delivery_days_max: nullable(integer()),
  limit_min_units: units(),
  limit_max_units: units(),
  rate_source: text(),
  created_at: timestamp(),
  expires_at: timestamp(),
  consumed_by_order_id: nullable(bigInteger()),
  reprices_order_id: nullable(bigInteger()),
});

/** The columns of `currencies` that an `Asset` consists of. */
export const ASSETS = table({
  id: integer(),
  code: text(),
  decimals: integer(),
  published_decimals: integer(),
});

// The origin of the prices is written once. Only `exchange orders explain` reads it, so no other read carries it.
const NEW_QUOTES = table({
  ...QUOTES.omit("consumed_by_order_id").columns,
  evidence: nullable(json<QuoteEvidence>()),
});

const INSERT = statement(
  "quotes_insert",
  `insert into quotes (${NEW_QUOTES.names})
   select ${NEW_QUOTES.names} from ${records("quotes", NEW_QUOTES.definitions)}`,
);
// The statement selects both currencies too, so that a whole quote is read without the catalogue in memory.
const READ = lookup(
  "quote_read",
  ["text", "text", "text"],
  `select ${QUOTES.of("q")}, ${ASSETS.json("s")} as spend, ${ASSETS.json("r")} as receive
   from quotes q, currencies s, currencies r
   where q.id = $1 and q.merchant_id = $2 and q.session_id = $3
     and s.id = q.spend_currency_id and r.id = q.receive_currency_id`,
);

const rowOf = ({
  quote,
  merchantId,
  sessionId,
  repricesOrderId,
}: NewQuote): TableRow<typeof NEW_QUOTES> => ({
  id: quote.id,
  merchantId,
  sessionId,
  operation: quote.operation,
  spendCurrencyId: quote.spend.asset.id,
  spendUnits: quote.spend.units,
  receiveCurrencyId: quote.receive.asset.id,
  receiveUnits: quote.receive.units,
  askedReceive: quote.askedReceive,
  rate: quote.rate,
  midRate: quote.midRate,
  fees: quote.fees.map(({ type, amount }) => ({ type, units: String(amount.units) })),
  transactionFeeUnits: quote.transactionFee.units,
  deliveryFeeUnits: quote.deliveryFee.units,
  spreadUnits: quote.spread.units,
  paymentMethodId: quote.paymentMethodId,
  deliveryMethodId: quote.deliveryMethodId,
  deliveryDaysMin: quote.deliveryDays.min,
  deliveryDaysMax: quote.deliveryDays.max,
  limitMinUnits: quote.limits.min.units,
  limitMaxUnits: quote.limits.max.units,
  rateSource: quote.rateSource,
  createdAt: quote.createdAt,
  expiresAt: quote.expiresAt,
  repricesOrderId: repricesOrderId ?? null,
  evidence: quote.evidence ?? null,
});

/** Stores a quote for a session, so that an order can be priced from it. */
export type InsertQuote = (quote: NewQuote) => Promise<void>;

/** Quotes that are stored at the same time share a statement and a commit. */
export const makeInsertQuote = (queryable: Queryable): InsertQuote =>
  makeBatcher<NewQuote, void>({
    run: async (quotes) => {
      const rows = quotes.map((quote) => NEW_QUOTES.write(rowOf(quote)));
      await queryable.query(INSERT, [JSON.stringify({ quotes: rows })]);
      return quotes.map(() => undefined);
    },
    batchesInFlightMax: 2,
    itemsMax: 64,
  });

// The price offer of another order, a used one and an expired one do not match.
const USE_OFFER = statement(
  "quotes_use_offer",
  `update quotes set consumed_by_order_id = reprices_order_id, consumed_at = business_now()
   where id = $1 and reprices_order_id = $2 and consumed_by_order_id is null
     and expires_at > business_now()`,
);

/** Uses a price offer for its order. Returns false when the order cannot use it. */
export const usePriceOffer = async (
  tx: Tx,
  offer: { readonly quoteId: string; readonly orderId: bigint },
): Promise<boolean> => (await tx.write(USE_OFFER, [offer.quoteId, offer.orderId])) > 0;

interface ReadRow {
  readonly spend: unknown;
  readonly receive: unknown;
}

/**
 * Returns the session's quote even if it is used or expired, and undefined when the session has no such
 * quote.
 */
export async function readQuote(
  queryable: Queryable,
  key: QuoteKey,
): Promise<StoredQuote | undefined> {
  const { quoteId, merchantId, sessionId } = key;
  const [row] = await queryable.query<ReadRow>(READ, [quoteId, merchantId, sessionId]);
  return row && toStoredQuote(QUOTES.read(row), ASSETS.read(row.spend), ASSETS.read(row.receive));
}

export function toStoredQuote(
  row: TableRow<typeof QUOTES>,
  spendAsset: Asset,
  receiveAsset: Asset,
): StoredQuote {
  const inReceived = (amount: bigint): Money => money(receiveAsset, amount);
  return {
    merchantId: row.merchantId,
    sessionId: row.sessionId,
    consumedByOrderId: row.consumedByOrderId,
    repricesOrderId: row.repricesOrderId,
    quote: {
      id: row.id,
      operation: row.operation,
      spend: money(spendAsset, row.spendUnits),
      receive: inReceived(row.receiveUnits),
      askedReceive: row.askedReceive,
      rate: row.rate,
      midRate: row.midRate,
      fees: row.fees.map((fee) => ({ type: fee.type, amount: inReceived(BigInt(fee.units)) })),
      transactionFee: inReceived(row.transactionFeeUnits),
      deliveryFee: inReceived(row.deliveryFeeUnits),
      spread: inReceived(row.spreadUnits),
      paymentMethodId: row.paymentMethodId,
      deliveryMethodId: row.deliveryMethodId,
      deliveryDays: { min: row.deliveryDaysMin, max: row.deliveryDaysMax },
      limits: {
        min: money(spendAsset, row.limitMinUnits),
        max: money(spendAsset, row.limitMaxUnits),
      },
      rateSource: row.rateSource,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
    },
  };
}
