import { type Money, money, toDecimal } from "@exchange/money";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { Currency } from "../domain/catalogue/currency.ts";
import { OPERATION_SIDES, OPERATIONS, type Operation } from "../domain/catalogue/operation.ts";
import type { ExchangeControls } from "../domain/payouts/controls.ts";
import { type Pricing, priceExchange } from "../domain/quotes/price.ts";
import { ratesFor } from "../domain/quotes/rates.ts";
import { canDeliverBy, canPayWith } from "../domain/rules/availability.ts";
import { publishedStep } from "../domain/rules/published-step.ts";
import { resolveTerms } from "../domain/rules/resolve-terms.ts";
import type { ExchangeSize, Terms } from "../domain/rules/terms.ts";
import { sandboxRates } from "../sandbox/rates/rate-source.ts";
import { found } from "./catalogue.ts";

/** The controls of a service that stops nothing and limits nothing. */
export const NO_CONTROLS: ExchangeControls = { stops: [], headroom: new Map(), stock: new Map() };

/** Every pair, payment method and delivery method of every operation in the catalogue. */
export function everyWay(catalogue: Catalogue): readonly Terms[] {
  const ways: Terms[] = [];
  for (const operation of OPERATIONS) {
    const sides = OPERATION_SIDES[operation];
    const spendable = catalogue.currencies.filter(({ kind }) => kind === sides.spend);
    const receivable = catalogue.currencies.filter(({ kind }) => kind === sides.receive);
    for (const spend of spendable) {
      for (const receive of receivable)
        ways.push(...waysOf(catalogue, { operation, spend, receive }));
    }
  }
  return ways;
}

function* waysOf(
  catalogue: Catalogue,
  pair: { readonly operation: Operation; readonly spend: Currency; readonly receive: Currency },
): Generator<Terms> {
  for (const payment of catalogue.paymentMethods) {
    if (!canPayWith(payment, pair)) continue;
    for (const delivery of catalogue.deliveryMethods) {
      if (!canDeliverBy(delivery, pair)) continue;
      const resolved = resolveTerms(
        { catalogue, at: new Date(0) },
        {
          merchantId: "client_dev_TEST",
          operation: pair.operation,
          spendCurrencyId: pair.spend.id,
          receiveCurrencyId: pair.receive.id,
          paymentMethodId: payment.id,
          deliveryMethodId: delivery.id,
          size: { side: "spend", amount: { units: 1n, scale: 0 } },
        },
      );
      if (resolved.ok) yield resolved.value;
    }
  }
}

/** A publishable amount within the limits: 0 is the minimum, 1 the maximum. */
export function amountAt({ spend, limits }: Terms, position: number): Money {
  const step = publishedStep(spend);
  const steps = (limits.max.units - limits.min.units) / step;
  const chosen = (steps * BigInt(Math.round(position * 1e9))) / 1_000_000_000n;
  return money(spend, limits.min.units + chosen * step);
}

export const spending = (amount: Money): ExchangeSize => ({
  side: "spend",
  amount: toDecimal(amount),
});

export const receiving = (amount: Money): ExchangeSize => ({
  side: "receive",
  amount: toDecimal(amount),
});

/** The sandbox's prices, which are the same in every run. */
export const testRates = sandboxRates({ seed: "tests" });

/** Prices an exchange at the sandbox's prices of one moment. */
export function pricedAt(terms: Terms, size: ExchangeSize, momentMs: number) {
  const pair = ratesFor(found(testRates.prices(new Date(momentMs))), terms, size);
  return pair.ok ? priceExchange(terms, size, pair.value) : pair;
}

/** Prices an exchange, and throws if it is refused. */
export function mustPrice(terms: Terms, size: ExchangeSize, momentMs: number): Pricing {
  const result = pricedAt(terms, size, momentMs);
  if (!result.ok) throw new Error(`${describeWay(terms)}: ${result.refusal.message}`);
  return result.value;
}

export const describeWay = (terms: Terms): string =>
  [terms.operation, terms.spend, terms.receive, terms.paymentMethod, terms.deliveryMethod]
    .map((part) => (typeof part === "string" ? part : part.reference))
    .join(" ");
