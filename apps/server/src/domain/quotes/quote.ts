import type { Decimal, Money, Rate } from "@exchange/money";
import type { Operation } from "../catalogue/operation.ts";
import type { NetworkFee } from "../ports/network-fees.ts";
import type { PriceKind } from "../ports/rate-source.ts";

/** One part of a quote's transaction fee. */
export interface QuoteFee {
  readonly type: "percentage" | "fixed";
  readonly amount: Money;
}

/** The origin of one side's price, in the form that is stored as JSON. */
export interface SideEvidence {
  readonly code: string;
  /** The price of one unit in dollars. */
  readonly dollars: string;
  readonly at: string;
  readonly sources: readonly string[];
  readonly apartBasisPoints: number;
  readonly kind: PriceKind;
  /** The part of the spread that the market takes for this amount. */
  readonly costBasisPoints: number;
}

/** The origin of a quote's network fee, in the form that is stored as JSON. */
export interface NetworkFeeEvidence {
  readonly networkCode: string;
  /** The code of the coin that pays the fee, and the fee in it. */
  readonly coin: string;
  readonly amount: string;
  /** The dollars for one of the coin. */
  readonly dollars: string;
  /** The fee rate, in the coin's smallest units for one unit of work, and the work of the transfer. */
  readonly rate: string;
  readonly work: string;
  /** The same of the transfer's bytes, on a network that charges them beside the work. */
  readonly byteRate?: string;
  readonly bytes?: string;
  readonly at: string;
  readonly kind: NetworkFee["kind"];
}

/** The origin of both prices of a quote, of its fees, and of its network fee where the network's market sets it. */
export interface QuoteEvidence {
  readonly spend: SideEvidence;
  readonly receive: SideEvidence;
  readonly networkFee?: NetworkFeeEvidence;
  /** The pricing rule, and the change that made it so. Quotes of earlier releases have none. */
  readonly rule?: { readonly reference: string; readonly changeId: number | null };
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
  /**
   * The amount to receive that was asked for, in whole coins. Null where the amount to pay was. `receive` can be higher,
   * because `spend` is rounded up.
   */
  readonly askedReceive: Decimal | null;
  /** The published rate, spread included. */
  readonly rate: Rate;
  readonly midRate: Rate;
  readonly fees: readonly QuoteFee[];
  readonly transactionFee: Money;
  readonly deliveryFee: Money;
  /**
   * The earnings of the spread and the cost of the market's depth, in the currency received: gross at the mid
   * rate minus gross at the rate.
   */
  readonly spread: Money;
  readonly paymentMethodId: number;
  readonly deliveryMethodId: number;
  readonly deliveryDays: { readonly min: number | null; readonly max: number | null };
  /** In the currency spent. */
  readonly limits: { readonly min: Money; readonly max: Money };
  readonly rateSource: string;
  /** Present when the quote is drawn up. It is stored, and only `exchange orders explain` reads it again. */
  readonly evidence?: QuoteEvidence;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
