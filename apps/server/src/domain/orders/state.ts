import type { OrderStatus, StatusReason } from "./status.ts";

/** The members of an order that decide its transitions. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  /** The status from which the order was moved to review. Null outside review. */
  readonly heldFrom: OrderStatus | null;
  readonly cardAttempts: number;
  readonly paymentExpiresAt: Date;
}
