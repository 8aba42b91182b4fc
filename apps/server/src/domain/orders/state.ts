import type { OrderStatus, StatusReason } from "./status.ts";

/** The members of an order that decide where an event takes it. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  /** While in review: the status it was held in. */
  readonly heldFrom: OrderStatus | null;
  readonly cardAttempts: number;
  readonly paymentExpiresAt: Date;
}
