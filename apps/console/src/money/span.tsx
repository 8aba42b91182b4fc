import { MerchantField } from "../merchants/merchant-field.tsx";
import { goTo, linkTo } from "../route.ts";
import { say } from "../say.ts";
import { Field } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";

/** Two UTC days, both included, and the merchant. They live in the address. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly merchantId: string;
}

const DAY_MS = 86_400_000;

export const dayText = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns the span of the address, or the last days with today. */
export function spanOf(query: Readonly<Record<string, string>>, days: number): Span {
  const now = Date.now();
  return {
    from: query["from"] ?? dayText(now - (days - 1) * DAY_MS),
    to: query["to"] ?? dayText(now),
    merchantId: query["merchantId"] ?? "",
  };
}

/** Returns every day of a span. A span is refused before it is longer than a report. */
export function daysOf({ from, to }: Pick<Span, "from" | "to">): readonly string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const count = Math.min(366, Math.max(0, Math.round((last - first) / DAY_MS) + 1)) || 0;
  return Array.from({ length: count }, (_, at) => dayText(first + at * DAY_MS));
}

/** Returns the first and the last day of this month, or of an earlier one. */
function monthOf(monthsAgo: number): Pick<Span, "from" | "to"> {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() - monthsAgo];
  return { from: dayText(Date.UTC(year, month, 1)), to: dayText(Date.UTC(year, month + 1, 0)) };
}

/** The form of a span, with the spans that finance asks for most. */
export function SpanForm(props: {
  readonly place: string;
  readonly query: Readonly<Record<string, string>>;
  readonly span: Span;
  readonly hasMerchant: boolean;
}) {
  const { place, query, span, hasMerchant } = props;
  const others = { ...query, cursor: undefined };
  const show = (event: SubmitEvent) => {
    const text = readForm(event);
    const merchantId = hasMerchant ? text("merchantId") : undefined;
    goTo(place, { ...others, from: text("from"), to: text("to"), merchantId });
  };
  const months = [
    [say("money.this_month"), monthOf(0)],
    [say("money.last_month"), monthOf(1)],
  ] as const;
  return (
    <>
      <form class="filters" onSubmit={show}>
        <Field label={say("money.from")} name="from" type="date" initial={span.from} required />
        <Field label={say("money.to")} name="to" type="date" initial={span.to} required />
        {hasMerchant && <MerchantField initial={span.merchantId} />}
        <button type="submit" class="button primary">
          {say("money.show")}
        </button>
        {months.map(([name, month]) => (
          <a key={name} class="button quiet" href={linkTo(place, { ...others, ...month })}>
            {name}
          </a>
        ))}
      </form>
      <p class="muted small">{say("money.utc")}</p>
    </>
  );
}
