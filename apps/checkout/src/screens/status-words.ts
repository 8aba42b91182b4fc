import type { CheckoutOrderData } from "@exchange/contract";
import { formatAmount } from "../amounts/format.ts";
import { daysOf, formatMoment } from "../amounts/moment.ts";
import { t, tOr } from "../copy/later.ts";
import { awaitsPriceAnswer, awaitsRest, paidBy, paysByCard } from "../machine/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { shorten } from "../ui/network-words.ts";
import type { Tone } from "../ui/parts.tsx";
import { amountsOf, kindOn } from "../ui/words.ts";
import { lacksRest, missingOf, seenOf } from "./coverage.ts";

export interface StatusWords {
  readonly title: string;
  readonly text: string;
  readonly tone: Tone;
  /** The number of steps done, of four. Undefined for a status without steps. */
  readonly stepsDone: number | undefined;
}

/** Returns an order's status in words for the customer. An unknown status is "In progress". */
export function statusWords(order: CheckoutOrderData, locale: string): StatusWords {
  const operation = order.operationType;
  const code = order.quote.receive.currencyCode;
  const by = paidBy(order);
  switch (order.status) {
    case "awaiting_payment":
      return unpaidWords(order);
    case "payment_pending":
      return pendingWords(order, locale);
    case "processing":
      return going(t("status.paid"), t(`status.converting.${operation}`, { code }), 1);
    case "sending":
      return going(
        t(`status.title.sending.${operation}`, { code }),
        `${t(`status.sending.${operation}`, amountsOf(order.quote, operation, locale))} ${timeOf(order, locale)}`,
        2,
      );
    case "completed":
      return {
        title: t(`status.done.${operation}`, amountsOf(order.quote, operation, locale)),
        text: doneText(order, locale),
        tone: "good",
        stepsDone: 4,
      };
    case "in_review":
      return reviewWords(order, locale);
    case "refund_pending":
      return still("neutral", t("status.title.refund_pending"), t(`status.refundPending.${by}`));
    case "refunded":
      return still("good", t("status.title.refunded"), t(`status.refunded.${by}`));
    default:
      return endedWords(order);
  }
}

function endedWords(order: CheckoutOrderData): StatusWords {
  const byCard = paysByCard(order);
  switch (order.status) {
    case "failed":
      return still("bad", t("status.title.failed"), why("failed", order));
    case "expired":
      return still(
        "bad",
        t("status.title.expired"),
        t(byCard ? "status.expired.card" : "status.expired.other"),
      );
    case "cancelled": {
      const money = t(byCard ? "status.notCharged" : "status.cancelledMoney");
      return still("bad", t("status.title.cancelled"), `${why("cancelled", order)} ${money}`);
    }
    default:
      return still("neutral", t("status.title.unknown"), t("status.unknown"));
  }
}

/** Returns the text for the order's status reason. An unknown reason gets the general text. */
const why = (end: "failed" | "cancelled" | "review", { statusReason }: CheckoutOrderData): string =>
  tOr(`status.${end}.${statusReason}`, `status.${end}.other`);

/** A payment was seen. It may be too little, and a card may be approved already. */
function pendingWords(order: CheckoutOrderData, locale: string): StatusWords {
  if (lacksRest(order)) {
    return still("neutral", t("status.title.short"), t("status.short", amountsSeen(order, locale)));
  }
  const attempt = order.payment.attempt?.status;
  if (attempt === "authorized" || attempt === "captured") {
    const code = order.quote.receive.currencyCode;
    return going(t("status.approved"), t(`status.converting.${order.operationType}`, { code }), 1);
  }
  return onItsWay(order);
}

const onItsWay = (order: CheckoutOrderData): StatusWords =>
  going(t("status.placed"), t(`status.pending.${paidBy(order)}`), 0);

/** Says why the order is in review and what happens next. */
function reviewWords(order: CheckoutOrderData, locale: string): StatusWords {
  if (awaitsPriceAnswer(order)) {
    return still("neutral", t("status.title.rate_moved"), t("status.rate_moved"));
  }
  if (lacksRest(order)) {
    const text = t("status.underpaid", amountsSeen(order, locale));
    return still("neutral", t("status.title.underpaid"), text);
  }
  return awaitsRest(order) ? restWords(order) : inReview(why("review", order));
}

/** Too little arrived in time, and the rest was seen since. It may be too much, or late. */
function restWords(order: CheckoutOrderData): StatusWords {
  if (missingOf(order) < 0) return inReview(t("status.review.overpaid"));
  return order.payment.received < order.quote.spend.amount
    ? onItsWay(order)
    : inReview(t("status.review.late_payment"));
}

/** Returns the amount that was seen beside the expected one. */
function amountsSeen(order: CheckoutOrderData, locale: string) {
  const kind = kindOn(order.operationType, "spend");
  const { spend } = order.quote;
  return {
    received: formatAmount({ ...spend, amount: seenOf(order) }, kind, locale),
    expected: formatAmount(spend, kind, locale),
  };
}

function doneText(order: CheckoutOrderData, locale: string): string {
  const { walletAddress } = order.delivery;
  const when = formatMoment(endedAt(order), locale);
  if (walletAddress) {
    // Joined, so that no line breaks within the address.
    const place = shorten(walletAddress).replace("…", "\u2060…\u2060");
    return t("status.sentTo", { place, when });
  }
  return `${t("status.paidOut", { when })} ${timeOf(order, locale)}`.trim();
}

/** The time at which the order took its present status. */
const endedAt = ({ timeline, status, updatedAt }: CheckoutOrderData): number =>
  timeline.findLast((item) => item.status === status)?.at ?? updatedAt;

/** Returns the usual time of a payout, or an empty text when the service does not know it. */
function timeOf({ quote, delivery }: CheckoutOrderData, locale: string): string {
  if (delivery.walletAddress) return "";
  if (quote.delivery.time.maxDays === 0) return t("status.time.soon");
  const days = daysOf(quote.delivery.time, locale);
  return days ? t(`status.time.${days.kind}`, days) : "";
}

function unpaidWords(order: CheckoutOrderData): StatusWords {
  const { attempt, attemptsLeft } = order.payment;
  if (!attempt) return still("neutral", t("status.title.unpaid"), t("status.unpaid"));
  const kind = attempt.status === "authentication_failed" ? attempt.status : "declined";
  const left = t("card.attemptsLeft", { count: attemptsLeft });
  const reason = tOr(`status.${kind}.${attempt.declineReason}`, `status.${kind}.other`);
  return still("bad", t(`status.title.${kind}`), `${reason} ${t("status.notCharged")} ${left}`);
}

/**
 * The bank takes longer than usual, or nobody knows yet whether the payment arrived. A window that has timed out does not
 * show the result.
 */
export function lateWords({ order, connection, submission }: Ordered): StatusWords {
  if (submission === "unknown") {
    return still("neutral", t("authentication.unknown.title"), t("authentication.unknown"));
  }
  const isFollowed = order.customerUrl && connection !== "timed_out";
  const where = isFollowed ? t("authentication.late.page") : "";
  const text = `${t("authentication.late")} ${where}`.trim();
  return still("neutral", t("authentication.late.title"), text);
}

/** Part of the payment was seen, and the time for the rest is up. */
export function overWords(order: CheckoutOrderData, locale: string): StatusWords {
  return still("neutral", t("over.title"), t("over.short", amountsSeen(order, locale)));
}

const going = (title: string, text: string, stepsDone: number): StatusWords => ({
  title,
  text: text.trim(),
  tone: "going",
  stepsDone,
});

const inReview = (text: string): StatusWords => still("neutral", t("status.title.in_review"), text);

const still = (tone: StatusWords["tone"], title: string, text: string): StatusWords => ({
  title,
  text,
  tone,
  stepsDone: undefined,
});
