import type { Money, Rate } from "@exchange/money";
import type { Operation } from "../catalogue/operation.ts";

/** One part of a quote's transaction fee. */
export interface QuoteFee {
  readonly type: "percentage" | "fixed";
  readonly amount: Money;
}

/**
 * A priced offer with an expiry. At the target's published scale,
 * spend × rate = receive + transactionFee + deliveryFee.
 */
export interface Quote {
  /** `quo_` and 32 hexadecimal digits. */
  readonly id: string;
  readonly operation: Operation;
  readonly spend: Money;
  readonly receive: Money;
  /** The published rate, spread included. */
  readonly rate: Rate;
  readonly midRate: Rate;
  readonly fees: readonly QuoteFee[];
  readonly transactionFee: Money;
  readonly deliveryFee: Money;
  /** The earnings of the spread, in the currency received: gross at the mid rate minus gross at the rate. */
  readonly spread: Money;
  readonly paymentMethodId: number;
  readonly deliveryMethodId: number;
  readonly deliveryDays: { readonly min: number | null; readonly max: number | null };
  /** In the currency spent. */
  readonly limits: { readonly min: Money; readonly max: Money };
  readonly rateSource: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
