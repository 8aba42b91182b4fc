import {
  type CurrenciesQuery,
  ENDPOINTS,
  type ExchangeCurrencies,
  type Outgoing,
  type PaymentMethodItem,
  type PaymentMethodsQuery,
} from "@exchange/contract";
import {
  type ListingQuestion,
  listCurrencies,
  listPaymentMethods,
} from "../../domain/rules/availability.ts";
import { listServedCountries } from "../../domain/rules/list-ways.ts";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import type { RegisterCached } from "../registrar.ts";
import { ok, toOperation } from "../wire.ts";
import {
  presentCountry,
  presentCurrency,
  presentDeliveryMethod,
  presentPaymentMethod,
} from "./present.ts";

/**
 * Registers the reads that depend on the catalogue and the merchant alone. Their answers are
 * cached.
 */
export function registerCatalogue(register: RegisterCached, deps: Deps): void {
  register(ENDPOINTS.listCurrencies, async ({ query }) => ok(currenciesFor(deps, query)));
  register(ENDPOINTS.listPaymentMethods, async ({ query }) => ok(paymentMethodsFor(deps, query)));
  register(ENDPOINTS.listCheckoutCurrencies, async ({ query }) => ok(currenciesFor(deps, query)));
  register(ENDPOINTS.listCheckoutPaymentMethods, async ({ query }) =>
    ok(paymentMethodsFor(deps, query)),
  );
  register(ENDPOINTS.listCountries, async () =>
    ok(listServedCountries(deps.catalogue()).map(presentCountry)),
  );
}

function currenciesFor(deps: Deps, query: CurrenciesQuery): Outgoing<ExchangeCurrencies> {
  const catalogue = deps.catalogue();
  const { crypto, fiat } = listCurrencies(catalogue, toQuestion(deps, query));
  return {
    cryptoCurrencies: crypto.map((currency) => presentCurrency(currency, catalogue)),
    fiatCurrencies: fiat.map((currency) => presentCurrency(currency, catalogue)),
  };
}

function paymentMethodsFor(
  deps: Deps,
  query: PaymentMethodsQuery,
): readonly Outgoing<PaymentMethodItem>[] {
  const isLive = deps.environment === "prod";
  const isDetailed = query.includeDeliveryMethods === "true";
  return listPaymentMethods(deps.catalogue(), toQuestion(deps, query)).map(
    ({ paymentMethod, deliveryMethods }) =>
      presentPaymentMethod(paymentMethod, {
        isLive,
        deliveryMethods: isDetailed
          ? deliveryMethods.map((method) => presentDeliveryMethod(method, { isLive }))
          : undefined,
      }),
  );
}

function toQuestion(deps: Deps, query: CurrenciesQuery): ListingQuestion {
  const country = deps.catalogue().country(query.countryCode);
  if (country) return { operation: toOperation(query.operationType), country };
  throw new Refusal("INVALID_COUNTRY", {
    details: [{ path: "query.countryCode", issue: "is not an ISO 3166-1 alpha-2 code" }],
  });
}
