import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Order, OrderCustomer } from "../../domain/orders/order.ts";
import type { OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export interface OrderRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly session_id: string;
  readonly quote_id: string;
  readonly operation: Operation;
  readonly status: OrderStatus;
  readonly status_reason: StatusReason | null;
  readonly payment_method_id: number;
  readonly delivery_method_id: number;
  readonly spend_asset_id: number;
  readonly spend_units: string;
  readonly received_units: string | null;
  readonly receive_asset_id: number;
  readonly receive_units: string;
  readonly wallet_address: string | null;
  readonly network_code: string | null;
  readonly memo: string | null;
  readonly refund_address: string | null;
  readonly refund_memo: string | null;
  readonly payout_sealed: Buffer | null;
  readonly payout_shown: Record<string, string>;
  readonly held_from: OrderStatus | null;
  readonly customer: OrderCustomer;
  readonly metadata: Record<string, string>;
  readonly card_attempts: number;
  readonly payment_expires_at: Date;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const toOrder = (row: OrderRow): Order => ({
  id: BigInt(row.id),
  merchantId: row.merchant_id,
  sessionId: row.session_id,
  quoteId: row.quote_id,
  operation: row.operation,
  status: row.status,
  statusReason: row.status_reason,
  paymentMethodId: row.payment_method_id,
  deliveryMethodId: row.delivery_method_id,
  spendAssetId: row.spend_asset_id,
  spendUnits: BigInt(row.spend_units),
  receivedUnits: row.received_units === null ? null : BigInt(row.received_units),
  receiveAssetId: row.receive_asset_id,
  receiveUnits: BigInt(row.receive_units),
  walletAddress: row.wallet_address,
  networkCode: row.network_code,
  memo: row.memo,
  refundAddress: row.refund_address,
  refundMemo: row.refund_memo,
  payoutSealed: row.payout_sealed,
  payoutShown: row.payout_shown,
  heldFrom: row.held_from,
  customer: row.customer,
  metadata: row.metadata,
  cardAttempts: row.card_attempts,
  paymentExpiresAt: row.payment_expires_at,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const NEXT_NUMBERS = statement(
  "orders_next_numbers",
  `select nextval('order_numbers') as number, order_id_key as key,
     floor(extract(epoch from now()) / 3600)::int as hour
   from installation, generate_series(1, $1::integer)`,
);

const FIND = statement("orders_find", "select * from orders where id = $1");

const READ = statement(
  "orders_read",
  "select *, business_now() as read_at from orders where id = $1",
);

// The time is read after the lock was had, however long that took.
const LOCK = statement(
  "orders_lock",
  `with locked as materialized (select * from orders where id = $1 for update)
   select *, business_now() as read_at from locked`,
);

/** Reserves numbers for new orders. Returns them with the key and hour that make ids of them. */
export async function nextOrderNumbers(
  queryable: Queryable,
  count: number,
): Promise<{
  readonly numbers: readonly bigint[];
  readonly key: Uint8Array;
  /** Since 1970. */
  readonly hour: number;
}> {
  const rows = await queryable.query<{ number: string; key: Buffer; hour: number }>(NEXT_NUMBERS, [
    count,
  ]);
  const [first] = rows;
  if (!first) throw new Error("the installation row is missing: run the migrations");
  const { key, hour } = first;
  return { numbers: rows.map(({ number }) => BigInt(number)), key, hour };
}

/** The order's row alone: `findOrderView` reads all that belongs to it. */
export async function findOrder(queryable: Queryable, id: bigint): Promise<Order | undefined> {
  const [row] = await queryable.query<OrderRow>(FIND, [id]);
  return row && toOrder(row);
}

/** An order, and the business time at which it was read. */
export interface OrderReading {
  readonly order: Order;
  readonly now: Date;
}

type ReadingRow = OrderRow & { readonly read_at: Date };

const toReading = (row: ReadingRow | undefined): OrderReading | undefined =>
  row && { order: toOrder(row), now: row.read_at };

/** Reads an order to decide on: what is decided is written only where its version has not changed. */
export async function readOrderNow(
  queryable: Queryable,
  id: bigint,
): Promise<OrderReading | undefined> {
  return toReading((await queryable.query<ReadingRow>(READ, [id]))[0]);
}

/** The same, and nobody else changes the order until the database transaction ends. */
export async function lockOrder(tx: Tx, id: bigint): Promise<OrderReading | undefined> {
  return toReading((await tx.query<ReadingRow>(LOCK, [id]))[0]);
}
