import {
  ENDPOINTS,
  type ExchangeLimits,
  type LimitsQuery,
  type Outgoing,
} from "@exchange/contract";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Limits } from "../../domain/rules/limits.ts";
import { outermostLimits } from "../../domain/rules/list-ways.ts";
import type { Terms } from "../../domain/rules/terms.ts";
import type { Deps } from "../../flows/deps.ts";
import { readLimits } from "../../flows/quotes/read-limits.ts";
import { QUOTE_MEMBERS } from "../../flows/quotes/rule-refusal.ts";
import { Refusal } from "../../flows/refusal.ts";
import type { Register } from "../registrar.ts";
import { ok, presentMoney, toOperation } from "../wire.ts";

/** Registers the read of the amounts between which exchanges are offered. */
export function registerLimits(register: Register, deps: Deps): void {
  register(ENDPOINTS.readExchangeLimits, async ({ caller, query }) => {
    const catalogue = deps.catalogue();
    const question = {
      merchantId: caller.merchant.id,
      operation: toOperation(query.operationType),
      countryCode: query.countryCode,
      spendCurrencyId: currencyId(catalogue, query, "base"),
      receiveCurrencyId: currencyId(catalogue, query, "target"),
      paymentMethodId: query.paymentMethodId,
      deliveryMethodId: query.deliveryMethodId,
    };
    const ways = readLimits(deps, question, {
      ...QUOTE_MEMBERS,
      ...(query.baseCurrency !== undefined && { spend: "baseCurrency" }),
      ...(query.targetCurrency !== undefined && { receive: "targetCurrency" }),
    });
    return ok(presentLimits(ways));
  });
}

function currencyId(catalogue: Catalogue, query: LimitsQuery, side: "base" | "target"): number {
  const id = query[`${side}CurrencyId`];
  const name = query[`${side}Currency`];
  if (id !== undefined && name === undefined) return id;
  if (name === undefined || id !== undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: `Give either ${side}CurrencyId or ${side}Currency, and not both.`,
      details: [{ path: `query.${side}Currency`, issue: "or its id must be given, not both" }],
    });
  }
  const currency = catalogue.currencyByCodeOrReference(name);
  if (currency) return currency.id;
  throw new Refusal("CURRENCY_NOT_FOUND", {
    details: [{ path: `query.${side}Currency`, issue: "is not a currency's code or reference" }],
  });
}

function presentLimits(ways: readonly Terms[]): Outgoing<ExchangeLimits> {
  const outermost = outermostLimits(ways);
  return {
    ...presentBounds(outermost),
    currencyCode: outermost.min.asset.code,
    ways: ways.map(({ paymentMethod, deliveryMethod, limits }) => ({
      paymentMethod: summaryOf(paymentMethod),
      deliveryMethod: summaryOf(deliveryMethod),
      ...presentBounds(limits),
    })),
  };
}

const presentBounds = ({ min, max, minBoundBy, maxBoundBy }: Limits) => ({
  min: presentMoney(min),
  max: presentMoney(max),
  boundBy: { min: minBoundBy, max: maxBoundBy },
});

const summaryOf = ({ id, name, reference }: Terms["paymentMethod"] | Terms["deliveryMethod"]) => ({
  id,
  name,
  reference,
});
