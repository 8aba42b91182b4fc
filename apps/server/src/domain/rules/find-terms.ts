import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Country } from "../catalogue/country.ts";
import type { Currency } from "../catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import { OPERATION_SIDES, type Operation } from "../catalogue/operation.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import { DELIVERY_CHECKS, isOffered, PAYMENT_CHECKS } from "./availability.ts";
import { failing, traceMethod } from "./checks.ts";
import { chooseRule } from "./choose-rule.ts";
import { feeSchedule } from "./fees.ts";
import { describeMoney, tightestLimits } from "./limits.ts";
import { granted, type RuleResult, refused } from "./result.ts";
import type { ExchangeWish, Terms } from "./terms.ts";
import { rangeWords, type Trace } from "./trace.ts";

/** A question for the terms of an exchange, whatever its amount. */
export interface TermsSearch {
  readonly catalogue: Catalogue;
  readonly wish: Omit<ExchangeWish, "size">;
  /** The time whose pricing rules apply. */
  readonly at: Date;
  readonly trace?: Trace;
}

/** Returns the terms with the named delivery method, or with each one that fits; at least one. */
export function findTerms(search: TermsSearch): RuleResult<readonly Terms[]> {
  const { catalogue, wish, at, trace } = search;
  const country = findCountry(search);
  if (!country.ok) return country;
  const pair = findPair(search);
  if (!pair.ok) return pair;
  const place = { spend: pair.value.spend, country: country.value };
  const payment = findPaymentMethod(search, place);
  if (!payment.ok) return payment;
  const exchange = { operation: wish.operation, ...pair.value, paymentMethod: payment.value };
  const rule = chooseRule(catalogue.pricingRulesFor(wish.merchantId, at), exchange, trace);
  if (!rule) return refused("UNSUPPORTED_PAIR", "This exchange has no price.");
  return deliveries(search, { ...exchange, rule, country: country.value, trace });
}

function findCountry({ catalogue, wish, trace }: TermsSearch): RuleResult<Country | undefined> {
  const { countryCode } = wish;
  if (countryCode === undefined) return granted(undefined);
  const country = catalogue.country(countryCode);
  trace?.({
    rule: "country",
    subject: countryCode,
    figures: country ? `${country.name}, ${rangeWords(country.limits)}` : "",
    verdict: country ? "passes" : "refuses",
    why: country ? "" : "is not known",
  });
  if (country) return granted(country);
  return refused("INVALID_COUNTRY", `There is no country "${countryCode}".`, "country");
}

interface Pair {
  readonly spend: Currency;
  readonly receive: Currency;
}

function findPair(search: TermsSearch): RuleResult<Pair> {
  const { wish, trace } = search;
  const spend = findCurrency(search, wish.spendCurrencyId, "spend");
  if (!spend.ok) return spend;
  const receive = findCurrency(search, wish.receiveCurrencyId, "receive");
  if (!receive.ok) return receive;
  const pair = { spend: spend.value, receive: receive.value };
  const sides = OPERATION_SIDES[wish.operation];
  const fits =
    pair.spend.kind === sides.spend &&
    pair.receive.kind === sides.receive &&
    pair.spend.id !== pair.receive.id;
  trace?.({
    rule: "pair",
    subject: `${pair.spend.reference}-${pair.receive.reference}`,
    figures: `${wish.operation} is from ${sides.spend} to ${sides.receive}`,
    verdict: fits ? "passes" : "refuses",
    why: fits ? "" : "is not what this operation exchanges",
  });
  if (fits) return granted(pair);
  return refused(
    "UNSUPPORTED_PAIR",
    `This operation does not exchange ${pair.spend.code} for ${pair.receive.code}.`,
    pair.spend.kind === sides.spend ? "receive" : "spend",
  );
}

function findCurrency(
  { catalogue, trace }: TermsSearch,
  id: number,
  side: "spend" | "receive",
): RuleResult<Currency> {
  const currency = catalogue.currencyById(id);
  const offered = currency && isOffered(catalogue, currency) ? currency : undefined;
  trace?.({
    rule: "currency",
    subject: currency?.reference ?? String(id),
    figures: currency ? `${currency.name}, ${rangeWords(currency.limits)}` : "",
    verdict: offered ? "passes" : "refuses",
    why: offered ? "" : currency ? "it or its network is disabled" : "is not known",
  });
  if (offered) return granted(offered);
  return refused("CURRENCY_NOT_FOUND", `There is no currency with the id ${id}.`, side);
}

function findPaymentMethod(
  { catalogue, wish, trace }: TermsSearch,
  place: { readonly spend: Currency; readonly country: Country | undefined },
): RuleResult<PaymentMethod> {
  const method = catalogue.paymentMethodById(wish.paymentMethodId);
  if (!method) {
    return refused(
      "PAYMENT_METHOD_NOT_FOUND",
      `There is no payment method with the id ${wish.paymentMethodId}.`,
      "payment_method",
    );
  }
  const { spend, country } = place;
  const fault = failing(PAYMENT_CHECKS, method, {
    operation: wish.operation,
    spend,
    country,
  })?.fault;
  traceMethod(trace, "payment method", { method, fault, otherwise: "refuses" });
  if (fault === undefined) return granted(method);
  const where = country ? ` in ${country.name}` : "";
  return refused(
    "PAYMENT_METHOD_UNAVAILABLE",
    `${method.name} does not pay ${spend.code}${where} for this operation.`,
    "payment_method",
  );
}

interface DeliveryOptions extends Pair {
  readonly operation: Operation;
  readonly paymentMethod: PaymentMethod;
  readonly rule: PricingRule;
  readonly country: Country | undefined;
  readonly trace: Trace;
}

function deliveries(
  { catalogue, wish }: TermsSearch,
  options: DeliveryOptions,
): RuleResult<readonly Terms[]> {
  const id = wish.deliveryMethodId;
  const named = id === undefined ? undefined : catalogue.deliveryMethodById(id);
  if (id !== undefined && !named) {
    return refused(
      "DELIVERY_METHOD_UNAVAILABLE",
      `There is no delivery method with the id ${id}.`,
      "delivery_method",
    );
  }
  const otherwise = named ? "refuses" : "skips";
  const candidates = (named ? [named] : catalogue.deliveryMethods)
    .filter((method) => {
      const fault = failing(DELIVERY_CHECKS, method, options)?.fault;
      traceMethod(options.trace, "delivery method", { method, fault, otherwise });
      return fault === undefined;
    })
    .flatMap((method) => termsWith(method, options));
  return candidates.length > 0 ? granted(candidates) : noDelivery(options, named?.name);
}

function noDelivery(options: DeliveryOptions, name?: string): RuleResult<never> {
  const where = options.country ? ` for a customer in ${options.country.name}` : "";
  return refused(
    "DELIVERY_METHOD_UNAVAILABLE",
    `${name ? `${name} does not deliver` : "No delivery method delivers"} ${options.receive.code}${where} in this operation.`,
    name ? "delivery_method" : "receive",
  );
}

/** Returns no terms when the parties' limits have no amount in common. */
function termsWith(deliveryMethod: DeliveryMethod, options: DeliveryOptions): Terms[] {
  const { operation, spend, receive, paymentMethod, rule, trace } = options;
  const limits = tightestLimits({ ...options, deliveryMethod });
  const { min, max } = limits;
  if (min.units > max.units) {
    trace?.({
      rule: "delivery method",
      subject: deliveryMethod.reference,
      figures: `${describeMoney(min)} to ${describeMoney(max)}`,
      verdict: "skips",
      why: "its limits and those of the others have no amount in common",
    });
    return [];
  }
  const fees = feeSchedule({ rule, deliveryMethod, receive });
  return [{ operation, spend, receive, paymentMethod, deliveryMethod, rule, fees, limits }];
}
