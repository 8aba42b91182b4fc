import { parseDecimal, rescale } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { OPERATION_SIDES } from "../../domain/catalogue/operation.ts";
import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import { canPayWith, type PaymentUse } from "../../domain/rules/availability.ts";
import { describeMoney, type Limits } from "../../domain/rules/limits.ts";
import { listWays, outermostLimits, type WaysQuestion } from "../../domain/rules/list-ways.ts";
import type { RuleRefusal } from "../../domain/rules/result.ts";
import type { Terms } from "../../domain/rules/terms.ts";
import type { Deps } from "../deps.ts";
import { readLimits } from "../quotes/read-limits.ts";
import { Refusal } from "../refusal.ts";
import { methodsWords, refuseTerm } from "./possible-operations.ts";
import type { ResolvedTerms } from "./resolve-terms.ts";

type PayableDeps = Pick<Deps, "catalogue" | "rates" | "networkFees" | "clock">;

/** A new session, whose terms may fix the whole exchange. */
export interface FixedExchange {
  readonly merchant: Merchant;
  readonly resolved: ResolvedTerms;
  /** The customer's country. The merchant's by default, as in the popup. */
  readonly countryCode?: string | undefined;
}

/**
 * Refuses terms that leave a customer no way to pay: a payment method that does not take the currency or is not offered in
 * the country, two currencies that nothing exchanges, and an amount outside the limits of every exchange that the terms
 * leave possible.
 */
export function requirePayable(deps: PayableDeps, fixed: FixedExchange): void {
  const { items, terms } = fixed.resolved;
  const { spend, receive } = items;
  const catalogue = deps.catalogue();
  requireServingMethod(catalogue, fixed);
  const amount = parseDecimal(terms.spendAmount ?? "");
  if (!spend || (!amount && !receive)) return;
  const units = amount && rescale(amount, spend.decimals, "down").units;
  const ways: Terms[] = [];
  for (const question of questionsOf(catalogue, fixed)) {
    const found = waysOf(deps, question);
    if (!found) continue;
    if (units === undefined || isWithin(outermostLimits(found), units)) return;
    ways.push(...found);
  }
  if (ways.length === 0) return requireExchange(deps, fixed);
  const limits = outermostLimits(ways);
  if (units !== undefined && !isWithin(limits, units)) throw outside(limits, units, fixed);
}

const isWithin = ({ min, max }: Limits, units: bigint): boolean =>
  min.units <= units && units <= max.units;

/** Returns the customer's country, as the popup uses it. */
const countryOf = ({ countryCode, merchant }: FixedExchange): string =>
  countryCode ?? merchant.settings.countryCode;

/**
 * The merchant's own country may change, so only a stated one is compared. A country that is not served is not a fault of the
 * method: the popup says so to the customer.
 */
function requireServingMethod(catalogue: Catalogue, fixed: FixedExchange): void {
  const { items, operations } = fixed.resolved;
  const { paymentMethod, spend } = items;
  if (!paymentMethod) return;
  const pays = (use: Pick<PaymentUse, "spend" | "country">): boolean =>
    operations.some((operation) => canPayWith(paymentMethod, { operation, ...use }));
  if (spend && !pays({ spend })) {
    throw refuseTerm(
      "PAYMENT_METHOD_UNAVAILABLE",
      "paymentMethod",
      `lock.paymentMethod contradicts lock.baseCurrency: ${paymentMethod.name} does not take ${spend.code}. ${methodsWords(catalogue, operations, { spend })}.`,
    );
  }
  const country =
    fixed.countryCode === undefined ? undefined : catalogue.country(fixed.countryCode);
  if (!country?.enabled || pays({ country })) return;
  throw refuseTerm(
    "PAYMENT_METHOD_UNAVAILABLE",
    "paymentMethod",
    `lock.paymentMethod contradicts customer.countryCode: ${paymentMethod.name} is not offered in ${country.name}. ${methodsWords(catalogue, operations, { country, ...(spend && { spend }) })}.`,
  );
}

/** Returns every exchange that the terms leave possible, the first ones first. */
function* questionsOf(catalogue: Catalogue, fixed: FixedExchange): Generator<WaysQuestion> {
  const { items, operations } = fixed.resolved;
  const { spend, receive, paymentMethod } = items;
  for (const operation of operations) {
    const targets = receive ? [receive] : catalogue.currencies;
    for (const target of targets) {
      if (!spend || target.kind !== OPERATION_SIDES[operation].receive) continue;
      yield {
        merchantId: fixed.merchant.id,
        operation,
        spendCurrencyId: spend.id,
        receiveCurrencyId: target.id,
        countryCode: countryOf(fixed),
        ...(paymentMethod && { paymentMethodId: paymentMethod.id }),
      };
    }
  }
}

/** Returns nothing for an exchange that is refused: another may be possible. */
function waysOf(deps: PayableDeps, question: WaysQuestion): readonly Terms[] | undefined {
  try {
    return readLimits(deps, question);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Refuses two currencies that nothing exchanges in any country. */
function requireExchange(deps: PayableDeps, fixed: FixedExchange): void {
  const { receive } = fixed.resolved.items;
  if (!receive) return;
  const refusals: RuleRefusal[] = [];
  for (const question of questionsOf(deps.catalogue(), fixed)) {
    const circumstances = { catalogue: deps.catalogue(), at: deps.clock.now() };
    const ways = listWays(circumstances, { ...question, countryCode: undefined });
    if (ways.ok) return;
    refusals.push(ways.refusal);
  }
  const [refusal] = refusals;
  if (!refusal) return;
  throw refuseTerm(
    refusal.code,
    "targetCurrency",
    `lock.targetCurrency contradicts lock.baseCurrency: ${refusal.message} Lock other currencies, or only one of them.`,
  );
}

const placeOf = (fixed: FixedExchange): string =>
  fixed.countryCode === undefined
    ? `in ${countryOf(fixed)}, the merchant's country (state customer.countryCode if it is another),`
    : `in ${fixed.countryCode}`;

function outside(limits: Limits, units: bigint, fixed: FixedExchange): Refusal {
  const { min, max, minBoundBy, maxBoundBy } = limits;
  const isLow = units < min.units;
  const issue = isLow
    ? `The minimum is ${describeMoney(min)}.`
    : `The maximum is ${describeMoney(max)}.`;
  const detail = {
    field: "lock.baseAmount",
    issue,
    min,
    max,
    currencyCode: min.asset.code,
    boundBy: isLow ? minBoundBy : maxBoundBy,
  };
  return new Refusal(isLow ? "AMOUNT_BELOW_MINIMUM" : "AMOUNT_ABOVE_MAXIMUM", {
    message: `${issue} No customer ${placeOf(fixed)} could pay the locked amount.`,
    details: [detail],
  });
}
