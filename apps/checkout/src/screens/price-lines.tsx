import type { OperationType, QuoteData } from "@exchange/contract";
import { formatDecimal, multiplyDecimals, rescale } from "@exchange/money";
import { decimalOf, formatAmount, formatPrice } from "../amounts/format.ts";
import { en } from "../copy/en.ts";
import { kindOn } from "../ui/words.ts";

const PUBLISHED_DECIMALS = 8;

interface PriceLinesProps {
  readonly quote: QuoteData;
  readonly operation: OperationType;
  readonly locale: string;
}

/** The whole price: rate, what it gives, every fee, what arrives. */
export function PriceLines({ quote, operation, locale }: PriceLinesProps) {
  const kind = kindOn(operation, "receive");
  const code = quote.receive.currencyCode;
  const amount = (value: number): string =>
    formatAmount({ amount: value, currencyCode: code }, kind, locale);
  const base = { code: quote.spend.currencyCode, kind: kindOn(operation, "spend") };
  return (
    <dl class="lines">
      <Line label={en.review.rate} value={`1 ${code} = ${formatPrice(quote.rate, base, locale)}`} />
      <Line label={en.review.exchanged} value={amount(exchangedBy(quote))} />
      {quote.fees
        .filter((fee) => fee.amount > 0)
        .map((fee, index) => (
          <Line
            key={index}
            label={en.review.fee[fee.type] ?? en.review.feeOther}
            value={`− ${formatAmount(fee, kind, locale)}`}
          />
        ))}
      {quote.delivery.fee.amount > 0 && (
        <Line
          label={en.review.networkFee}
          value={`− ${formatAmount(quote.delivery.fee, kind, locale)}`}
        />
      )}
      <Line label={en.review.youGet} value={amount(quote.receive.amount)} strong />
    </dl>
  );
}

/** Spend times rate, exactly, at the scale amounts are published with. */
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
