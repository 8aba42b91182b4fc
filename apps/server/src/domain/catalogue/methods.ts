import type { Decimal } from "@exchange/money";
import type { LimitRange } from "./currency.ts";
import type { Operation } from "./operation.ts";

export const PAYMENT_METHOD_TYPES = [
  "card",
  "bank_transfer",
  "crypto",
  "cash",
  "mobile_money",
] as const;
export type PaymentMethodType = (typeof PAYMENT_METHOD_TYPES)[number];

/**
 * The way in which a customer pays. A delivery method names one as its rail, to pay the customer. A method
 * that only pays out has no operations.
 */
export interface PaymentMethod {
  readonly id: number;
  readonly reference: string;
  readonly name: string;
  readonly type: PaymentMethodType;
  readonly operations: ReadonlySet<Operation>;
  /** Null means every country. */
  readonly countryCodes: ReadonlySet<string> | null;
  /** The fiat codes that it accepts; null means every currency of the kind that the operation spends. */
  readonly currencyCodes: ReadonlySet<string> | null;
  /** The time until a payment arrives. Null means unknown. */
  readonly days: { readonly min: number | null; readonly max: number | null };
  readonly limits: LimitRange;
  readonly enabled: boolean;
}

export const DELIVERY_METHOD_TYPES = [
  "on_chain",
  "bank_transfer",
  "card_push",
  "cash_pickup",
  "mobile_money",
] as const;
export type DeliveryMethodType = (typeof DELIVERY_METHOD_TYPES)[number];

/** A field that the customer must fill in before a payout by this method. */
export interface PayoutField {
  readonly name: string;
  readonly label: string;
  /** A regular expression that the whole value must match. */
  readonly pattern: string;
}

/** The way in which the customer receives the money or coins. */
export interface DeliveryMethod {
  readonly id: number;
  readonly reference: string;
  readonly name: string;
  readonly type: DeliveryMethodType;
  /** The payment method shown as `receivePaymentMethod`. */
  readonly railId: number;
  readonly operations: ReadonlySet<Operation>;
  readonly countryCodes: ReadonlySet<string> | null;
  readonly currencyCodes: ReadonlySet<string> | null;
  readonly feeBasisPoints: number;
  readonly fixedFeeEuro: Decimal;
  readonly days: { readonly min: number | null; readonly max: number | null };
  readonly requiredFields: readonly PayoutField[];
  readonly limits: LimitRange;
  readonly enabled: boolean;
}
