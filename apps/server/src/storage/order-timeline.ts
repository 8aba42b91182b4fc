import type { Actor, OrderStatus, StatusReason } from "../domain/orders/status.ts";

/** One item of an order's timeline. */
export interface OrderEventItem {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly actor: Actor;
  readonly note: string;
  readonly at: Date;
}
