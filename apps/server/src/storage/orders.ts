import type { Operation } from "../domain/catalogue/operation.ts";
import type { Actor, OrderStatus, StatusReason } from "../domain/orders/status.ts";
import { type Queryable, statement, type Tx } from "./database.ts";

/** A customer, as the merchant or the popup told of them. */
export interface OrderCustomer {
  readonly reference?: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly countryCode?: string;
}

export interface Order {
  readonly id: bigint;
  readonly merchantId: string;
  readonly sessionId: string;
  readonly quoteId: string;
  readonly operation: Operation;
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly paymentMethodId: number;
  readonly deliveryMethodId: number;
  readonly spendAssetId: number;
  readonly spendUnits: bigint;
  /** Null until the money is final. */
  readonly receivedUnits: bigint | null;
  readonly receiveAssetId: number;
  readonly receiveUnits: bigint;
  readonly walletAddress: string | null;
  readonly networkCode: string | null;
  readonly memo: string | null;
  /** Where coins the customer sent go back to. */
  readonly refundAddress: string | null;
  readonly refundMemo: string | null;
  /** What the delivery method asked for, sealed for this order. */
  readonly payoutSealed: Uint8Array | null;
  /** The same, masked, for people to recognise. */
  readonly payoutShown: Readonly<Record<string, string>>;
  /** While in review: the status it was held in. */
  readonly heldFrom: OrderStatus | null;
  readonly customer: OrderCustomer;
  readonly metadata: Readonly<Record<string, string>>;
  readonly cardAttempts: number;
  readonly paymentExpiresAt: Date;
  /** Counts the changes; a move's is its place in the timeline. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

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

const NEXT_NUMBER = statement(
  "orders_next_number",
  "select nextval('order_numbers') as number, order_id_key as key from installation",
);

// The timeline's sequence is the order's version: a move is told once, in the statement that makes it.
const TOLD = (orders: string, note: number) =>
  `insert into order_events (order_id, sequence, merchant_id, status, status_reason, actor, note)
   select id, version, merchant_id, status, status_reason, $${note - 1}, $${note} from ${orders}`;

const INSERT = statement(
  "orders_insert",
  `with placed as (insert into orders (id, merchant_id, session_id, quote_id, operation, status,
     payment_method_id, delivery_method_id, spend_asset_id, spend_units, receive_asset_id,
     receive_units, wallet_address, network_code, memo, customer, metadata, refund_address,
     refund_memo, payout_sealed, payout_shown, payment_expires_at)
   values ($1, $2, $3, $4, $5, 'awaiting_payment', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
     $16, $18, $19, $20, $21, business_now() + $17 * interval '1 second')
   returning *), told as (${TOLD("placed", 23)})
   select * from placed`,
);

const FIND = statement("orders_find", "select * from orders where id = $1");

// The time is read after the lock was had, however long that took.
const LOCK = statement(
  "orders_lock",
  `with locked as materialized (select * from orders where id = $1 for update)
   select *, business_now() as locked_at from locked`,
);

const MOVE = statement(
  "orders_move",
  `with moved as (update orders set status = $2, status_reason = $3, card_attempts = $4,
     received_units = $5, version = version + 1, updated_at = business_now(),
     held_from = case when $2 = 'in_review' then status end,
     payment_expires_at = coalesce(business_now() + $9 * interval '1 second', payment_expires_at),
     completed_at = case when $2 = 'completed' then business_now() else completed_at end
   where id = $1 and version = $6 returning *), told as (${TOLD("moved", 8)})
   select * from moved`,
);

/** The number of the next order and the key that permutes it into an id. */
export async function nextOrderNumber(
  tx: Tx,
): Promise<{ readonly number: bigint; readonly key: Uint8Array }> {
  const [row] = await tx.query<{ number: string; key: Buffer }>(NEXT_NUMBER);
  if (!row) throw new Error("the installation row is missing: run the migrations");
  return { number: BigInt(row.number), key: row.key };
}

export type NewOrder = Pick<
  Order,
  | "id"
  | "merchantId"
  | "sessionId"
  | "quoteId"
  | "operation"
  | "paymentMethodId"
  | "deliveryMethodId"
  | "spendAssetId"
  | "spendUnits"
  | "receiveAssetId"
  | "receiveUnits"
  | "walletAddress"
  | "networkCode"
  | "memo"
  | "refundAddress"
  | "refundMemo"
  | "payoutSealed"
  | "payoutShown"
  | "customer"
  | "metadata"
> & { readonly paymentWindowSeconds: number };

/** What the timeline tells of a change: by whom, and why in words. */
export interface OrderNote {
  readonly actor: Actor;
  readonly note: string;
}

export async function insertOrder(tx: Tx, order: NewOrder, told: OrderNote): Promise<Order> {
  const [row] = await tx.query<OrderRow>(INSERT, [
    order.id,
    order.merchantId,
    order.sessionId,
    order.quoteId,
    order.operation,
    order.paymentMethodId,
    order.deliveryMethodId,
    order.spendAssetId,
    order.spendUnits,
    order.receiveAssetId,
    order.receiveUnits,
    order.walletAddress,
    order.networkCode,
    order.memo,
    order.customer,
    order.metadata,
    order.paymentWindowSeconds,
    order.refundAddress,
    order.refundMemo,
    order.payoutSealed,
    order.payoutShown,
    told.actor,
    told.note,
  ]);
  return toOrder(row as OrderRow);
}

/** The order's row alone: `findOrderView` reads all that belongs to it. */
export async function findOrder(queryable: Queryable, id: bigint): Promise<Order | undefined> {
  const [row] = await queryable.query<OrderRow>(FIND, [id]);
  return row && toOrder(row);
}

/** An order that nobody else can move now, and the business time since when. */
export interface LockedOrder extends Order {
  readonly lockedAt: Date;
}

/** Locks the order's row until the database transaction ends. */
export async function lockOrder(tx: Tx, id: bigint): Promise<LockedOrder | undefined> {
  const [row] = await tx.query<OrderRow & { locked_at: Date }>(LOCK, [id]);
  return row && { ...toOrder(row), lockedAt: row.locked_at };
}

export interface OrderChange extends OrderNote {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly cardAttempts: number;
  readonly receivedUnits: bigint | null;
  /** A fresh payment window; null keeps the one there is. */
  readonly paymentWindowSeconds: number | null;
}

/** Moves a locked order on by one version and tells its timeline. The database refuses illegal moves. */
export async function moveOrder(tx: Tx, order: LockedOrder, change: OrderChange): Promise<Order> {
  const [row] = await tx.query<OrderRow>(MOVE, [
    order.id,
    change.status,
    change.statusReason,
    change.cardAttempts,
    change.receivedUnits,
    order.version,
    change.actor,
    change.note,
    change.paymentWindowSeconds,
  ]);
  if (!row) throw new Error(`order ${order.id} was not locked before it moved`);
  return toOrder(row);
}
