import type { Entry } from "../../domain/ledger/entry.ts";
import type { Reversal } from "../../domain/ledger/order-entries.ts";
import type { Order, OrderChange, TimelineNote } from "../../domain/orders/order.ts";
import type { NewDeposit } from "../../domain/payments/deposit.ts";
import type {
  NewPaymentAttempt,
  PaymentAttemptChange,
} from "../../domain/payments/payment-attempt.ts";
import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import type { NewPayoutIntent, PayoutChange } from "../../domain/payouts/payout-intent.ts";
import type { ControlChange } from "../audit/control-log.ts";
import type { LeasedJob, NewJob } from "../jobs/jobs.ts";
import type { DebtGrowth } from "../payouts/liquidity.ts";
import type { StockNeed } from "../treasury/stock.ts";
import type { OutboxEvent } from "../webhooks/outbox.ts";

export type StepEvent = Pick<OutboxEvent, "eventType" | "payload">;

/** The job that a step finishes, or puts back into the queue to run again after a delay. */
export interface StepJob extends Pick<LeasedJob, "id" | "leaseToken"> {
  readonly runAgainInMs?: number | undefined;
}

/**
 * A new refund address, or one that the customer asks for. A new one ends the customer's request. The database
 * refuses to replace an address with one that the customer did not ask for.
 */
export type RefundAddressChange =
  | { readonly refundAddress: string; readonly refundMemo: string | null }
  | { readonly requestedRefundAddress: string; readonly requestedRefundMemo: string | null };

/** The optional parts that a step writes beside its order. */
export interface StepParts {
  /** Changes of the same order that are written first, in the same database transaction. */
  readonly before?: readonly StepParts[];
  /** A new status with its item in the timeline. */
  readonly change?: OrderChange | undefined;
  /** Money that became final without a change of status: the order is in review, or it has ended. */
  readonly receivedUnits?: bigint | undefined;
  readonly refund?: RefundAddressChange;
  /** A timeline item without a new status. A change brings its own. */
  readonly note?: TimelineNote;
  /** The step is refused once the payment window is over. */
  readonly inTime?: boolean;
  readonly event?: StepEvent | undefined;
  readonly payment?: NewPaymentAttempt;
  readonly attempt?: PaymentAttemptChange & { readonly id: string };
  readonly instruction?: PaymentInstruction;
  readonly deposits?: readonly NewDeposit[];
  readonly entries?: readonly Entry[];
  readonly reversals?: readonly Reversal[];
  readonly intents?: readonly NewPayoutIntent[];
  readonly payout?: PayoutChange | undefined;
  readonly jobs?: readonly NewJob[];
  /** The command of the operator that decided the step. */
  readonly control?: ControlChange;
  /** A new price that the customer accepted. The step is refused when its quote is used or expired. */
  readonly price?: { readonly quoteId: string; readonly receiveUnits: bigint };
  /** Another way to pay, which the quote of `price` was made for, with its own payment window. */
  readonly method?: { readonly paymentMethodId: number; readonly windowSeconds: number };
  /** The step is written only if the liquidity limits of these assets allow the growth. */
  readonly requires?: readonly DebtGrowth[];
  /** The step is written only if the stock covers it. */
  readonly needs?: StockNeed | undefined;
}

/**
 * Everything that one change of an order writes together. The whole step is refused when the order's version
 * has changed since the decision, or when the caller does not hold the job's lease.
 */
export interface OrderStep extends StepParts {
  readonly order: Order;
  readonly job?: StepJob | undefined;
  /** The first new job is inserted with a lease under this token, so that the caller can run it at once. */
  readonly leaseToken?: string | undefined;
}
