import type { DaysReport, ReportDay, ReportTotal } from "@exchange/contract/admin";
import type { ComponentChildren } from "preact";
import { say, sayNumber, sayWord } from "../say.ts";
import { Table } from "../ui/parts.tsx";
import { Plot } from "./plot.tsx";
import { daysOf } from "./span.tsx";

export const MEASURES = ["volume", "delivered", "fees"] as const;
export type Measure = (typeof MEASURES)[number];

const operationText = (word: ReportTotal["operation"]): string =>
  word === "" ? say("money.no_order") : sayWord("operation", word);

/** Returns the currencies in which a report has the measure, the one with the most rows first. */
export function currenciesOf({ days }: DaysReport, measure: Measure): readonly string[] {
  const shown = days.filter((row) => row[measure] !== "0").map(({ currency }) => currency);
  const count = (currency: string): number => shown.filter((one) => one === currency).length;
  return [...new Set(shown)].toSorted((a, b) => count(b) - count(a));
}

/** One measure in one currency by day, with a bar for each operation. */
export function DaysPlot(props: {
  readonly report: DaysReport;
  readonly currency: string;
  readonly measure: Measure;
}) {
  const { report, currency, measure } = props;
  const rows = report.days.filter((day) => day.currency === currency && day[measure] !== "0");
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  return (
    <Plot
      label={say("money.plot", {
        measure: say(`money.${measure}`),
        currency: currency.toUpperCase(),
        from: report.from,
        to: report.to,
      })}
      unit={currency.toUpperCase()}
      days={daysOf(report)}
      series={operations.map((word) => [word, operationText(word)] as const)}
      bars={rows.map((row) => ({ day: row.day, series: row.operation, amount: row[measure] }))}
    />
  );
}

const amount = (text: string): ComponentChildren => (
  <span class={text === "0" ? "muted" : "amount"}>{text}</span>
);

const figures = (row: ReportTotal): readonly ComponentChildren[] => [
  operationText(row.operation),
  row.currency.toUpperCase(),
  amount(sayNumber(row.orders)),
  amount(row.volume),
  amount(row.delivered),
  amount(row.spread),
  amount(row.transactionFee),
  amount(row.deliveryFee),
  amount(row.fees),
];

const columns = (): readonly string[] => [
  say("orders.operation"),
  say("money.currency"),
  say("money.orders"),
  say("money.volume"),
  say("money.delivered"),
  say("order.spread"),
  say("order.fee"),
  say("order.delivery_fee"),
  say("money.fees"),
];

export function TotalsTable({ totals }: { readonly totals: readonly ReportTotal[] }) {
  return (
    <section>
      <h2>{say("money.totals")}</h2>
      <Table
        caption={say("money.totals")}
        columns={columns()}
        rows={totals.map((row) => ({
          key: `${row.operation} ${row.currency}`,
          cells: figures(row),
        }))}
      />
    </section>
  );
}

export function DaysTable({ days }: { readonly days: readonly ReportDay[] }) {
  return (
    <section>
      <h2>{say("money.by_day")}</h2>
      <Table
        caption={say("money.by_day")}
        columns={[say("money.day"), ...columns()]}
        rows={days.map((row) => ({
          key: `${row.day} ${row.operation} ${row.currency}`,
          cells: [row.day, ...figures(row)],
        }))}
      />
    </section>
  );
}
