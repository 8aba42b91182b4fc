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
 * How a customer pays, or is paid: a delivery method names one as its rail. A method that nobody can
 * pay with has no operations.
 */
export interface PaymentMethod {
  readonly id: number;
  readonly reference: string;
  readonly name: string;
  readonly type: PaymentMethodType;
  readonly operations: ReadonlySet<Operation>;
  /** Null means every country. */
  readonly countryCodes: ReadonlySet<string> | null;
  /** Fiat codes it takes; null means every currency of the kind the operation spends. */
  readonly currencyCodes: ReadonlySet<string> | null;
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

/** Something the customer must tell before money can be paid out this way. */
export interface PayoutField {
  readonly name: string;
  readonly label: string;
  /** A regular expression the whole value must match. */
  readonly pattern: string;
}

/** How the customer gets what was bought. */
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
