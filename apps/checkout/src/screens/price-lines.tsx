import type { OperationType, QuoteData } from "@exchange/contract";
import { addWire, type CurrencyKind, formatAmount, roundWire } from "../amounts/format.ts";
import { t } from "../copy/later.ts";
import { receivesCrypto } from "../machine/steps.ts";
import { rateLine, receiptKind } from "../ui/words.ts";

interface PriceLinesProps {
  readonly quote: QuoteData;
  readonly operation: OperationType;
  readonly locale: string;
}

/** The receipt: every cost in the currency that the customer thinks in, their sum, and the rate. */
export function PriceLines({ quote, operation, locale }: PriceLinesProps) {
  const { receipt } = quote;
  const kind = receiptKind(operation);
  const amount = (value: number): string =>
    formatAmount({ amount: value, currencyCode: receipt.currencyCode }, kind, locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  const delivery = t(receivesCrypto(operation) ? "review.fee.network" : "review.fee.payout");
  const costs = [
    {
      label: t("review.fee.exchange"),
      value: receipt.exchangeFee,
      hint: partsOf(quote, kind, locale),
    },
    { label: delivery, value: receipt.deliveryFee },
    {
      label: t("review.spread", { percent: percent.format(receipt.spreadPercent / 100) }),
      value: receipt.spread,
    },
  ].filter(({ value }) => value > 0);
  return (
    <dl class="lines receipt">
      {costs.map(({ label, value, hint }) => (
        <Line key={label} label={label} value={amount(value)} hint={hint} />
      ))}
      <Line
        label={t("review.costs")}
        value={costs.length > 0 ? amount(receipt.total) : t("amount.noFees")}
        strong
      />
      <Line label={t("review.rate")} value={rateLine(quote, operation, locale)} />
    </dl>
  );
}

/** Says of which parts the exchange fee is the sum, where it has two. The percentage is the rest of the rounded fee. */
function partsOf(quote: QuoteData, kind: CurrencyKind, locale: string): string | undefined {
  const { fees, receipt, transactionFee } = quote;
  const fixed = fees.find(({ type }) => type === "fixed");
  if (!fixed || fees.length < 2) return undefined;
  const { currencyCode, exchangeFee } = receipt;
  const format = (amount: number) => formatAmount({ amount, currencyCode }, kind, locale);
  const fee = { amount: exchangeFee, currencyCode };
  const share = roundWire((exchangeFee * fixed.amount) / transactionFee.amount, fee, kind);
  return t("review.fee.parts", {
    percentage: format(addWire(exchangeFee, -share)),
    fixed: format(share),
  });
}

interface LineProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: string | undefined;
  readonly strong?: true;
}

export const Line = ({ label, value, hint, strong }: LineProps) => (
  <div class={strong ? "row row-strong" : "row"}>
    <dt>
      {label}
      {hint && <p class="hint">{hint}</p>}
    </dt>
    <dd>
      <bdi>{value}</bdi>
    </dd>
  </div>
);
