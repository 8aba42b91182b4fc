import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { DeliveryMethod, PaymentMethod } from "../../domain/catalogue/methods.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { Refusal } from "../refusal.ts";
import {
  checkDestination,
  checkRefundAddress,
  type RefundAddress,
  type RequestedDestination,
} from "./check-destination.ts";
import { checkPayoutFields, maskPayoutFields, type PayoutFields } from "./check-payout-fields.ts";

/** The terms that the customer asks for besides the quote. */
export interface RequestedTerms extends RequestedDestination, Partial<RefundAddress> {
  readonly payout?: PayoutFields;
}

/**
 * The terms of an order besides its quote: the destinations of the payout and of returned coins.
 */
export interface OrderTerms {
  readonly payment: PaymentMethod;
  readonly delivery: DeliveryMethod;
  readonly walletAddress: string | null;
  readonly networkCode: string | null;
  readonly memo: string | null;
  readonly refundAddress: string | null;
  readonly refundMemo: string | null;
  /** In the clear; sealed before they are stored. Null where coins are received. */
  readonly payoutFields: PayoutFields | null;
  readonly payoutShown: PayoutFields;
}

/**
 * Checks the requested terms against the needs of the quote. Refuses INVALID_INPUT and the address
 * errors.
 */
export function checkOrderTerms(
  catalogue: Catalogue,
  quote: Quote,
  request: RequestedTerms,
): OrderTerms {
  const payment = catalogue.paymentMethodById(quote.paymentMethodId);
  const delivery = catalogue.deliveryMethodById(quote.deliveryMethodId);
  if (!payment || !delivery)
    throw new Error(`quote ${quote.id} names a method that is not in the catalogue`);
  const spent = catalogue.requireCurrency(quote.spend.asset.id);
  const received = catalogue.requireCurrency(quote.receive.asset.id);
  if (spent.kind === "fiat") {
    refuseMember(request.refundAddress, "refundAddress");
    refuseMember(request.refundMemo, "refundMemo");
    refuseMember(request.refundWithoutMemo, "refundWithoutMemo");
  }
  const refund =
    spent.kind === "crypto" ? checkRefundAddress(catalogue, spent, request) : undefined;
  const common = {
    payment,
    delivery,
    refundAddress: refund?.refundAddress ?? null,
    refundMemo: refund?.refundMemo ?? null,
  };
  if (received.kind === "crypto") {
    refuseMember(request.payout, "payout");
    const destination = checkDestination(catalogue, received, request);
    return { ...common, ...destination, payoutFields: null, payoutShown: {} };
  }
  refuseMember(request.walletAddress, "walletAddress");
  refuseMember(request.networkCode, "networkCode");
  refuseMember(request.memo, "memo");
  refuseMember(request.withoutMemo, "withoutMemo");
  const payoutFields = checkPayoutFields(delivery, request.payout);
  const nowhere = { walletAddress: null, networkCode: null, memo: null };
  return { ...common, ...nowhere, payoutFields, payoutShown: maskPayoutFields(payoutFields) };
}

/** Refuses a member that would be ignored, because the customer expects it to count. */
function refuseMember(value: unknown, name: keyof typeof NOT_USED): void {
  if (value === undefined) return;
  throw new Refusal("INVALID_INPUT", {
    message: `${name} is not used for this quote: ${NOT_USED[name]}`,
    details: [{ field: name, issue: "is not used for this quote" }],
  });
}

const NO_COINS_PAID = "the customer sends no coins that could be returned.";
const MONEY_RECEIVED = "the customer receives money. Use payout instead.";
const NOT_USED = {
  refundAddress: NO_COINS_PAID,
  refundMemo: NO_COINS_PAID,
  refundWithoutMemo: NO_COINS_PAID,
  payout: "the customer receives coins. Use walletAddress instead.",
  walletAddress: MONEY_RECEIVED,
  networkCode: MONEY_RECEIVED,
  memo: MONEY_RECEIVED,
  withoutMemo: MONEY_RECEIVED,
} as const;
