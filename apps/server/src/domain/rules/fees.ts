import { type Decimal, divide, multiplyDecimals, rescale } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";
import type { DeliveryMethod } from "../catalogue/methods.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";

const WHOLE = 10_000n;

/** The fees taken from the gross. Fixed parts are in steps: integers at the target's published scale. */
export interface FeeSchedule {
  readonly basisPoints: bigint;
  readonly fixed: bigint;
  readonly deliveryBasisPoints: bigint;
  readonly deliveryFixed: bigint;
}

export interface FeeParties {
  readonly rule: PricingRule;
  readonly deliveryMethod: DeliveryMethod;
  readonly receive: Currency;
}

/** The four parts of a gross amount. They add up to it. */
export interface GrossSplit {
  readonly percentageFee: bigint;
  readonly fixedFee: bigint;
  readonly deliveryFee: bigint;
  readonly receive: bigint;
}

/**
 * Returns the fees of an exchange. Fixed fees are stated in euro and converted at the target's stable rate.
 */
export const feeSchedule = ({ rule, deliveryMethod, receive }: FeeParties): FeeSchedule => ({
  basisPoints: BigInt(rule.feeBasisPoints),
  fixed: stepsOfEuro(rule.fixedFeeEuro, receive),
  deliveryBasisPoints: BigInt(deliveryMethod.feeBasisPoints),
  deliveryFixed: stepsOfEuro(deliveryMethod.fixedFeeEuro, receive),
});

/**
 * Splits a gross amount into fees and the amount received. Every fee is rounded to the nearest step, as a reader rounds
 * the percentage of the published amount. The delivery percentage applies to the rest after the percentage fee, so a
 * larger gross never yields less. Two percentages of one amount could.
 */
export function splitGross(gross: bigint, fees: FeeSchedule): GrossSplit {
  const percentageFee = percentageOf(gross, fees.basisPoints);
  const left = gross - percentageFee;
  const deliveryFee = percentageOf(left, fees.deliveryBasisPoints) + fees.deliveryFixed;
  return {
    percentageFee,
    fixedFee: fees.fixed,
    deliveryFee,
    receive: left - fees.fixed - deliveryFee,
  };
}

/** Returns the smallest gross that leaves at least `receive`: the inverse of `splitGross`. */
export function grossFor(receive: bigint, fees: FeeSchedule): bigint {
  const left = smallestLeaving(receive + fees.fixed + fees.deliveryFixed, fees.deliveryBasisPoints);
  return smallestLeaving(left, fees.basisPoints);
}

const percentageOf = (amount: bigint, basisPoints: bigint): bigint =>
  divide(amount * basisPoints, WHOLE, "half_up");

/**
 * Returns the smallest n with n - round(n × basisPoints / 10,000) ≥ wanted. The left side is
 * ⌈n × kept / 10,000 - 1/2⌉, so n × kept must exceed (wanted - 1/2) × 10,000.
 */
const smallestLeaving = (wanted: bigint, basisPoints: bigint): bigint =>
  divide((2n * wanted - 1n) * WHOLE, 2n * (WHOLE - basisPoints), "down") + 1n;

const stepsOfEuro = (euro: Decimal, target: Currency): bigint =>
  rescale(multiplyDecimals(euro, target.perEuro), target.publishedDecimals, "half_up").units;
