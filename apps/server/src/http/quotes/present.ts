import { jsonNumber, type Outgoing, type QuoteData } from "@exchange/contract";
import type { Money } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { presentMoney, toUnixSeconds } from "../wire.ts";

/** The documented quote with its additive fields. */
export function presentQuote(quote: Quote, catalogue: Catalogue): Outgoing<QuoteData> {
  const delivery = catalogue.deliveryMethodById(quote.deliveryMethodId);
  return {
    spend: {
      ...amountOf(quote.spend),
      currencyReference: referenceOf(catalogue, quote.spend),
    },
    transactionFee: amountOf(quote.transactionFee),
    receive: {
      ...amountOf(quote.receive),
      currencyReference: referenceOf(catalogue, quote.receive),
    },
    delivery: {
      fee: amountOf(quote.deliveryFee),
      time: { minDays: quote.deliveryDays.min, maxDays: quote.deliveryDays.max },
    },
    paymentMethod: methodOf(catalogue, quote.paymentMethodId),
    receivePaymentMethod: methodOf(catalogue, delivery?.railId),
    rate: jsonNumber(quote.rate),
    quoteId: quote.id,
    expiresAt: toUnixSeconds(quote.expiresAt),
    limits: {
      min: presentMoney(quote.limits.min),
      max: presentMoney(quote.limits.max),
      currencyCode: quote.limits.min.asset.code,
    },
    fees: quote.fees.map(({ type, amount }) => ({ type, ...amountOf(amount) })),
  };
}

const amountOf = (amount: Money) => ({
  amount: presentMoney(amount),
  currencyCode: amount.asset.code,
});

function referenceOf(catalogue: Catalogue, amount: Money): string {
  const currency = catalogue.currencyById(amount.asset.id);
  if (!currency) throw new Error(`the catalogue has no currency ${amount.asset.id}`);
  return currency.reference;
}

function methodOf(catalogue: Catalogue, id: number | undefined) {
  const method = id === undefined ? undefined : catalogue.paymentMethodById(id);
  if (!method) throw new Error(`the catalogue has no payment method ${id}`);
  return { id: method.id, name: method.name, reference: method.reference };
}
