import type { Operation } from "../catalogue/operation.ts";
import type { Actor, OrderStatus, StatusReason } from "./status.ts";

/** A customer, as described by the merchant or the popup. */
export interface OrderCustomer {
  readonly reference?: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly countryCode?: string;
}

export interface Order {
  readonly id: bigint;
  readonly merchantId: string;
  readonly sessionId: string;
  readonly quoteId: string;
  readonly operation: Operation;
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly paymentMethodId: number;
  readonly deliveryMethodId: number;
  readonly spendAssetId: number;
  readonly spendUnits: bigint;
  /** Null until the money is final. */
  readonly receivedUnits: bigint | null;
  readonly receiveAssetId: number;
  readonly receiveUnits: bigint;
  readonly walletAddress: string | null;
  readonly networkCode: string | null;
  readonly memo: string | null;
  /** The address to return the customer's coins to. */
  readonly refundAddress: string | null;
  readonly refundMemo: string | null;
  /** Another refund address that the customer asked for. It waits for two people's approval. */
  readonly requestedRefundAddress: string | null;
  readonly requestedRefundMemo: string | null;
  /** The customer, the metadata and the payout's fields, sealed for this order (`OrderPerson`). */
  readonly personal: Uint8Array | null;
  /** The sealed key of `personal`. Null after it was destroyed or locked. */
  readonly dataKey: Uint8Array | null;
  /** The status from which the order was moved to review. Null outside review. */
  readonly heldFrom: OrderStatus | null;
  readonly cardAttempts: number;
  readonly paymentExpiresAt: Date;
  /** Counts the changes. The version of a move is its position in the timeline. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewOrder = Pick<
  Order,
  | "id"
  | "merchantId"
  | "sessionId"
  | "quoteId"
  | "operation"
  | "paymentMethodId"
  | "deliveryMethodId"
  | "spendAssetId"
  | "spendUnits"
  | "receiveAssetId"
  | "receiveUnits"
  | "walletAddress"
  | "networkCode"
  | "memo"
  | "refundAddress"
  | "refundMemo"
  | "personal"
  | "dataKey"
> & { readonly paymentWindowSeconds: number };

/** The timeline note of a change: the actor and the reason in words. */
export interface TimelineNote {
  readonly actor: Actor;
  readonly note: string;
  /** The subjects that the screener hit (`keyOfSubject`), where it holds the order or a refund. */
  readonly screeningHits?: readonly string[] | undefined;
}

export interface OrderChange extends TimelineNote {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly cardAttempts: number;
  readonly receivedUnits: bigint | null;
  /** The length of a new payment window. Null leaves the current window unchanged. */
  readonly paymentWindowSeconds: number | null;
}
