import type { Decimal } from "@exchange/money";
import type { LimitRange } from "./currency.ts";
import type { Operation } from "./operation.ts";

/**
 * What an exchange costs and between which amounts it is offered, for those it matches. Null in a
 * selector matches everything; `Catalogue.pricingRulesFor` says which rule goes before which.
 */
export interface PricingRule {
  readonly reference: string;
  readonly merchantId: string | null;
  readonly operation: Operation | null;
  readonly paymentMethodReference: string | null;
  /** Lower-case reference or code of the currency on either side. */
  readonly currency: string | null;
  readonly spreadBasisPoints: number;
  readonly feeBasisPoints: number;
  readonly fixedFeeEuro: Decimal;
  readonly limits: LimitRange;
  readonly enabled: boolean;
}
