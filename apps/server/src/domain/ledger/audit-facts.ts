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

/** The checks of the audit, each by its rule in words. */
export type AuditCheck =
  | "every entry balances"
  | "every asset sums to zero"
  | "a balance is the sum of its postings"
  | "every entry has its reason"
  | "everything that happened is booked"
  | "an entry says what happened"
  | "a reversal undoes its entry"
  | "an order holds what its status says"
  | "an order has the payout its status says"
  | "what was received is what the rails made final"
  | "refunds give back what came and no more"
  | "an order is what its quote offered"
  | "a session has one order"
  | "a timeline tells every move"
  | "an event is told once"
  | "what the rail did we asked for"
  | "what we booked the rail knows"
  | "what is settled here is settled there"
  | "what is settled there is not given up here"
  | "the rail moves money once"
  | "the rail moves what we say"
  | "our books have what the chain has"
  | "our wallets have what their movements explain"
  | "only we spend from our wallets"
  | "a settled payout is on its chain"
  | "a payout moves what is owed"
  | "what a completed order was paid stays paid"
  | "a lost payout is paid again"
  | "a paid payout is followed until it is final"
  | "a final transaction of ours has its network fee"
  | "a token says its balances"
  | "the signer's log and the database agree";

/** A difference between the actual and the expected state. An operator reads it first. */
export interface Break {
  /** The broken rule in words, the same for all breaks of a kind. */
  readonly check: AuditCheck;
  readonly problem: string;
}
