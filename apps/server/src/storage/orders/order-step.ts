import type { Entry } from "../../domain/ledger/entry.ts";
import type { Reversal } from "../../domain/ledger/order-entries.ts";
import type { Order, OrderChange } from "../../domain/orders/order.ts";
import type { NewDeposit } from "../../domain/payments/deposit.ts";
import type {
  NewPaymentAttempt,
  PaymentAttemptChange,
} from "../../domain/payments/payment-attempt.ts";
import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import type { NewPayoutIntent, PayoutChange } from "../../domain/payouts/payout-intent.ts";
import type { LeasedJob, NewJob } from "../jobs/jobs.ts";
import type { DebtGrowth } from "../payouts/liquidity.ts";
import type { OutboxEvent } from "../webhooks/outbox.ts";

export type StepEvent = Pick<OutboxEvent, "eventType" | "payload">;

/** The job that a step ends, or gives back to run again after a while. */
export interface StepJob extends Pick<LeasedJob, "id" | "leaseToken"> {
  readonly runAgainInMs?: number | undefined;
}

/** The parts that a step writes beside its order; each may be left out. */
export interface StepParts {
  /** A new status, with its place in the timeline. */
  readonly change?: OrderChange | undefined;
  /** Money became final that moves nothing: the order is in review, or it has ended. */
  readonly receivedUnits?: bigint | undefined;
  readonly refund?: { readonly refundAddress: string; readonly refundMemo: string | null };
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
  /** The first of the new jobs is inserted leased under this token, so that the caller can run it at once. */
  readonly leaseToken?: string | undefined;
  /** The step is written only where the limits of these assets leave room. */
  readonly requires?: readonly DebtGrowth[];
}

/**
 * All that one change of an order writes together. It is refused, whole, where the order's version is
 * not the one that the step was decided on, or the job is not leased to us.
 */
export interface OrderStep extends StepParts {
  readonly order: Order;
  readonly job?: StepJob | undefined;
}
