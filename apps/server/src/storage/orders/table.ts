import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Actor, OrderStatus, StatusReason } from "../../domain/orders/status.ts";
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

/** A customer's data, as the merchant or the popup sent it. */
export interface OrderCustomer {
  readonly reference?: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly countryCode?: string;
}

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
  payout_sealed: nullable(bytes()),
  payout_shown: json<Readonly<Record<string, string>>>(),
  held_from: nullable(text<OrderStatus>()),
  customer: json<OrderCustomer>(),
  metadata: json<Readonly<Record<string, string>>>(),
  card_attempts: integer(),
  payment_expires_at: timestamp(),
  version: integer(),
  created_at: timestamp(),
  updated_at: timestamp(),
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
