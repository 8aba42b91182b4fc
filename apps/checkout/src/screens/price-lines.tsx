import type { OperationType, QuoteData } from "@exchange/contract";
import { formatDecimal, multiplyDecimals, rescale } from "@exchange/money";
import { decimalOf, formatAmount } from "../amounts/format.ts";
import { t, tOr } from "../copy/later.ts";
import { receivesCrypto } from "../machine/steps.ts";
import { kindOn, rateLine } from "../ui/words.ts";

const PUBLISHED_DECIMALS = 8;

interface PriceLinesProps {
  readonly quote: QuoteData;
  readonly operation: OperationType;
  readonly locale: string;
}

/** The whole price: the rate, the exchanged amount, every fee and the amount received. */
export function PriceLines({ quote, operation, locale }: PriceLinesProps) {
  const kind = kindOn(operation, "receive");
  const code = quote.receive.currencyCode;
  const amount = (value: number): string =>
    formatAmount({ amount: value, currencyCode: code }, kind, locale);
  return (
    <dl class="lines">
      <Line label={t("review.rate")} value={rateLine(quote, operation, locale)} />
      <Line label={t("review.exchanged")} value={amount(exchangedBy(quote))} />
      {quote.fees
        .filter((fee) => fee.amount > 0)
        .map((fee, index) => (
          <Line
            key={index}
            label={tOr(`review.fee.${fee.type}`, "review.fee.other")}
            value={`− ${formatAmount(fee, kind, locale)}`}
          />
        ))}
      {quote.delivery.fee.amount > 0 && (
        <Line
          label={t(receivesCrypto(operation) ? "review.fee.network" : "review.fee.payout")}
          value={`− ${formatAmount(quote.delivery.fee, kind, locale)}`}
        />
      )}
      <Line label={t(`${operation}.receive`)} value={amount(quote.receive.amount)} strong />
    </dl>
  );
}

/** Returns spend times rate, exact, at the scale of published amounts. */
function exchangedBy(quote: QuoteData): number {
  const exact = multiplyDecimals(decimalOf(quote.spend.amount), decimalOf(quote.rate));
  return Number(formatDecimal(rescale(exact, PUBLISHED_DECIMALS, "half_up")));
}

interface LineProps {
  readonly label: string;
  readonly value: string;
  readonly strong?: true;
}

export const Line = ({ label, value, strong }: LineProps) => (
  <div class={strong ? "row row-strong" : "row"}>
    <dt>{label}</dt>
    <dd>
      <bdi>{value}</bdi>
    </dd>
  </div>
);
