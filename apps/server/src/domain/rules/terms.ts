import type { Decimal } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import type { FeeSchedule } from "./fees.ts";
import type { Limits } from "./limits.ts";

/** A wished exchange. Without a country, country rules do not apply. */
export interface ExchangeWish {
  readonly merchantId: string;
  readonly operation: Operation;
  readonly spendCurrencyId: number;
  readonly receiveCurrencyId: number;
  readonly paymentMethodId: number;
  /** By default the cheapest that fits. */
  readonly deliveryMethodId?: number | undefined;
  readonly countryCode?: string | undefined;
  readonly size: ExchangeSize;
}

/** The amount on one side of the exchange, in major units. The other side follows from the rate. */
export interface ExchangeSize {
  readonly side: "spend" | "receive";
  readonly amount: Decimal;
}

/** The terms of one way to exchange: its parties, price and limits. */
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
