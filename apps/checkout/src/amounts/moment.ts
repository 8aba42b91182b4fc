import type { QuoteData } from "@exchange/contract";
import { formatCount } from "@exchange/ui/messages";
import { decimalOf, formatPlain } from "./format.ts";

/** Returns a time of today as "3:04 PM", and any other as "Wed, Nov 25, 2:56 PM", in the customer's time zone. */
export function formatMoment(unixSeconds: number, locale: string): string {
  const moment = new Date(unixSeconds * 1_000);
  const isToday = moment.toDateString() === new Date().toDateString();
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  return new Intl.DateTimeFormat(locale, {
    ...(isToday ? {} : day),
    hour: "numeric",
    minute: "2-digit",
  }).format(moment);
}

/** A remaining time such as "14:05", with hours only if there are any. */
export function formatClock(seconds: number, locale: string): string {
  const two = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2, useGrouping: false });
  const hours = Math.floor(seconds / 3_600);
  const parts = [two.format(Math.floor((seconds % 3_600) / 60)), two.format(seconds % 60)];
  return hours > 0
    ? [formatPlain(decimalOf(hours), 0, locale), ...parts].join(":")
    : parts.join(":");
}

type Days = "upTo" | "about" | "between";

/** Returns the time of a payout in days and the phrase for it, or undefined when the service does not know it. */
export function daysOf(
  time: QuoteData["delivery"]["time"],
  locale: string,
): { readonly kind: Days; readonly least: string; readonly count: number } | undefined {
  const least = time.minDays ?? time.maxDays;
  const most = time.maxDays ?? time.minDays;
  if (least === null || most === null || most === 0) return undefined;
  const kind = least === 0 ? "upTo" : least === most ? "about" : "between";
  return { kind, least: formatCount(least, locale), count: most };
}
