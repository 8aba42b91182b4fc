import type { Decimal } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import type { FeeSchedule } from "./fees.ts";
import type { Limits } from "./limits.ts";

/** What somebody asks to exchange. Without a country, countries are not looked at. */
export interface ExchangeWish {
  readonly merchantId: string;
  readonly operation: Operation;
  readonly spendCurrencyId: number;
  readonly receiveCurrencyId: number;
  readonly paymentMethodId: number;
  /** Left out: the cheapest that fits. */
  readonly deliveryMethodId?: number | undefined;
  readonly countryCode?: string | undefined;
  readonly size: ExchangeSize;
}

/** The amount on one side of the exchange, in whole coins; the other follows from the rate. */
export interface ExchangeSize {
  readonly side: "spend" | "receive";
  readonly amount: Decimal;
}

/** Everything that holds for one way of exchanging: who takes part, at what price, how much. */
export interface Terms {
  readonly operation: Operation;
  readonly spend: Currency;
  readonly receive: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly deliveryMethod: DeliveryMethod;
  readonly rule: PricingRule;
  readonly fees: FeeSchedule;
  readonly limits: Limits;
}
