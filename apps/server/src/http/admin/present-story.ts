import type { Outgoing } from "@exchange/contract";
import type { OrderAction, OrderStory } from "@exchange/contract/admin";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import { accepts, isMoneyUnderWay, mayHaveLeft, mayRelease } from "../../domain/orders/machine.ts";
import { isCovered } from "../../domain/orders/received.ts";
import { isRefunding } from "../../domain/orders/status.ts";
import { APPROVALS_NEEDED } from "../../domain/payouts/limits.ts";
import { pendingJobs, type ReadStory } from "../../flows/orders/read-story.ts";
import { refundableOf } from "../../flows/orders/refund.ts";
import { toUnixSeconds } from "../wire.ts";
import type { AdminCaller } from "./callers.ts";
import {
  type Names,
  presentListedOrder,
  presentReviewer,
  presentWait,
  reasonFor,
} from "./present-order.ts";

interface Shown {
  readonly catalogue: Catalogue;
  readonly caller: AdminCaller;
}

type Rows = ReadStory["rows"];

const at = (time: string): number => toUnixSeconds(new Date(time));

/** Returns the whole story, as far as the rights of the person go. */
export function presentStory(story: ReadStory, { catalogue, caller }: Shown): Outgoing<OrderStory> {
  const { order, rows } = story;
  const amount = ({ assetId, units }: { readonly assetId: number; readonly units: string }) =>
    exactAmount(catalogue, assetId, BigInt(units));
  const row = rows.order;
  const names = new Map([[row.merchantId, row.merchantName]]);
  const isMerchants = caller.merchantId !== null;
  return {
    ...presentListedOrder(order, { catalogue, names, isMerchants }),
    reviewer:
      isMerchants || !story.reviewer ? null : presentReviewer(story.reviewer, caller.by.account),
    notes: story.notes.map(presentNote),
    heldFrom: order.heldFrom,
    paymentMethod: row.paymentMethod,
    deliveryMethod: row.deliveryMethod,
    received:
      order.receivedUnits === null
        ? null
        : exactAmount(catalogue, order.spendAssetId, order.receivedUnits),
    customer: caller.may("customers.read") ? presentCustomer(story) : null,
    walletAddress: row.walletAddress,
    networkCode: row.networkCode,
    memo: row.memo,
    refundAddress: row.refundAddress,
    refundMemo: row.refundMemo,
    requestedRefundAddress: row.requestedRefundAddress,
    requestedRefundMemo: row.requestedRefundMemo,
    requestedRefundApprovedBy: isMerchants ? [] : [...row.requestedRefundApprovedBy],
    paymentExpiresAt: at(row.paymentExpiresAt),
    price: presentPrice(rows, amount),
    timeline: rows.timeline.map((one) => presentMoment(one, { isMerchants })),
    ...presentMoney(rows, { amount, isMerchants }),
    webhooks: rows.events.map(presentEvent),
    ...(isMerchants ? NOTHING_INTERNAL : presentInternals(story, { amount, caller })),
    actions: actionsOf(story, caller),
  };
}

/** The operator's books, queues and audit are not the merchant's. */
const NOTHING_INTERNAL = { entries: [], jobs: [], breaks: [], openBreaks: [], decisions: [] };

const presentInternals = (
  { rows, decisions }: ReadStory,
  { amount, caller }: { readonly amount: AmountOf; readonly caller: AdminCaller },
) => ({
  entries: rows.entries.map((one) => ({
    at: at(one.at),
    key: one.key,
    kind: one.kind,
    postings: one.postings.map(({ purpose, units }) => ({
      account: purpose,
      amount: amount({ assetId: one.assetId, units }),
    })),
  })),
  jobs: pendingJobs(rows).map(({ kind, runAt, attempts, lastError }) => ({
    kind,
    runAt: at(runAt),
    attempts,
    lastError,
  })),
  breaks: rows.breaks.map(({ check, problem }) => `${check}: ${problem}`),
  openBreaks: rows.breaks.map(({ check, problem }) => ({ check, problem })),
  decisions: caller.may("audit.read") ? decisions.map(presentDecision) : [],
});

const presentMoment = (
  one: Rows["timeline"][number],
  { isMerchants }: Pick<Names, "isMerchants">,
): OrderStory["timeline"][number] => ({
  at: at(one.at),
  status: one.status,
  statusReason: one.statusReason === null ? null : reasonFor(one.statusReason, { isMerchants }),
  actor: one.actor,
  note: isMerchants ? one.note.replaceAll("screening hit", "compliance") : one.note,
  screeningHits: isMerchants ? [] : [...(one.screeningHits ?? [])],
});

function presentCustomer({ person }: ReadStory): OrderStory["customer"] {
  const { customer, payoutShown } = person;
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(" ");
  return {
    name: name || null,
    email: customer.email ?? null,
    reference: customer.reference ?? null,
    countryCode: customer.countryCode ?? null,
    payoutFields: Object.entries(payoutShown).map(([field, value]) => ({ name: field, value })),
  };
}

type AmountOf = (amount: {
  readonly assetId: number;
  readonly units: string;
}) => OrderStory["spend"];

function presentPrice({ order, quote }: Rows, amount: AmountOf): OrderStory["price"] {
  const received = (units: string) => amount({ assetId: order.receive.assetId, units });
  return {
    quoteId: quote.id,
    midRate: quote.midRate,
    rate: quote.rate,
    rateSource: quote.rateSource,
    spread: received(quote.spread),
    transactionFee: received(quote.transactionFee),
    deliveryFee: received(quote.deliveryFee),
  };
}

const presentMoney = (
  { attempts, deposits, intents }: Rows,
  { amount, isMerchants }: { readonly amount: AmountOf; readonly isMerchants: boolean },
) => ({
  attempts: attempts.map((one) => ({
    number: one.number,
    paymentId: one.id,
    at: at(one.at),
    amount: amount(one),
    brand: one.brand,
    lastFour: one.lastFour,
    status: one.status,
    declineReason: one.declineReason,
    threeDSecure: one.threeDSecure && `${one.threeDSecure.transStatus} ${one.threeDSecure.flow}`,
  })),
  deposits: deposits.map((one) => ({
    at: at(one.at),
    amount: amount(one),
    rail: one.rail,
    reference: one.externalId,
    state: one.state,
    confirmations: one.confirmations,
    confirmationsRequired: one.confirmationsRequired,
  })),
  payouts: intents.map((one) => ({
    payoutId: one.id,
    at: at(one.at),
    purpose: one.purpose,
    amount: amount(one),
    rail: one.rail,
    networkCode: one.networkCode,
    address: one.address,
    state: one.state,
    transactionHash: one.transactionHash,
    confirmations: one.confirmations,
    releasedAt: one.releasedAt === null ? null : at(one.releasedAt),
    waitsFor: isMerchants ? null : one.waitsFor,
    wait: isMerchants ? null : presentWait(one.wait),
    stops: isMerchants ? [] : [...one.stops],
    approvedBy: isMerchants ? [] : one.approvals.map(({ person }) => person),
  })),
});

const presentEvent = (event: Rows["events"][number]): OrderStory["webhooks"][number] => ({
  at: at(event.at),
  eventType: event.eventType,
  deliveries: event.deliveries.map((delivery) => ({
    deliveryId: delivery.id,
    origin: delivery.url,
    state: delivery.state,
    attempts: delivery.attempts.map((one) => ({
      at: at(one.at),
      status: one.status,
      fault: one.fault,
    })),
  })),
});

const presentNote = ({
  at: writtenAt,
  person,
  merchantId,
  text,
}: ReadStory["notes"][number]): OrderStory["notes"][number] => ({
  at: toUnixSeconds(writtenAt),
  person,
  of: merchantId === null ? "operator" : "merchant",
  note: text,
});

const presentDecision = (change: ReadStory["decisions"][number]) => ({
  at: toUnixSeconds(change.at),
  person: change.person,
  action: change.action,
  reason: change.details["reason"] ?? null,
});

/** The actions that the order and its money allow now, and the person's rights too. The flow of each has the last word. */
function actionsOf(
  { order, rows, money, reviewer }: ReadStory,
  caller: AdminCaller,
): OrderAction[] {
  const { status } = order;
  const { requestedRefundApprovedBy: approvedBy } = rows.order;
  const isOperator = caller.merchantId === null;
  const refundable = refundableOf(order, isOperator ? "operator" : "merchant", money);
  const isCancellable =
    accepts(status, "cancelled") &&
    (isOperator || status !== "in_review") &&
    !isMoneyUnderWay(order.receivedUnits, rows.attempts, rows.deposits);
  const captured = rows.attempts.some((attempt) => attempt.status === "captured");
  const facts = { covered: isCovered(order), captured };
  const isPossible: Readonly<Record<OrderAction, boolean>> = {
    release: isOperator && mayRelease(order, facts) && caller.may("orders.decide"),
    refund: refundable.length > 0 && caller.may("orders.decide"),
    cancel: isCancellable && caller.may("orders.hold"),
    hold:
      isOperator &&
      accepts(status, "held") &&
      !mayHaveLeft(rows.intents) &&
      caller.may("orders.hold"),
    approve_refund_address:
      isOperator &&
      rows.order.requestedRefundAddress !== null &&
      !isRefunding(status) &&
      (approvedBy.length >= APPROVALS_NEEDED || !approvedBy.includes(caller.by.person)) &&
      caller.may("orders.decide"),
    take: isOperator && status === "in_review" && !reviewer && caller.may("orders.review"),
    free: isOperator && reviewer !== undefined && caller.may("orders.review"),
    note: caller.may("orders.note"),
  };
  return (Object.keys(isPossible) as OrderAction[]).filter((action) => isPossible[action]);
}
