import type { OrderData } from "@exchange/contract";
import { en } from "../copy/en.ts";
import { operationCopy } from "../copy/operations.ts";
import { amountsOf, shorten } from "../ui/words.ts";

export interface StatusWords {
  readonly title: string;
  readonly text: string;
  readonly tone: "going" | "good" | "bad" | "neutral";
  /** How many of the four steps are done; undefined where steps mean nothing. */
  readonly stepsDone: number | undefined;
}

const { titles, texts } = en.status;

/** What an order's status means for the customer. A status we do not know is "In progress". */
export function statusWords(order: OrderData, locale: string): StatusWords {
  const copy = operationCopy(order.operationType);
  const coin = order.quote.receive.currencyCode;
  switch (order.status) {
    case "awaiting_payment":
      return unpaidWords(order);
    case "payment_pending":
      return going(copy.placedTitle, texts.pending, 0);
    case "processing":
      return going(copy.placedTitle, texts.processing(coin), 1);
    case "sending":
      return going(copy.placedTitle, texts.sending(coin), 2);
    case "completed": {
      const { receive } = amountsOf(order.quote, order.operationType, locale);
      const text = copy.done(receive, shorten(order.delivery.walletAddress ?? ""));
      return { title: copy.doneTitle(coin), text, tone: "good", stepsDone: 4 };
    }
    case "in_review":
    case "refund_pending":
    case "refunded":
      return neutral(order.status);
    case "failed":
      return failedWords(order);
    case "expired":
    case "cancelled":
      return { ...neutral(order.status), tone: "bad" };
    default:
      return { title: titles.unknown, text: texts.unknown, tone: "neutral", stepsDone: undefined };
  }
}

function unpaidWords(order: OrderData): StatusWords {
  const attempt = order.payment.attempt;
  if (!attempt) return neutral("unpaid");
  const kind = attempt.status === "authentication_failed" ? attempt.status : "declined";
  const left = en.card.attemptsLeft(order.payment.attemptsLeft);
  return {
    title: titles[kind],
    text: `${en.status.charged} ${left}`,
    tone: "bad",
    stepsDone: undefined,
  };
}

function failedWords(order: OrderData): StatusWords {
  const declined = order.statusReason === "card_declined";
  const unconfirmed = order.statusReason === "three_ds_failed";
  const text = declined ? texts.declined : unconfirmed ? texts.authentication_failed : texts.failed;
  return { title: titles.failed, text, tone: "bad", stepsDone: undefined };
}

const going = (title: string, text: string, stepsDone: number): StatusWords => ({
  title,
  text,
  tone: "going",
  stepsDone,
});

const neutral = (
  status: "in_review" | "refund_pending" | "refunded" | "unpaid" | "expired" | "cancelled",
): StatusWords => ({
  title: titles[status],
  text: texts[status],
  tone: "neutral",
  stepsDone: undefined,
});
