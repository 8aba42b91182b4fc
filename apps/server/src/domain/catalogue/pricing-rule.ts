import type { Decimal } from "@exchange/money";
import type { LimitRange } from "./currency.ts";
import type { Operation } from "./operation.ts";

/**
 * The price and the limits of the exchanges that it matches. A selector of null matches everything.
 * `Catalogue.pricingRulesFor` decides the precedence of rules.
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
