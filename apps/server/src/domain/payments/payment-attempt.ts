import type { CardPaymentStatus, ThreeDSecureResult } from "../ports/card-processor.ts";

/** The status that the processor reports, or `failed` for an attempt without a result. */
export type PaymentAttemptStatus = CardPaymentStatus | "failed";

/** An attempt to charge a card for an order. `id` is our reference at the processor. */
export interface PaymentAttempt {
  readonly id: string;
  readonly orderId: bigint;
  readonly number: number;
  readonly cardToken: string;
  readonly brand: string;
  readonly lastFour: string;
  readonly assetId: number;
  readonly units: bigint;
  readonly status: PaymentAttemptStatus;
  readonly declineReason: string | null;
  readonly challengeUrl: string | null;
  readonly threeDSecure: ThreeDSecureResult | null;
}

export type NewPaymentAttempt = Pick<
  PaymentAttempt,
  "id" | "orderId" | "number" | "cardToken" | "brand" | "lastFour" | "assetId" | "units"
> & {
  readonly merchantId: string;
  /** The card holder's address, sealed by the data key of the order. Null when it is not known. */
  readonly billingSealed: Uint8Array | null;
};

/** The processor's answer about an attempt. */
export interface PaymentAttemptChange {
  /** The captured amount. Until then the attempt has the amount of its order. */
  readonly units?: bigint;
  readonly status: PaymentAttemptStatus;
  readonly declineReason: string | null;
  readonly challengeUrl: string | null;
  readonly threeDSecure: ThreeDSecureResult | null;
}
