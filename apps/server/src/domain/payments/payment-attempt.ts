import type { CardPaymentStatus, ThreeDSecureResult } from "../ports/card-processor.ts";

/** As the processor reports it, or `failed` when it never came to a result. */
export type PaymentAttemptStatus = CardPaymentStatus | "failed";

/** One try to take an order's money by card. `id` is the reference the processor knows. */
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
> & { readonly merchantId: string; readonly billingAddress: object };

/** The processor's answer about an attempt. */
export interface PaymentAttemptChange {
  readonly status: PaymentAttemptStatus;
  readonly declineReason: string | null;
  readonly challengeUrl: string | null;
  readonly threeDSecure: ThreeDSecureResult | null;
}
