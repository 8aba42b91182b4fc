import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Country } from "../catalogue/country.ts";
import type { Currency } from "../catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import { OPERATION_SIDES, type Operation } from "../catalogue/operation.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import { canDeliverBy, canPayWith, isOffered } from "./availability.ts";
import { cheapest } from "./cheapest-delivery.ts";
import { chooseRule } from "./choose-rule.ts";
import type { ExchangeWish, Terms } from "./exchange.ts";
import { feeSchedule } from "./fees.ts";
import { tightestLimits } from "./limits.ts";
import { granted, type RuleResult, refused } from "./result.ts";

/**
 * The terms of the exchange, or why it is not offered. What does not depend on the amount is worked
 * out once for a snapshot of the catalogue and kept.
 */
export function resolveTerms(catalogue: Catalogue, wish: ExchangeWish): RuleResult<Terms> {
  const candidates = termsOfEach(catalogue, wish);
  if (!candidates.ok) return candidates;
  const best = cheapest(candidates.value, wish.size);
  return best
    ? granted(best)
    : refused("DELIVERY_METHOD_UNAVAILABLE", "There is no way to deliver.");
}

/** The terms with the delivery method named, or with each that fits; at least one. */
export function termsOfEach(
  catalogue: Catalogue,
  wish: Omit<ExchangeWish, "size">,
): RuleResult<readonly Terms[]> {
  const rules = catalogue.pricingRulesFor(wish.merchantId);
  const known = knownFor(rules);
  const key = `${wish.operation} ${wish.spendCurrencyId} ${wish.receiveCurrencyId} ${wish.paymentMethodId} ${wish.deliveryMethodId ?? ""} ${wish.countryCode ?? ""}`;
  let candidates = known.get(key);
  if (!candidates) {
    candidates = findCandidates(catalogue, rules, wish);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(key, candidates);
  }
  return candidates;
}

type Candidates = RuleResult<readonly Terms[]>;

/** Entries kept for each list of rules; more are forgotten together. */
const KNOWN_MAX = 20_000;
// A list of rules belongs to one snapshot and one merchant, or to all that have no rules of their own.
const knownByRules = new WeakMap<readonly PricingRule[], Map<string, Candidates>>();

function knownFor(rules: readonly PricingRule[]): Map<string, Candidates> {
  const known = knownByRules.get(rules) ?? new Map<string, Candidates>();
  if (known.size === 0) knownByRules.set(rules, known);
  return known;
}

function findCandidates(
  catalogue: Catalogue,
  rules: readonly PricingRule[],
  wish: Omit<ExchangeWish, "size">,
): Candidates {
  const country = wish.countryCode === undefined ? undefined : catalogue.country(wish.countryCode);
  if (wish.countryCode !== undefined && !country) {
    return refused("INVALID_COUNTRY", `There is no country "${wish.countryCode}".`);
  }
  const pair = findPair(catalogue, wish);
  if (!pair.ok) return pair;
  const payment = findPaymentMethod(catalogue, { wish, spend: pair.value.spend, country });
  if (!payment.ok) return payment;
  const exchange = { operation: wish.operation, ...pair.value, paymentMethod: payment.value };
  const rule = chooseRule(rules, exchange);
  if (!rule) return refused("UNSUPPORTED_PAIR", "This exchange has no price.");
  return deliveries(catalogue, { ...exchange, rule, country }, wish.deliveryMethodId);
}

interface Pair {
  readonly spend: Currency;
  readonly receive: Currency;
}

function findPair(catalogue: Catalogue, wish: Omit<ExchangeWish, "size">): RuleResult<Pair> {
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
  question: { wish: Omit<ExchangeWish, "size">; spend: Currency; country: Country | undefined },
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

function deliveries(
  catalogue: Catalogue,
  options: DeliveryOptions,
  id: number | undefined,
): Candidates {
  const named = id === undefined ? undefined : catalogue.deliveryMethodById(id);
  if (id !== undefined && !named) {
    return refused("DELIVERY_METHOD_UNAVAILABLE", `There is no delivery method with the id ${id}.`);
  }
  const candidates = (named ? [named] : catalogue.deliveryMethods)
    .filter((method) => canDeliverBy(method, options))
    .flatMap((method) => termsWith(method, options));
  return candidates.length > 0 ? granted(candidates) : noDelivery(options, named?.name);
}

function noDelivery(options: DeliveryOptions, name = "No delivery method"): RuleResult<never> {
  const where = options.country ? ` for a customer in ${options.country.name}` : "";
  return refused(
    "DELIVERY_METHOD_UNAVAILABLE",
    `${name} does not deliver ${options.receive.code}${where} in this operation.`,
  );
}

/** Nothing when the limits leave no amount that all parties take. */
function termsWith(deliveryMethod: DeliveryMethod, options: DeliveryOptions): Terms[] {
  const { operation, spend, receive, paymentMethod, rule } = options;
  const limits = tightestLimits({ ...options, deliveryMethod });
  if (limits.min.units > limits.max.units) return [];
  const fees = feeSchedule({ rule, deliveryMethod, receive });
  return [{ operation, spend, receive, paymentMethod, deliveryMethod, rule, fees, limits }];
}
