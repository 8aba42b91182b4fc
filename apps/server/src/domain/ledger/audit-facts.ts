import type { Money } from "@exchange/money";
import type { OrderStatus } from "../orders/status.ts";

/** All facts of one order at one moment, for the consistency checks. */
export interface OrderFacts {
  readonly orderId: bigint;
  readonly merchantId: string;
  readonly operation: string;
  readonly status: OrderStatus;
  readonly heldFrom: OrderStatus | null;
  readonly spend: Money;
  readonly receive: Money;
  /** In the asset that the order spends. Null until the money is final. */
  readonly receivedUnits: bigint | null;
  /** The last line of its timeline. */
  readonly timelineStatus: OrderStatus | null;
  readonly quote: QuoteFacts | null;
  readonly session: { readonly status: string; readonly orderId: bigint | null } | null;
  readonly attempts: readonly AttemptFacts[];
  readonly deposits: readonly DepositFacts[];
  readonly intents: readonly IntentFacts[];
  readonly entries: readonly EntryFacts[];
  readonly events: readonly EventFacts[];
}

export interface QuoteFacts {
  readonly operation: string;
  readonly spend: Money;
  readonly receive: Money;
  readonly transactionFee: Money;
  readonly deliveryFee: Money;
  readonly spread: Money;
  readonly consumedByOrderId: bigint | null;
  readonly consumedInTime: boolean;
}

export interface AttemptFacts {
  readonly id: string;
  readonly status: string;
  readonly amount: Money;
}

export interface DepositFacts {
  readonly id: string;
  readonly rail: "bank" | "chain";
  readonly state: "seen" | "final" | "lost";
  readonly amount: Money;
}

export interface IntentFacts {
  readonly id: string;
  readonly purpose: "payout" | "refund" | "excess_refund";
  readonly rail: "chain" | "bank" | "card";
  readonly state: "created" | "signed" | "broadcast" | "confirmed" | "void";
  readonly amount: Money;
  /** The card payment or deposit that a refund returns. */
  readonly attemptId: string | null;
  readonly depositId: string | null;
}

export interface EntryFacts {
  readonly key: string;
  readonly kind: string;
  readonly merchantId: string;
  readonly assetId: number;
  readonly link: string | null;
  /** The key of the entry that this one undoes. */
  readonly reverses: string | null;
  readonly postings: readonly PostingFacts[];
}

/** One line; a debit is positive. */
export interface PostingFacts {
  readonly purpose: string;
  readonly units: bigint;
}

/** How often an event was written to the outbox. */
export interface EventFacts {
  readonly eventType: string;
  readonly count: number;
  /** How often the order reached the event's status so long ago that the event may be deleted by now. */
  readonly clearable: number;
}

/** A difference between the actual and the expected state. An operator reads it first. */
export interface Break {
  /** The broken rule in words, the same for all breaks of a kind. */
  readonly check: string;
  readonly problem: string;
}
