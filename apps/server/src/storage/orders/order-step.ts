import type { Entry } from "../../domain/ledger/entry.ts";
import type { LeasedJob, NewJob } from "../jobs/jobs.ts";
import type { NewPaymentAttempt, PaymentAttemptChange } from "../payments/attempts.ts";
import type { NewPayoutIntent, PayoutProgress } from "../payouts/intents.ts";
import type { OutboxEvent } from "../webhooks/outbox.ts";
import type { Order, OrderChange } from "./orders.ts";

export type StepEvent = Pick<OutboxEvent, "eventType" | "payload">;

/**
 * All that one change of an order writes together. It is written by one statement, and only where the
 * order still is as it was decided upon and the job it ends is still leased to us; else nothing of it.
 */
export interface OrderStep {
  readonly order: Order;
  /** The job that ends with the step. */
  readonly job?: LeasedJob;
  /** Without one the order is only kept from changing meanwhile. */
  readonly change?: OrderChange;
  /** Money became final that moves nothing: an order in review, or one that has ended. */
  readonly received?: bigint;
  /** Refused once the payment window is over. */
  readonly inTime?: boolean;
  readonly event?: StepEvent;
  readonly payment?: NewPaymentAttempt;
  readonly attempt?: PaymentAttemptChange & { readonly id: string };
  readonly entries?: readonly Entry[];
  readonly intent?: NewPayoutIntent;
  readonly payout?: PayoutProgress & { readonly id: string };
  readonly jobs?: readonly NewJob[];
  /** Whoever ends or starts something here may go on with its next job: it is written as leased. */
  readonly leaseToken?: string;
}
