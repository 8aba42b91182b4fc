import type { Money } from "@exchange/money";

/** The codes of the error catalogue that the rules refuse with. */
export type RuleRefusalCode =
  | "INVALID_COUNTRY"
  | "CURRENCY_NOT_FOUND"
  | "UNSUPPORTED_PAIR"
  | "PAYMENT_METHOD_NOT_FOUND"
  | "PAYMENT_METHOD_UNAVAILABLE"
  | "DELIVERY_METHOD_UNAVAILABLE"
  | "AMOUNT_BELOW_MINIMUM"
  | "AMOUNT_ABOVE_MAXIMUM"
  | "AMOUNT_PRECISION"
  | "LIQUIDITY_UNAVAILABLE";

/** The limits of an exchange, and the party that sets the violated one. */
export interface RefusedLimits {
  readonly min: Money;
  readonly max: Money;
  readonly boundBy: LimitBound;
}

/**
 * The party that sets a limit. `merchant` is the pricing rule; `fees` is the least that fixed fees make
 * sensible.
 */
export type LimitBound =
  | "merchant"
  | "currency"
  | "payment_method"
  | "delivery_method"
  | "country"
  | "fees";

/** An expected outcome: an exchange is not offered. The message is for a person. */
export interface RuleRefusal {
  readonly code: RuleRefusalCode;
  readonly message: string;
  /** The part of the exchange that is refused, where it is one part. */
  readonly part?: ExchangePart;
  readonly limits?: RefusedLimits;
}

/** A part of a wished exchange, which the caller chose. */
export type ExchangePart =
  | "country"
  | "spend"
  | "receive"
  | "payment_method"
  | "delivery_method"
  | "amount";

export type RuleResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: RuleRefusal };

export const granted = <Value>(value: Value): RuleResult<Value> => ({ ok: true, value });

export const refused = (
  code: RuleRefusalCode,
  message: string,
  part?: ExchangePart,
): RuleResult<never> => ({
  ok: false,
  refusal: part ? { code, message, part } : { code, message },
});
