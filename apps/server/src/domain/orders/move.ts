import type { Actor, OrderStatus, StatusReason } from "./status.ts";

/** Work the decision asks for: done later as jobs. */
export type OrderEffect =
  | "authorize_payment"
  | "void_payment"
  | "exchange_order"
  | "send_payout"
  /** The order may be paid again: it gets a fresh payment window. */
  | "reopen_payment";

/** A move of the order. `note` tells the timeline why, in words. */
export interface Move {
  readonly next: OrderStatus;
  readonly reason: StatusReason | null;
  readonly actor: Actor;
  readonly note: string;
  readonly effects: readonly OrderEffect[];
}

/** A move of the system's own, for no particular reason: what most moves are. */
export const move = (
  next: OrderStatus,
  note: string,
  effects: readonly OrderEffect[] = [],
): Move => ({ next, reason: null, actor: "system", note, effects });
