import type { Decimal } from "@exchange/money";
import type { LimitRange } from "./currency.ts";
import type { Operation } from "./operation.ts";

/**
 * What an exchange costs and between which amounts it is offered, for those it matches. Null in a
 * selector matches everything; `chooseRule` says which rule wins.
 */
export interface PricingRule {
  readonly reference: string;
  readonly merchantId: string | null;
  readonly operation: Operation | null;
  readonly paymentMethodReference: string | null;
  /** Reference or code of the currency on either side. */
  readonly currency: string | null;
  readonly spreadBasisPoints: number;
  readonly feeBasisPoints: number;
  readonly fixedFeeEuro: Decimal;
  readonly limits: LimitRange;
  readonly enabled: boolean;
}
