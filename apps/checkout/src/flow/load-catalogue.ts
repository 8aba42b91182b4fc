import type { CheckoutSession, OperationType } from "@exchange/contract";
import type { CheckoutApi } from "../api/calls.ts";
import type { ApiResult } from "../api/client.ts";
import type { Catalogue } from "../machine/open.ts";

/** Reads the currencies and methods of one operation in the customer's country. */
export async function loadCatalogue(
  api: CheckoutApi,
  session: CheckoutSession,
  operation: OperationType,
): Promise<ApiResult<Catalogue>> {
  const query = { operationType: operation, countryCode: session.countryCode };
  const [currencies, methods] = await Promise.all([
    api.listCurrencies(query),
    api.listPaymentMethods({ ...query, includeDeliveryMethods: "true" }),
  ]);
  if (!currencies.ok) return currencies;
  if (!methods.ok) return methods;
  return { ok: true, data: { currencies: currencies.data, methods: methods.data } };
}
