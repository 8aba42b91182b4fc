import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type CatalogueView } from "@exchange/contract/admin";
import { compareDecimals, type Decimal, formatDecimal } from "@exchange/money";
import type { LimitRange } from "../../domain/catalogue/currency.ts";
import type { PaymentMethod } from "../../domain/catalogue/methods.ts";
import type { Operation } from "../../domain/catalogue/operation.ts";
import type { PricingRule } from "../../domain/catalogue/pricing-rule.ts";
import type { Stop, StopKind } from "../../domain/payouts/stop.ts";
import { listServedCountries } from "../../domain/rules/list-ways.ts";
import { listStopsForConsole } from "../../flows/payouts/list-for-console.ts";
import { resumePayouts } from "../../flows/payouts/resume.ts";
import { stopPayouts } from "../../flows/payouts/stop.ts";
import { ok } from "../wire.ts";
import { presentStop } from "./present-order.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** The items that can be exchanged, and the stops that refuse new business of them. */
export function registerCatalogue(register: RegisterAdmin, deps: AdminDeps): void {
  const read = async () => ok(presentCatalogue(deps, await listStopsForConsole(deps)));
  register(ADMIN_ENDPOINTS.readCatalogue, read);
  register(ADMIN_ENDPOINTS.stopExchanges, async ({ caller, body }) => {
    await stopPayouts(deps, { ...body, by: caller.by });
    return read();
  });
  register(ADMIN_ENDPOINTS.resumeExchanges, async ({ caller, body }) => {
    await resumePayouts(deps, { ...body, by: caller.by });
    return read();
  });
}

function presentCatalogue(
  deps: Pick<AdminDeps, "catalogue" | "clock">,
  stops: readonly Stop[],
): Outgoing<CatalogueView> {
  const catalogue = deps.catalogue();
  const { currencies, networks, paymentMethods, pricingRulesFor } = catalogue;
  const served = new Map(
    listServedCountries(catalogue).map(({ country, operations }) => [country.code, operations]),
  );
  const stopOf = (kind: StopKind, subject: string) => {
    const found = stops.find((stop) => stop.kind === kind && stop.subject === subject);
    return found ? presentStop(found) : null;
  };
  const rules = pricingRulesFor("", deps.clock.now());
  return {
    currencies: currencies.map(({ reference, code, name, networkCode, limits, enabled }) => ({
      ...{ reference, code, name, networkCode, enabled },
      ...presentRange(limits),
      stop: stopOf("currency", reference),
    })),
    networks: networks.map(({ code, name, confirmations, enabled }) => ({
      ...{ code, name, confirmations, enabled },
      stop: stopOf("network", code),
    })),
    methods: paymentMethods.map((method) => ({
      ...{ reference: method.reference, name: method.name, enabled: method.enabled },
      operations: [...method.operations].map((operation) => ({
        operation,
        ...presentRange(tightest(method.limits, generalRule(rules, method, operation)?.limits)),
      })),
      stop: stopOf("method", method.reference),
    })),
    countries: catalogue.countries.map(({ code, name, currencyCode, limits }) => ({
      ...{ code, name, currencyCode },
      operations: [...(served.get(code) ?? [])],
      ...presentRange(limits),
    })),
    stops: stops.filter(({ kind }) => kind === "pair" || kind === "merchant").map(presentStop),
  };
}

/** Returns the rule of every merchant and currency for a method and an operation. */
const generalRule = (
  rules: readonly PricingRule[],
  { reference }: PaymentMethod,
  wanted: Operation,
): PricingRule | undefined =>
  rules.find(
    ({ operation, paymentMethodReference: method, currency }) =>
      (operation ?? wanted) === wanted && (method ?? reference) === reference && currency === null,
  );

const tightest = (one: LimitRange, other: LimitRange = one): LimitRange => ({
  minEuro: outermost(one.minEuro, other.minEuro, 1),
  maxEuro: outermost(one.maxEuro, other.maxEuro, -1),
});

const outermost = (one: Decimal | null, other: Decimal | null, sign: 1 | -1): Decimal | null => {
  if (one === null || other === null) return one ?? other;
  return compareDecimals(one, other) * sign > 0 ? one : other;
};

const presentRange = ({ minEuro, maxEuro }: LimitRange) => ({
  minEuro: minEuro && formatDecimal(minEuro),
  maxEuro: maxEuro && formatDecimal(maxEuro),
});
