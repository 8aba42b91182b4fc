import { parseDecimal, rescale } from "@exchange/money";
import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import { describeMoney, type Limits } from "../../domain/rules/limits.ts";
import { outermostLimits, type WaysQuestion } from "../../domain/rules/list-ways.ts";
import type { SessionTerms } from "../../domain/sessions/session.ts";
import type { Deps } from "../deps.ts";
import { readLimits } from "../quotes/read-limits.ts";
import { Refusal } from "../refusal.ts";

type PayableDeps = Pick<Deps, "catalogue" | "rates" | "networkFees" | "clock">;

/** A new session, whose terms may fix the whole exchange. */
export interface FixedExchange {
  readonly merchant: Merchant;
  readonly terms: SessionTerms;
  /** The customer's country. The merchant's by default, as in the popup. */
  readonly countryCode?: string | undefined;
}

/**
 * Refuses AMOUNT_BELOW_MINIMUM and AMOUNT_ABOVE_MAXIMUM if the terms fix the operation, both currencies and an amount that
 * no way of payment takes. The customer could change none of the four.
 */
export function requirePayable(deps: PayableDeps, fixed: FixedExchange): void {
  const { merchant, terms } = fixed;
  const { operation, spendAmount, spendCurrency, receiveCurrency, paymentMethod } = terms;
  const catalogue = deps.catalogue();
  const spend = spendCurrency && catalogue.currencyByCodeOrReference(spendCurrency);
  const receive = receiveCurrency && catalogue.currencyByCodeOrReference(receiveCurrency);
  const amount = spendAmount === undefined ? undefined : parseDecimal(spendAmount);
  if (!operation || !spend || !receive || !amount) return;
  const method = paymentMethod && catalogue.paymentMethodByReference(paymentMethod);
  const limits = widestLimits(deps, {
    merchantId: merchant.id,
    operation,
    spendCurrencyId: spend.id,
    receiveCurrencyId: receive.id,
    countryCode: fixed.countryCode ?? merchant.settings.countryCode,
    ...(method && { paymentMethodId: method.id }),
  });
  const { units } = rescale(amount, spend.decimals, "down");
  if (limits && units < limits.min.units) throw outside(limits, "AMOUNT_BELOW_MINIMUM");
  if (limits && units > limits.max.units) throw outside(limits, "AMOUNT_ABOVE_MAXIMUM");
}

/** Returns nothing for an exchange that is refused for another reason: it may be possible when the popup opens. */
function widestLimits(deps: PayableDeps, question: WaysQuestion): Limits | undefined {
  try {
    return outermostLimits(readLimits(deps, question));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function outside(limits: Limits, code: "AMOUNT_BELOW_MINIMUM" | "AMOUNT_ABOVE_MAXIMUM"): Refusal {
  const { min, max, minBoundBy, maxBoundBy } = limits;
  const isLow = code === "AMOUNT_BELOW_MINIMUM";
  const issue = isLow
    ? `The minimum is ${describeMoney(min)}.`
    : `The maximum is ${describeMoney(max)}.`;
  const message = `${issue} No customer could pay the locked amount.`;
  const detail = {
    field: "lock.baseAmount",
    issue,
    min,
    max,
    currencyCode: min.asset.code,
    boundBy: isLow ? minBoundBy : maxBoundBy,
  };
  return new Refusal(code, { message, details: [detail] });
}
