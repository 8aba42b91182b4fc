import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Country } from "../catalogue/country.ts";
import type { Currency } from "../catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import { OPERATION_SIDES, type Operation } from "../catalogue/operation.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import { canDeliverBy, canPayWith, isOffered } from "./availability.ts";
import { cheapest } from "./cheapest-delivery.ts";
import { chooseRule } from "./choose-rule.ts";
import type { ExchangeSize, ExchangeWish, Terms } from "./exchange.ts";
import { tightestLimits } from "./limits.ts";
import { granted, type RuleResult, refused } from "./result.ts";

/** The terms of the exchange, or why it is not offered. */
export function resolveTerms(catalogue: Catalogue, wish: ExchangeWish): RuleResult<Terms> {
  const country = wish.countryCode === undefined ? undefined : catalogue.country(wish.countryCode);
  if (wish.countryCode !== undefined && !country) {
    return refused("INVALID_COUNTRY", `There is no country "${wish.countryCode}".`);
  }
  const pair = findPair(catalogue, wish);
  if (!pair.ok) return pair;
  const payment = findPaymentMethod(catalogue, { wish, spend: pair.value.spend, country });
  if (!payment.ok) return payment;
  const exchange = { operation: wish.operation, ...pair.value, paymentMethod: payment.value };
  const rule = chooseRule(catalogue.pricingRulesFor(wish.merchantId), exchange);
  if (!rule) return refused("UNSUPPORTED_PAIR", "This exchange has no price.");
  const options: DeliveryOptions = { ...exchange, rule, country };
  return wish.deliveryMethodId === undefined
    ? cheapestDelivery(catalogue, options, wish.size)
    : namedDelivery(catalogue, options, wish.deliveryMethodId);
}

interface Pair {
  readonly spend: Currency;
  readonly receive: Currency;
}

function findPair(catalogue: Catalogue, wish: ExchangeWish): RuleResult<Pair> {
  const spend = catalogue.currencyById(wish.spendCurrencyId);
  const receive = catalogue.currencyById(wish.receiveCurrencyId);
  if (!spend || !isOffered(catalogue, spend)) return noCurrency(wish.spendCurrencyId);
  if (!receive || !isOffered(catalogue, receive)) return noCurrency(wish.receiveCurrencyId);
  const sides = OPERATION_SIDES[wish.operation];
  if (spend.kind !== sides.spend || receive.kind !== sides.receive || spend.id === receive.id) {
    return refused(
      "UNSUPPORTED_PAIR",
      `This operation does not exchange ${spend.code} for ${receive.code}.`,
    );
  }
  return granted({ spend, receive });
}

const noCurrency = (id: number): RuleResult<never> =>
  refused("CURRENCY_NOT_FOUND", `There is no currency with the id ${id}.`);

function findPaymentMethod(
  catalogue: Catalogue,
  question: { wish: ExchangeWish; spend: Currency; country: Country | undefined },
): RuleResult<PaymentMethod> {
  const { wish, spend, country } = question;
  const method = catalogue.paymentMethodById(wish.paymentMethodId);
  if (!method) {
    return refused(
      "PAYMENT_METHOD_NOT_FOUND",
      `There is no payment method with the id ${wish.paymentMethodId}.`,
    );
  }
  if (canPayWith(method, { operation: wish.operation, spend, country })) return granted(method);
  const where = country ? ` in ${country.name}` : "";
  return refused(
    "PAYMENT_METHOD_UNAVAILABLE",
    `${method.name} does not pay ${spend.code}${where} for this operation.`,
  );
}

interface DeliveryOptions extends Pair {
  readonly operation: Operation;
  readonly paymentMethod: PaymentMethod;
  readonly rule: PricingRule;
  readonly country: Country | undefined;
}

function namedDelivery(
  catalogue: Catalogue,
  options: DeliveryOptions,
  id: number,
): RuleResult<Terms> {
  const method = catalogue.deliveryMethodById(id);
  if (!method) {
    return refused("DELIVERY_METHOD_UNAVAILABLE", `There is no delivery method with the id ${id}.`);
  }
  const terms = canDeliverBy(method, options) ? termsWith(method, options) : undefined;
  return terms ? granted(terms) : noDelivery(options, method.name);
}

function noDelivery(options: DeliveryOptions, name: string): RuleResult<never> {
  const where = options.country ? ` for a customer in ${options.country.name}` : "";
  return refused(
    "DELIVERY_METHOD_UNAVAILABLE",
    `${name} does not deliver ${options.receive.code}${where} in this operation.`,
  );
}

/** Undefined when limits leave no amount that all parties take. */
function termsWith(deliveryMethod: DeliveryMethod, options: DeliveryOptions): Terms | undefined {
  const { operation, spend, receive, paymentMethod, rule } = options;
  const limits = tightestLimits({ ...options, deliveryMethod });
  if (limits.min.units > limits.max.units) return undefined;
  return { operation, spend, receive, paymentMethod, deliveryMethod, rule, limits };
}

function cheapestDelivery(
  catalogue: Catalogue,
  options: DeliveryOptions,
  size: ExchangeSize,
): RuleResult<Terms> {
  const candidates: Terms[] = [];
  for (const method of catalogue.deliveryMethods) {
    const terms = canDeliverBy(method, options) ? termsWith(method, options) : undefined;
    if (terms) candidates.push(terms);
  }
  const best = cheapest(candidates, size);
  return best ? granted(best) : noDelivery(options, "No delivery method");
}
