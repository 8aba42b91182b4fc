import type { OpenOrderCaps, OpenOrderScope } from "../../domain/orders/open-orders.ts";
import type { NewOrder, Order, TimelineNote } from "../../domain/orders/order.ts";
import { KEY_COLUMNS, keyRecord, type NewDataKey, storeKeys } from "../customers/data-keys.ts";
import { makeBatcher } from "../postgres/batches.ts";
import type { Database, Queryable } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { statement } from "../postgres/statement.ts";
import { isRefused, retryOnConflict } from "../postgres/transaction.ts";
import { eventId, eventParts, WEBHOOKS_DUE_CHANNEL } from "../webhooks/outbox.ts";
import type { StepEvent } from "./order-step.ts";
import { ORDERS } from "./table.ts";

/** A new order with everything that is written when it is placed. */
export interface Placing {
  readonly order: NewOrder;
  /** The token of the request. A token that a newer one has replaced cannot place an order. */
  readonly tokenJti: string;
  readonly note: TimelineNote;
  readonly event: StepEvent;
  /** The order's data key. Undefined when the session stored it already, with the same digests. */
  readonly newKey?: NewDataKey | undefined;
  /** Absent where nothing caps the open orders. */
  readonly open?: OpenOrder | undefined;
  /** Whether the coins that the order receives come from a bounded stock. */
  readonly claimsStock?: boolean;
  /** The trace of the request. Absent where it is not recorded. */
  readonly traceParent?: string | undefined;
}

/** The part of a new order that the caps of open orders count. */
export interface OpenOrder {
  readonly euroCents: bigint;
  /** The keyed digest of the merchant's reference of its customer. Null where the merchant gave none. */
  readonly customerDigest: Uint8Array | null;
  readonly caps: OpenOrderCaps;
}

/** The order would exceed a cap of the open orders. */
export class OpenOrdersCapped extends Error {
  readonly scope: OpenOrderScope;
  constructor(scope: OpenOrderScope) {
    super(`the open orders of a ${scope} are at their cap`);
    this.scope = scope;
  }
}

/** The order needs more coins than the asset has above its floor. */
export class OutOfStock extends Error {}

// A conditional update uses the quote, and another ends the session, so only one of many orders succeeds. The
// coalesce keeps PostgreSQL from the index of unused quotes. With a plan that was made while they were few, it would
// read every unused quote for each order.
const PLACE = statement(
  "orders_place",
  `with wanted as materialized (${jsonRows(
    "wanted",
    `line int, id bigint, merchant_id text, session_id text, token_jti uuid, quote_id text,
     operation text, payment_method_id int, delivery_method_id int, spend_asset_id int,
     spend_units numeric, receive_asset_id int, receive_units numeric, wallet_address text,
     network_code text, memo text, personal bytea, refund_address text, refund_memo text,
     window_seconds float8, actor text, note text, event_type text, payload text,
     euro_cents bigint, customer_digest text, pair_cap bigint, merchant_cap bigint,
     customer_cap bigint, claims_stock boolean, trace_parent text, ${KEY_COLUMNS.definitions}`,
  )}),
   capped as materialized (
     select guard_open_orders(jsonb_agg(to_jsonb(open))) as passed
     from (
       select id, merchant_id, spend_asset_id, receive_asset_id, customer_digest, euro_cents,
         pair_cap, merchant_cap, customer_cap
       from wanted where euro_cents is not null) open),
   claimed as materialized (
     select guard_stock(jsonb_agg(to_jsonb(claim))) as passed
     from (select id, receive_asset_id, receive_units from wanted where claims_stock) claim),
   used as (
     update quotes q set consumed_by_order_id = wanted.id, consumed_at = business_now()
     from wanted
     where q.id = wanted.quote_id and q.merchant_id = wanted.merchant_id
       and q.session_id = wanted.session_id
       and coalesce(q.consumed_by_order_id, 0) = 0 and q.expires_at > business_now()
     returning wanted.line),
   ended as (
     update sessions s set status = 'expired', order_id = wanted.id, updated_at = business_now()
     from wanted join used using (line)
     where s.merchant_id = wanted.merchant_id and s.session_id = wanted.session_id
       and s.status = 'active' and s.token_jti = wanted.token_jti
     returning wanted.line),
   placed as (
     insert into orders (id, merchant_id, session_id, quote_id, operation, status,
       payment_method_id, delivery_method_id, spend_asset_id, spend_units, receive_asset_id,
       receive_units, wallet_address, network_code, memo, personal, refund_address, refund_memo,
       trace_parent, payment_expires_at)
     select id, merchant_id, session_id, quote_id, operation, 'awaiting_payment',
       payment_method_id, delivery_method_id, spend_asset_id, spend_units, receive_asset_id,
       receive_units, wallet_address, network_code, memo, personal, refund_address, refund_memo,
       trace_parent, business_now() + window_seconds * interval '1 second'
     from wanted join ended using (line)
     returning *),
   keyed as (
     select wanted.merchant_id, wanted.session_id as row_key, ${KEY_COLUMNS.of("wanted")}
     from wanted join placed using (id)),
   stored as (${storeKeys("session", "keyed")}),
   timeline as (
     insert into order_events (order_id, sequence, merchant_id, status, actor, note)
     select placed.id, placed.version, placed.merchant_id, placed.status, wanted.actor,
       wanted.note
     from placed join wanted on wanted.id = placed.id),
   queued as (
     insert into jobs (kind, key, order_id, merchant_id, run_at)
     select 'expire_order', 'expire_order:' || id, id, merchant_id, payment_expires_at
     from placed),
   happened as (
     select ${eventId("placed", "wanted.event_type", "placed.status", "0")} as id,
       wanted.merchant_id, wanted.id as order_id, wanted.event_type, wanted.payload
     from placed join wanted on wanted.id = placed.id),
   ${eventParts("happened").join(", ")}
   select wanted.line, (select passed from capped) as passed,
     (select passed from claimed) as claimed, placed.version, placed.created_at, placed.updated_at,
     placed.payment_expires_at,
     case when placed.id is null then refuse_write('the quote or the session was used meanwhile') end as refused
   from wanted left join placed on placed.id = wanted.id`,
);

interface PlacedRow {
  readonly line: number;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly payment_expires_at: Date;
}

const rowOf = (
  { order, tokenJti, note, event, newKey, open, claimsStock, traceParent }: Placing,
  line: number,
) => ({
  is_a: "wanted",
  line,
  id: String(order.id),
  merchant_id: order.merchantId,
  session_id: order.sessionId,
  token_jti: tokenJti,
  quote_id: order.quoteId,
  operation: order.operation,
  payment_method_id: order.paymentMethodId,
  delivery_method_id: order.deliveryMethodId,
  spend_asset_id: order.spendAssetId,
  spend_units: String(order.spendUnits),
  receive_asset_id: order.receiveAssetId,
  receive_units: String(order.receiveUnits),
  wallet_address: order.walletAddress,
  network_code: order.networkCode,
  memo: order.memo,
  personal: ORDERS.columns.personal.write(order.personal),
  refund_address: order.refundAddress,
  refund_memo: order.refundMemo,
  window_seconds: order.paymentWindowSeconds,
  actor: note.actor,
  note: note.note,
  event_type: event.eventType,
  payload: event.payload,
  ...keyRecord(newKey),
  ...(open && openColumns(open)),
  claims_stock: claimsStock ?? false,
  trace_parent: traceParent,
});

const openColumns = ({ euroCents, customerDigest, caps }: OpenOrder) => ({
  euro_cents: String(euroCents),
  customer_digest: customerDigest && Buffer.from(customerDigest).toString("hex"),
  pair_cap: caps.pairCents?.toString(),
  merchant_cap: caps.merchantCents?.toString(),
  customer_cap: caps.customerCents?.toString(),
});

const placedOf = ({ order }: Placing, row: PlacedRow): Order => {
  const { paymentWindowSeconds: _window, ...stored } = order;
  return {
    ...stored,
    status: "awaiting_payment",
    statusReason: null,
    receivedUnits: null,
    heldFrom: null,
    requestedRefundAddress: null,
    requestedRefundMemo: null,
    cardAttempts: 0,
    paymentExpiresAt: row.payment_expires_at,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
};

async function placeAll(
  queryable: Queryable,
  placings: readonly Placing[],
): Promise<(Order | undefined)[]> {
  try {
    const wanted = placings.map(rowOf);
    const input = JSON.stringify({ wanted });
    const rows = await retryOnConflict(() => queryable.query<PlacedRow>(PLACE, [input]));
    const orders = new Map(rows.map((row) => [row.line, row]));
    return placings.map((each, line) => {
      const row = orders.get(line);
      return row && placedOf(each, row);
    });
  } catch (error) {
    if (placings.length === 1 && isRefused(error)) return [undefined];
    const scope = cappedScopeOf(error);
    if (scope) throw new OpenOrdersCapped(scope);
    if ((error as { readonly code?: string }).code === "EX003") throw new OutOfStock();
    throw error;
  }
}

/** Returns the cap that `guard_open_orders` names. */
function cappedScopeOf(error: unknown): OpenOrderScope | undefined {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  return code === "EX002" ? (message as OpenOrderScope) : undefined;
}

/**
 * Places an order. One statement writes the order, its used quote, ended session, timeline, event and expiry
 * job. Writes nothing and returns undefined when the quote or the session does not allow the order. Throws
 * `OpenOrdersCapped` when it would exceed a cap, and `OutOfStock` when the stock does not cover it.
 */
export type PlaceNewOrder = (placing: Placing) => Promise<Order | undefined>;

/** Orders that are placed at the same time share a statement and a commit. */
export function makePlaceNewOrder(database: Database): PlaceNewOrder {
  const place = makeBatcher<Placing, Order | undefined>({
    run: (placings) => placeAll(database, placings),
    // One of two orders in a session is refused, and a refusal fails its whole statement.
    keyOf: ({ order }) => `${order.merchantId} ${order.sessionId}`,
    batchesInFlightMax: 2,
    itemsMax: 32,
  });
  return async (placing) => {
    const order = await place(placing);
    if (order) database.hint(WEBHOOKS_DUE_CHANNEL);
    return order;
  };
}
