import type { Deposit } from "../payments/deposit.ts";
import type { PaymentAttempt } from "../payments/payment-attempt.ts";
import type { PaymentInstruction } from "../payments/payment-instruction.ts";
import type { PayoutIntent } from "../payouts/payout-intent.ts";
import type { Quote } from "../quotes/quote.ts";
import type { Order } from "./order.ts";
import type { Actor, OrderStatus, StatusReason } from "./status.ts";

/** An entry of an order's timeline. */
export interface OrderEventItem {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly actor: Actor;
  readonly note: string;
  /** The subjects that the screener hit, for operators only. Null where it hit none. */
  readonly screeningHits: readonly string[] | null;
  readonly at: Date;
}

/** An order with all the rows that belong to it, read at one moment. */
export interface OrderView {
  readonly order: Order;
  /** Whether the page of the order was revoked. */
  readonly isPageRevoked: boolean;
  readonly quote: Quote;
  /** The latest attempt. */
  readonly attempt: PaymentAttempt | undefined;
  /** The payout that is not void, else the last one, without its signed bytes. */
  readonly payout: PayoutIntent | undefined;
  /** The intents that return received money, oldest first, without their signed bytes. */
  readonly refunds: readonly PayoutIntent[];
  readonly instruction: PaymentInstruction | undefined;
  /** Oldest first. */
  readonly deposits: readonly Deposit[];
  readonly timeline: readonly OrderEventItem[];
}
