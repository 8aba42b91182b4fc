import { ENDPOINTS } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { priceQuote } from "../../flows/quotes/create.ts";
import { QUOTE_MEMBERS } from "../../flows/quotes/rule-refusal.ts";
import type { Register } from "../registrar.ts";
import { ok, toExact, toOperation } from "../wire.ts";
import { presentQuote } from "./present.ts";

/** Registers the quote over REST. It is indicative: it is not stored, and no order can name it. */
export function registerQuotes(register: Register, deps: Deps): void {
  register(ENDPOINTS.createQuote, async ({ caller, body }) => {
    const quote = priceQuote(deps, {
      merchantId: caller.merchant.id,
      operation: toOperation(body.operationType),
      spendCurrencyId: body.baseCurrencyId,
      receiveCurrencyId: body.targetCurrencyId,
      spendAmount: toExact(body.baseAmount),
      paymentMethodId: body.paymentMethodId,
      ...(body.deliveryMethodId === undefined ? {} : { deliveryMethodId: body.deliveryMethodId }),
      members: QUOTE_MEMBERS,
    });
    return ok(presentQuote(quote, deps.catalogue()));
  });
}
