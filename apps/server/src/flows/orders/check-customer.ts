import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { OrderCustomer } from "../../domain/orders/order.ts";
import { refusedByLimits } from "../../domain/quotes/price.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { findTerms } from "../../domain/rules/find-terms.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { type PartMembers, refusalOfRule } from "../quotes/rule-refusal.ts";
import { requireCountry } from "../requirements.ts";

/**
 * Returns the order's customer: the values that the merchant sent, with gaps filled by the browser (completion,
 * section 4). A different value of the browser is ignored. It is not refused, because a spelling that differs must
 * not end a checkout, and the page must not learn the merchant's values.
 *
 * Refuses INVALID_COUNTRY, and with the codes of the rules an exchange that is not offered in the customer's country.
 * The quote may have been priced for another country.
 */
export function checkCustomer(
  catalogue: Catalogue,
  session: Session,
  order: { readonly quote: Quote; readonly requested: OrderCustomer | undefined },
): OrderCustomer {
  const customer = { ...order.requested, ...session.customer };
  const { countryCode: code } = customer;
  if (code === undefined) return customer;
  const country = requireCountry(catalogue, { code, field: "customer.countryCode" });
  requireOffered(catalogue, order.quote, {
    merchantId: session.merchantId,
    countryCode: country.code,
  });
  return { ...customer, countryCode: country.code };
}

/** The quote was possible in its own country, so the customer's country decides. */
const MEMBERS = {
  country: "customer.countryCode",
  payment_method: "customer.countryCode",
  delivery_method: "customer.countryCode",
  receive: "customer.countryCode",
  amount: "customer.countryCode",
} as const satisfies PartMembers;

function requireOffered(
  catalogue: Catalogue,
  quote: Quote,
  where: { readonly merchantId: string; readonly countryCode: string },
): void {
  const found = findTerms({
    catalogue,
    // A price that changed since does not change what was quoted.
    at: quote.createdAt,
    wish: {
      ...where,
      operation: quote.operation,
      spendCurrencyId: quote.spend.asset.id,
      receiveCurrencyId: quote.receive.asset.id,
      paymentMethodId: quote.paymentMethodId,
      deliveryMethodId: quote.deliveryMethodId,
    },
  });
  if (!found.ok) throw refusalOfRule(found.refusal, MEMBERS);
  for (const terms of found.value) {
    const refusal = refusedByLimits(terms, quote.spend);
    if (refusal) throw refusalOfRule(refusal, MEMBERS);
  }
}
