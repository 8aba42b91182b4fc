import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Order } from "../../domain/orders/order.ts";
import {
  type Actor,
  ORDER_MOVES,
  type OrderStatus,
  type StatusReason,
  TERMINAL_STATUSES,
} from "../../domain/orders/status.ts";
import { dataKeyOf } from "../customers/data-keys.ts";
import {
  bigInteger,
  bytes,
  integer,
  json,
  nullable,
  table,
  text,
  timestamp,
  units,
} from "../postgres/table.ts";

export const ORDERS = table({
  id: bigInteger(),
  merchant_id: text(),
  session_id: text(),
  quote_id: text(),
  operation: text<Operation>(),
  status: text<OrderStatus>(),
  status_reason: nullable(text<StatusReason>()),
  payment_method_id: integer(),
  delivery_method_id: integer(),
  spend_asset_id: integer(),
  spend_units: units(),
  received_units: nullable(units()),
  receive_asset_id: integer(),
  receive_units: units(),
  wallet_address: nullable(text()),
  network_code: nullable(text()),
  memo: nullable(text()),
  refund_address: nullable(text()),
  refund_memo: nullable(text()),
  requested_refund_address: nullable(text()),
  requested_refund_memo: nullable(text()),
  personal: nullable(bytes()),
  held_from: nullable(text<OrderStatus>()),
  card_attempts: integer(),
  payment_expires_at: timestamp(),
  version: integer(),
  created_at: timestamp(),
  updated_at: timestamp(),
});

const sqlListOf = (statuses: readonly OrderStatus[]): string =>
  statuses.map((status) => `'${status}'`).join(", ");

/** The statuses of orders that have ended, as a list for `in (…)`. */
export const TERMINAL_STATUSES_SQL = sqlListOf(TERMINAL_STATUSES);

/** The other statuses. The index `orders_open` has the orders with one of them. */
export const OPEN_STATUSES_SQL = sqlListOf(
  (Object.keys(ORDER_MOVES) as OrderStatus[]).filter(
    (status) => !TERMINAL_STATUSES.includes(status),
  ),
);

/** Selects the sealed key of an order's personal data, beside the columns of its row. */
export const ORDER_KEY = (alias: string): string =>
  `${dataKeyOf("session", `${alias}.merchant_id`, `${alias}.session_id`)} as data_key`;

/** Maps a row of the driver with its `ORDER_KEY`. */
export const readOrderRow = (row: object): Order => ({
  ...ORDERS.read(row),
  dataKey: (row as { readonly data_key: Uint8Array | null }).data_key,
});

/** The columns of `order_events` that the timeline shows. */
export const ORDER_EVENTS = table({
  status: text<OrderStatus>(),
  status_reason: nullable(text<StatusReason>()),
  actor: text<Actor>(),
  note: text(),
  screening_hits: nullable(json<readonly string[]>()),
  at: timestamp(),
});
