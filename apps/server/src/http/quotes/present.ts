import {
  amountText,
  encodeJson,
  encodeText,
  jsonText,
  type Outgoing,
  type QuoteData,
} from "@exchange/contract";
import { formatDecimal, type Money, type Rate } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Quote, QuoteFee } from "../../domain/quotes/quote.ts";
import { printedOnce } from "../printed-once.ts";
import { toUnixSeconds } from "../wire.ts";

/**
 * The documented quote with its additive fields. It is printed at once: what the catalogue says of
 * the pair and the methods is printed once for a snapshot, so that little is left to do for a quote.
 */
export function presentQuote(quote: Quote, catalogue: Catalogue): Outgoing<QuoteData> {
  const words = wordsOf(quote, catalogue);
  const { limits, deliveryDays: days } = quote;
  return jsonText(
    `{"spend":{"amount":${amountText(quote.spend)},${words.spend}},` +
      `"transactionFee":{"amount":${amountText(quote.transactionFee)},${words.receiveCode}},` +
      `"receive":{"amount":${amountText(quote.receive)},${words.receive}},` +
      `"delivery":{"fee":{"amount":${amountText(quote.deliveryFee)},${words.receiveCode}},` +
      `"time":{"minDays":${days.min},"maxDays":${days.max}}},` +
      `${words.methods},"rate":${rateText(quote.rate)},` +
      `"quoteId":${encodeText(quote.id)},"expiresAt":${toUnixSeconds(quote.expiresAt)},` +
      `"limits":{"min":${limitText(limits.min)},"max":${limitText(limits.max)},${words.spendCode}},` +
      `"fees":[${feesText(quote.fees, words)}]}`,
  );
}

/** Limits are the same for all quotes of a snapshot's terms, a rate for all of a table's prices. */
const limitText = printedOnce<Money>(amountText);
const rateText = printedOnce<Rate>(formatDecimal);

function feesText(fees: readonly QuoteFee[], { receiveCode }: Words): string {
  let text = "";
  for (const { type, amount } of fees) {
    text += `${text === "" ? "" : ","}{"type":"${type}","amount":${amountText(amount)},${receiveCode}}`;
  }
  return text;
}

/** Members of a quote's JSON that no amount changes. */
interface Words {
  readonly spend: string;
  readonly spendCode: string;
  readonly receive: string;
  readonly receiveCode: string;
  readonly methods: string;
}

const KNOWN_MAX = 20_000;
const knownByCatalogue = new WeakMap<Catalogue, Map<string, Words>>();

function wordsOf(quote: Quote, catalogue: Catalogue): Words {
  const known = knownByCatalogue.get(catalogue) ?? new Map<string, Words>();
  if (known.size === 0) knownByCatalogue.set(catalogue, known);
  const { spend, receive, paymentMethodId, deliveryMethodId } = quote;
  const key = `${spend.asset.id} ${receive.asset.id} ${paymentMethodId} ${deliveryMethodId}`;
  const kept = known.get(key);
  if (kept) return kept;
  if (known.size >= KNOWN_MAX) known.clear();
  const words = findWords(quote, catalogue);
  known.set(key, words);
  return words;
}

function findWords(quote: Quote, catalogue: Catalogue): Words {
  const { spend, receive } = quote;
  const delivery = catalogue.deliveryMethodById(quote.deliveryMethodId);
  const spendCode = members({ currencyCode: spend.asset.code });
  const receiveCode = members({ currencyCode: receive.asset.code });
  return {
    spend: `${spendCode},${members({ currencyReference: referenceOf(catalogue, spend) })}`,
    spendCode,
    receive: `${receiveCode},${members({ currencyReference: referenceOf(catalogue, receive) })}`,
    receiveCode,
    methods: members({
      paymentMethod: methodOf(catalogue, quote.paymentMethodId),
      receivePaymentMethod: methodOf(catalogue, delivery?.railId),
    }),
  };
}

/** The JSON of an object without its braces. */
const members = (value: object): string => encodeJson(value).slice(1, -1);

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
