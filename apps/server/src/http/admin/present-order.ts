import type { Outgoing } from "@exchange/contract";
import type {
  AdminPayout,
  AdminReason,
  AdminStop,
  ListedOrder,
  OrderStory,
  PayoutWait,
  ReviewedOrder,
} from "@exchange/contract/admin";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { StatusReason } from "../../domain/orders/status.ts";
import { APPROVALS_NEEDED } from "../../domain/payouts/limits.ts";
import type { Stop } from "../../domain/payouts/stop.ts";
import { publicReason } from "../../flows/orders/event-payload.ts";
import type { ReviewedOrder as ReadReview } from "../../flows/orders/review.ts";
import type { ConsolePayout } from "../../flows/payouts/list-for-console.ts";
import { toUnixSeconds, unixSecondsOrNull } from "../wire.ts";

/** The names that amounts and client ids are shown with. */
export interface Names {
  readonly catalogue: Catalogue;
  /** Merchants' names by client id. */
  readonly names: ReadonlyMap<string, string>;
  /** The reader is a merchant's person, who reads the words of the merchants' API. */
  readonly isMerchants: boolean;
}

/** Returns the reason in the reader's words. */
export const reasonFor = (
  reason: StatusReason,
  { isMerchants }: Pick<Names, "isMerchants">,
): AdminReason => (isMerchants ? publicReason(reason) : reason);

export const presentListedOrder = (
  order: Order,
  { catalogue, names, isMerchants }: Names,
): Outgoing<ListedOrder> => ({
  orderId: Number(order.id),
  merchantId: order.merchantId,
  merchantName: names.get(order.merchantId) ?? order.merchantId,
  sessionId: order.sessionId,
  operation: order.operation,
  status: order.status,
  statusReason: order.statusReason && reasonFor(order.statusReason, { isMerchants }),
  spend: exactAmount(catalogue, order.spendAssetId, order.spendUnits),
  receive: exactAmount(catalogue, order.receiveAssetId, order.receiveUnits),
  createdAt: toUnixSeconds(order.createdAt),
  updatedAt: toUnixSeconds(order.updatedAt),
});

type ReadReviewer = NonNullable<ReadReview["reviewer"]>;

/** The account is the caller's own, which counts as one person. */
export const presentReviewer = (
  { person, account, takenAt }: ReadReviewer,
  caller: string,
): OrderStory["reviewer"] => ({
  person,
  at: toUnixSeconds(takenAt),
  isYou: account === caller,
});

export const presentReview = (
  { order, inReviewSince, reviewer }: ReadReview,
  { account, ...names }: Names & { readonly account: string },
): Outgoing<ReviewedOrder> => ({
  ...presentListedOrder(order, names),
  inReviewSince: toUnixSeconds(inReviewSince),
  reviewer: reviewer && presentReviewer(reviewer, account),
});

/** Returns the cause for which a payout waits, as the console reads it. */
export const presentWait = (wait: ConsolePayout["wait"]): Outgoing<PayoutWait> | null =>
  wait && {
    code: wait.code,
    limitEuroCents: wait.limitCents === null ? null : Number(wait.limitCents),
    limitOf: wait.limitOf,
  };

export const presentPayout = (
  { intent, isOpenToReader, ...payout }: ConsolePayout,
  { catalogue, names, mayApprove }: Omit<Names, "isMerchants"> & { readonly mayApprove: boolean },
): Outgoing<AdminPayout> => ({
  payoutId: intent.id,
  orderId: Number(intent.orderId),
  orderStatus: payout.orderStatus,
  orderReason: payout.orderReason,
  merchantId: intent.merchantId,
  merchantName: names.get(intent.merchantId) ?? intent.merchantId,
  purpose: intent.purpose,
  state: intent.state,
  amount: exactAmount(catalogue, intent.assetId, intent.units),
  countsAsEuroCents: Number(intent.euroCents),
  rail: payout.rail,
  address: intent.address,
  memo: intent.memo,
  waitsFor: payout.waitsFor,
  wait: presentWait(payout.wait),
  stoppedBy: payout.stoppedBy.map(({ kind, subject }) => ({ kind, subject })),
  approvedBy: [...payout.approvedBy],
  approvalsNeeded: APPROVALS_NEEDED,
  mayApprove: mayApprove && isOpenToReader,
  transactionHash: intent.transactionHash,
  releasedAt: unixSecondsOrNull(intent.releasedAt),
  createdAt: toUnixSeconds(intent.createdAt),
});

export const presentStop = (stop: Stop): Outgoing<AdminStop> => ({
  kind: stop.kind,
  subject: stop.subject,
  reason: stop.reason,
  setBy: stop.setBy,
  since: toUnixSeconds(stop.since),
  peopleToResume: stop.peopleToResume,
  agreed: [...stop.agreed],
});
