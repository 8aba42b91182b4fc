import type {
  CardPaymentRequest,
  CardTokenRequest,
  CheckoutQuoteRequest,
  PlaceOrderRequest,
  RefundAddressRequest,
  WalletLookupQuery,
} from "@exchange/contract";
import { hasPostalCodes } from "@exchange/contract/postal-codes";
import { formatDecimal } from "@exchange/money";
import { digitsOf } from "../card/brand.ts";
import { readExpiry } from "../card/rules.ts";
import { typedAmount } from "./amount.ts";
import { payoutOf } from "./payout.ts";
import type { AddressUse, CardDraft, Choosing, RefundDraft } from "./state.ts";
import { coinFor, paysOnReview, receivesCrypto, sendsCrypto } from "./steps.ts";
import { deliveriesFor, hasMethodChoice } from "./ways.ts";

/** The quote request for the customer's choices, or undefined while the amount is not usable. */
export function quoteRequestFor(stage: Choosing): CheckoutQuoteRequest | undefined {
  const value = typedAmount(stage);
  if (typeof value === "string") return undefined;
  // At most 15 significant digits: the wire number is exactly what was typed.
  const amount = Number(formatDecimal(value));
  return {
    operationType: stage.world.operation,
    baseCurrencyId: stage.spend.id,
    targetCurrencyId: stage.receive.id,
    paymentMethodId: stage.method.id,
    ...(stage.delivery ? { deliveryMethodId: stage.delivery.id } : {}),
    ...(stage.amount.side === "spend" ? { baseAmount: amount } : { targetAmount: amount }),
    ...alternativesFor(stage),
  };
}

/**
 * A screen with a choice of methods shows what each of them brings. The answer to one request has all of it. A fixed
 * exchange asks before its review, so that the review opens with the amounts.
 */
function alternativesFor(stage: Choosing): Pick<CheckoutQuoteRequest, "alternatives"> {
  if (stage.screen === "delivery") {
    return deliveriesFor(stage).length > 1 ? { alternatives: "deliveryMethods" } : {};
  }
  const isChoice = (stage.screen === "method" || paysOnReview(stage)) && hasMethodChoice(stage);
  return isChoice ? { alternatives: "paymentMethods" } : {};
}

export function lookupFor(stage: Choosing, use: AddressUse): WalletLookupQuery {
  const networkCode = networkOf(stage, use);
  const query = { walletAddress: stage[use].address, currencyCode: coinFor(stage, use).code };
  return networkCode ? { ...query, networkCode } : query;
}

/** The network the coins travel on: the coin's own, or the one chosen where it has several. */
const networkOf = (stage: Choosing, use: AddressUse): string | undefined =>
  stage[use].networkCode ?? coinFor(stage, use).networkCode ?? undefined;

/** The order for the customer's choices, or undefined without a quote. */
export function orderFor(stage: Choosing): PlaceOrderRequest | undefined {
  const { quote } = stage.quote;
  if (!quote) return undefined;
  const { operation } = stage.world;
  return {
    quoteId: quote.quoteId,
    ...(receivesCrypto(operation) ? destinationOf(stage) : { payout: payoutOf(stage) }),
    ...(sendsCrypto(operation) ? refundOf(stage) : {}),
  };
}

function destinationOf(stage: Choosing) {
  const networkCode = networkOf(stage, "wallet");
  const { memo, withoutMemo } = memoOf(stage, "wallet");
  return {
    walletAddress: stage.wallet.address,
    ...(networkCode ? { networkCode } : {}),
    ...(memo ? { memo } : {}),
    ...(withoutMemo ? { withoutMemo } : {}),
  };
}

function refundOf(stage: Choosing) {
  const { address } = stage.refund;
  if (address === "") return {};
  return { refundAddress: address, ...refundMemoOf(memoOf(stage, "refund")) };
}

const refundMemoOf = ({ memo, withoutMemo }: MemoWords) => ({
  ...(memo ? { refundMemo: memo } : {}),
  ...(withoutMemo ? { refundWithoutMemo: withoutMemo } : {}),
});

/** The memo of an address, or the customer's word that it needs none. */
interface MemoWords {
  readonly memo: string;
  readonly withoutMemo: true | undefined;
}

function memoOf(stage: Choosing, use: AddressUse): MemoWords {
  if (coinFor(stage, use).memo === "none") return { memo: "", withoutMemo: undefined };
  return memoWords(stage[use]);
}

const memoWords = (draft: { readonly memo: string; readonly withoutMemo: boolean }): MemoWords => ({
  memo: draft.memo.trim(),
  withoutMemo: draft.withoutMemo || undefined,
});

/** The token request for a payout card, or undefined when its expiry date is not a date. */
export function tokenRequestFor({ payout, payoutCard }: Choosing): CardTokenRequest | undefined {
  const holderName = (payout["accountHolder"] ?? "").trim();
  const card = cardOf({ ...payoutCard, holderName });
  return card && { card };
}

/** The payment with a card, or undefined when its expiry date is not a date. */
export function cardPaymentFor(draft: CardDraft): CardPaymentRequest | undefined {
  const card = cardOf(draft);
  if (!card) return undefined;
  return {
    type: "card",
    card,
    billingAddress: {
      postalCode: hasPostalCodes(draft.countryCode) ? draft.postalCode.trim() : "",
      countryCode: draft.countryCode,
    },
    frequency: "one_time",
  };
}

function cardOf(card: Pick<CardDraft, "number" | "expiry" | "code" | "holderName">) {
  const expiry = readExpiry(card.expiry);
  return (
    expiry && {
      number: digitsOf(card.number),
      expiryMonth: expiry.month,
      expiryYear: expiry.year,
      cvv: card.code.trim(),
      holderName: card.holderName.trim(),
    }
  );
}

export const refundRequestFor = (draft: RefundDraft): RefundAddressRequest => ({
  refundAddress: draft.address.replace(/\s/g, ""),
  ...refundMemoOf(memoWords(draft)),
});
