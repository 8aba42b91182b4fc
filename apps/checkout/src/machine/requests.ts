import type {
  CardPaymentRequest,
  CardTokenRequest,
  CheckoutQuoteRequest,
  PlaceOrderRequest,
  RefundAddressRequest,
  WalletLookupQuery,
} from "@exchange/contract";
import { formatDecimal } from "@exchange/money";
import { digitsOf } from "../card/brand.ts";
import { readExpiry } from "../card/rules.ts";
import { typedAmount } from "./amount.ts";
import { payoutOf } from "./payout.ts";
import type { AddressUse, CardDraft, Choosing, RefundDraft } from "./state.ts";
import { coinFor, receivesCrypto, sendsCrypto } from "./steps.ts";

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
  };
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
  const { operation, session } = stage.world;
  return {
    quoteId: quote.quoteId,
    ...(receivesCrypto(operation) ? destinationOf(stage) : { payout: payoutOf(stage) }),
    ...(sendsCrypto(operation) ? refundOf(stage) : {}),
    ...(Object.keys(session.customer).length > 0 ? { customer: session.customer } : {}),
  };
}

function destinationOf(stage: Choosing) {
  const networkCode = networkOf(stage, "wallet");
  const memo = memoOf(stage, "wallet");
  return {
    walletAddress: stage.wallet.address,
    ...(networkCode ? { networkCode } : {}),
    ...(memo ? { memo } : {}),
  };
}

function refundOf(stage: Choosing) {
  const { address } = stage.refund;
  if (address === "") return {};
  const memo = memoOf(stage, "refund");
  return { refundAddress: address, ...(memo ? { refundMemo: memo } : {}) };
}

const memoOf = (stage: Choosing, use: AddressUse): string =>
  coinFor(stage, use).memo === "none" ? "" : stage[use].memo.trim();

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
      line1: draft.line1.trim(),
      city: draft.city.trim(),
      postalCode: draft.postalCode.trim(),
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

export function refundRequestFor({ address, memo }: RefundDraft): RefundAddressRequest {
  const refundAddress = address.replace(/\s/g, "");
  return memo.trim() === "" ? { refundAddress } : { refundAddress, refundMemo: memo.trim() };
}
