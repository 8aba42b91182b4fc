import type { Money } from "@exchange/money";

export type PayoutState = "created" | "signed" | "broadcast" | "confirmed" | "void";
export type PayoutPurpose = "payout" | "refund" | "excess_refund";
export type PayoutRailName = "chain" | "bank" | "card";
/**
 * The reason that a payout is never paid. `rejected`: the rail refused it. `failed`: its transaction was mined and
 * moved nothing. `dead`: another transaction has its place.
 */
export type RejectedWhy = "rejected" | "failed" | "dead";
/** `withdrawn`: it was cancelled before it was signed. */
export type VoidReason = RejectedWhy | "withdrawn";

/**
 * A debt of ours in an asset: an order's payout, or a refund. It is signed once and never unsigned.
 */
export interface PayoutIntent {
  readonly id: string;
  readonly orderId: bigint;
  readonly merchantId: string;
  readonly purpose: PayoutPurpose;
  readonly rail: PayoutRailName;
  readonly assetId: number;
  readonly units: bigint;
  readonly networkCode: string | null;
  readonly address: string | null;
  readonly memo: string | null;
  /** The card payment or the deposit that a refund returns. */
  readonly attemptId: string | null;
  readonly depositId: string | null;
  readonly state: PayoutState;
  /** The rail's reference: a transaction hash, or the bank's or processor's own. */
  readonly transactionHash: string | null;
  /** The request to a bank or card processor. A chain's transactions are stored with their send. */
  readonly signedBytes: Uint8Array | null;
  readonly confirmations: number;
  /** The transaction that was mined, where one was replaced. */
  readonly settledHash: string | null;
  /** Whether the payout was paid in a block that is not final yet. Its send is followed. */
  readonly awaitsFinality: boolean;
  readonly voidReason: VoidReason | null;
  readonly releasedAt: Date | null;
  readonly euroCents: bigint;
  readonly createdAt: Date;
  /** The time of the last change. A confirmed intent that is final does not change again. */
  readonly updatedAt: Date;
}

/** The send that a payout on a chain is bound to: everything that is signed at one place. */
export interface BoundSend {
  readonly id: string;
  /** Null for a payout that the chain made before a restore. */
  readonly place: bigint | null;
  /** Whether the payout is the first of its send. Its job signs, sends and raises the fee for all of them. */
  readonly isFirst: boolean;
  /** The time for which other payouts may still join the send. Then it is signed. */
  readonly joinsForMs: number;
}

/** A payout with the send it is bound to. The payouts of other rails have none. */
export interface BoundPayout extends PayoutIntent {
  readonly send: BoundSend | null;
}

/** The payout that a transition of an order creates. */
export type NewPayoutIntent = Pick<
  PayoutIntent,
  | "id"
  | "orderId"
  | "merchantId"
  | "purpose"
  | "rail"
  | "networkCode"
  | "address"
  | "memo"
  | "attemptId"
  | "depositId"
  | "euroCents"
> & { readonly amount: Money };

/**
 * The change that a transition of the order makes to a payout intent. Absent members do not change.
 */
export interface PayoutChange {
  readonly id: string;
  /**
   * True sets the time of release. From then on the order cannot be held. False deletes it, which the database refuses unless
   * nothing can have been signed.
   */
  readonly isReleased?: boolean;
  readonly state?: "confirmed" | "void";
  readonly voidReason?: VoidReason;
  readonly confirmations?: number;
  /** The mined transaction. Null until one is mined. */
  readonly settledHash?: string | null;
  /** Its block is not final yet. */
  readonly awaitsFinality?: boolean;
}
