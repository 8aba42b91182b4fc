import type { OrderData } from "@exchange/contract";
import { formatAmount } from "../amounts/format.ts";
import { operationSteps } from "../copy/operation-steps.ts";
import { orders, paidBy, wordsFor } from "../copy/orders.ts";
import { daysInWords, steps } from "../copy/steps.ts";
import { paysByCard } from "../machine/orders.ts";
import { amountsOf, daysOf, kindOn, shorten } from "../ui/words.ts";

export interface StatusWords {
  readonly title: string;
  readonly text: string;
  readonly tone: "going" | "good" | "bad" | "neutral";
  /** How many of the four steps are done; undefined where steps mean nothing. */
  readonly stepsDone: number | undefined;
}

const { status: words } = orders;
const { titles } = words;

/** What an order's status means for the customer. A status we do not know is "In progress". */
export function statusWords(order: OrderData, locale: string): StatusWords {
  const copy = operationSteps(order.operationType);
  const code = order.quote.receive.currencyCode;
  const by = paidBy(order);
  switch (order.status) {
    case "awaiting_payment":
      return unpaidWords(order);
    case "payment_pending":
      return going(copy.placedTitle, words.pending[by], 0);
    case "processing":
      return going(copy.placedTitle, copy.converting(code), 1);
    case "sending":
      return going(copy.placedTitle, `${copy.sending(code)} ${timeOf(order)}`, 2);
    case "completed":
      return {
        title: copy.doneTitle(code),
        text: doneText(order, locale),
        tone: "good",
        stepsDone: 4,
      };
    case "in_review":
      return reviewWords(order, locale);
    case "refund_pending":
      return still("neutral", titles.refund_pending, words.refundPending[by]);
    case "refunded":
      return still("neutral", titles.refunded, words.refunded[by]);
    default:
      return endedWords(order);
  }
}

function endedWords(order: OrderData): StatusWords {
  const byCard = paysByCard(order);
  switch (order.status) {
    case "failed":
      return still("bad", titles.failed, wordsFor(words.failed, order.statusReason));
    case "expired":
      return still("bad", titles.expired, byCard ? words.expired.card : words.expired.other);
    case "cancelled": {
      const { card, other } = words.cancelledMoney;
      const who = wordsFor(words.cancelled, order.statusReason);
      return still("bad", titles.cancelled, `${who} ${byCard ? card : other}`);
    }
    default:
      return still("neutral", titles.unknown, words.unknown);
  }
}

/** Why a person looks at the order, and what happens next. */
function reviewWords(order: OrderData, locale: string): StatusWords {
  if (order.statusReason !== "underpaid") {
    return still("neutral", titles.in_review, wordsFor(words.review, order.statusReason));
  }
  const { received, expected } = coverageOf(order, locale);
  return still("neutral", titles.underpaid, words.underpaid(received, expected));
}

/** What came of what was to come. */
export function coverageOf(order: OrderData, locale: string) {
  const kind = kindOn(order.operationType, "spend");
  const { spend } = order.quote;
  const received = { amount: order.payment.received, currencyCode: spend.currencyCode };
  return {
    received: formatAmount(received, kind, locale),
    expected: formatAmount(spend, kind, locale),
  };
}

function doneText(order: OrderData, locale: string): string {
  const { receive } = amountsOf(order.quote, order.operationType, locale);
  const { walletAddress } = order.delivery;
  if (walletAddress) return words.onItsWayTo(receive, shorten(walletAddress));
  return `${words.onItsWay(receive)} ${timeOf(order)}`.trim();
}

/** How long a payout usually takes; nothing where nobody knows. */
function timeOf({ quote, delivery }: OrderData): string {
  if (delivery.walletAddress) return "";
  if (quote.delivery.time.maxDays === 0) return words.soon;
  const days = daysOf(quote.delivery.time);
  return days ? words.days(daysInWords(...days)) : "";
}

function unpaidWords(order: OrderData): StatusWords {
  const attempt = order.payment.attempt;
  if (!attempt) return still("neutral", titles.unpaid, words.unpaid);
  const kind = attempt.status === "authentication_failed" ? attempt.status : "declined";
  const left = steps.card.attemptsLeft(order.payment.attemptsLeft);
  return still("bad", titles[kind], `${words.notCharged} ${left}`);
}

const going = (title: string, text: string, stepsDone: number): StatusWords => ({
  title,
  text: text.trim(),
  tone: "going",
  stepsDone,
});

const still = (tone: StatusWords["tone"], title: string, text: string): StatusWords => ({
  title,
  text,
  tone,
  stepsDone: undefined,
});
