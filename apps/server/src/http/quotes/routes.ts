import { ENDPOINTS, type QuoteRequest } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { priceQuote } from "../../flows/quotes/create.ts";
import type { Register } from "../registrar.ts";
import { ok, toExact, toOperation } from "../wire.ts";
import { presentQuote } from "./present.ts";

export function registerQuotes(register: Register, deps: Deps): void {
  register(ENDPOINTS.createQuote, async ({ caller, body }) =>
    answerQuote(deps, caller.merchant.id, body),
  );
}

/** Quotes over REST are indicative: they are not stored, and no order can name them. */
export function answerQuote(deps: Deps, merchantId: string, body: QuoteRequest) {
  const quote = priceQuote(deps, {
    merchantId,
    operation: toOperation(body.operationType),
    spendCurrencyId: body.baseCurrencyId,
    receiveCurrencyId: body.targetCurrencyId,
    spendAmount: toExact(body.baseAmount),
    paymentMethodId: body.paymentMethodId,
    ...(body.deliveryMethodId === undefined ? {} : { deliveryMethodId: body.deliveryMethodId }),
  });
  return ok(presentQuote(quote, deps.catalogue()));
}
