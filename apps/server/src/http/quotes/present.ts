import {
  jsonNumber,
  type MethodOffer,
  type MethodOutsideLimits,
  type Outgoing,
  type QuoteAlternative,
  type QuoteData,
  type QuoteReceipt,
} from "@exchange/contract";
import type { Money } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { quoteReceiptOf } from "../../domain/quotes/receipt.ts";
import type { OutsideLimits } from "../../flows/quotes/create.ts";
import { presentMoney, toUnixSeconds } from "../wire.ts";

/** Presents the documented quote with its additive fields. */
export function presentQuote(quote: Quote, catalogue: Catalogue): Outgoing<QuoteData> {
  const { spend, receive, limits, deliveryDays } = quote;
  const deliveryMethod = catalogue.deliveryMethodById(quote.deliveryMethodId);
  return {
    spend: presentSide(spend, catalogue),
    transactionFee: presentAmount(quote.transactionFee),
    receive: presentSide(receive, catalogue),
    delivery: {
      fee: presentAmount(quote.deliveryFee),
      time: { minDays: deliveryDays.min, maxDays: deliveryDays.max },
    },
    paymentMethod: presentMethod(catalogue, quote.paymentMethodId),
    receivePaymentMethod: presentMethod(catalogue, deliveryMethod?.railId),
    rate: jsonNumber(quote.rate),
    quoteId: quote.id,
    expiresAt: toUnixSeconds(quote.expiresAt),
    limits: {
      min: presentMoney(limits.min),
      max: presentMoney(limits.max),
      currencyCode: spend.asset.code,
    },
    fees: quote.fees.map(({ type, amount }) => ({ type, ...presentAmount(amount) })),
    receipt: presentReceipt(quote),
  };
}

/** Presents an offer of another way to pay. */
export function presentOffer(quote: Quote, catalogue: Catalogue): Outgoing<MethodOffer> {
  const days = catalogue.paymentMethodById(quote.paymentMethodId)?.days;
  const time = days && { minDays: days.min, maxDays: days.max };
  return { ...presentQuote(quote, catalogue), ...(time && { time }) };
}

function presentReceipt(quote: Quote): Outgoing<QuoteReceipt> {
  const receipt = quoteReceiptOf(quote);
  return {
    currencyCode: receipt.value.asset.code,
    value: presentMoney(receipt.value),
    exchangeFee: presentMoney(receipt.exchangeFee),
    deliveryFee: presentMoney(receipt.deliveryFee),
    spread: presentMoney(receipt.spread),
    total: presentMoney(receipt.total),
    spreadPercent: jsonNumber({ units: receipt.spreadBasisPoints, scale: 2 }),
  };
}

/** Presents the same exchange by another method. */
export const presentAlternative = (quote: Quote): Outgoing<QuoteAlternative> => ({
  paymentMethodId: quote.paymentMethodId,
  deliveryMethodId: quote.deliveryMethodId,
  spend: presentAmount(quote.spend),
  receive: presentAmount(quote.receive),
  deliveryFee: presentAmount(quote.deliveryFee),
});

/** Presents a method whose limits the amount is outside of. */
export const presentOutsideLimits = ({
  methodId,
  bound,
  limit,
}: OutsideLimits): Outgoing<MethodOutsideLimits> => ({
  methodId,
  bound,
  limit: presentAmount(limit),
});

const presentAmount = (amount: Money) => ({
  amount: presentMoney(amount),
  currencyCode: amount.asset.code,
});

const presentSide = (amount: Money, catalogue: Catalogue) => ({
  ...presentAmount(amount),
  currencyReference: catalogue.requireCurrency(amount.asset.id).reference,
});

function presentMethod(catalogue: Catalogue, id: number | undefined) {
  const method = id === undefined ? undefined : catalogue.paymentMethodById(id);
  if (!method) throw new Error(`the catalogue has no payment method ${id}`);
  return { id: method.id, name: method.name, reference: method.reference };
}
