import type { OrderStatus, StatusReason } from "./status.ts";

/** What an order has to know of itself to decide. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  /** While in review: the status it was held in. */
  readonly heldFrom: OrderStatus | null;
  readonly cardAttempts: number;
  readonly paymentExpiresAt: Date;
}
