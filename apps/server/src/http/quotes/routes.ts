import { ENDPOINTS } from "@exchange/contract";
import { createQuote } from "../../flows/create-quote.ts";
import type { Deps } from "../../flows/deps.ts";
import type { Register } from "../registrar.ts";
import { ok, toExact, toOperation } from "../wire.ts";
import { presentQuote } from "./present.ts";

/** Quotes over REST are indicative: they are not stored, and no order can name them. */
export function registerQuotes(register: Register, deps: Deps): void {
  register(ENDPOINTS.createQuote, async ({ caller, body }) => {
    const quote = await createQuote(deps, {
      merchantId: caller.merchant.id,
      operation: toOperation(body.operationType),
      spendCurrencyId: body.baseCurrencyId,
      receiveCurrencyId: body.targetCurrencyId,
      spendAmount: toExact(body.baseAmount),
      paymentMethodId: body.paymentMethodId,
      ...(body.deliveryMethodId === undefined ? {} : { deliveryMethodId: body.deliveryMethodId }),
    });
    return ok(presentQuote(quote, deps.catalogue()));
  });
}
