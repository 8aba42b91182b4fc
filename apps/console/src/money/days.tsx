import type { DaysReport, ReportDay, ReportTotal } from "@exchange/contract/admin";
import type { ComponentChildren } from "preact";
import { say, sayDay, sayNumber, sayWord } from "../say.ts";
import { Coins, Terms } from "../ui/figures.tsx";
import { Table } from "../ui/table.tsx";
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
        from: sayDay(report.from),
        to: sayDay(report.to),
      })}
      unit={currency.toUpperCase()}
      days={daysOf(report)}
      series={operations.map((word) => [word, operationText(word)] as const)}
      bars={rows.map((row) => ({ day: row.day, series: row.operation, amount: row[measure] }))}
    />
  );
}

const figures = (row: ReportTotal): readonly ComponentChildren[] => [
  operationText(row.operation),
  row.currency.toUpperCase(),
  <span key="orders" class={row.orders === 0 ? "muted" : "amount"}>
    {sayNumber(row.orders)}
  </span>,
  <Coins key="volume" amount={row.volume} currency={row.currency} />,
  <Coins key="delivered" amount={row.delivered} currency={row.currency} />,
  <Coins key="spread" amount={row.spread} currency={row.currency} />,
  <Coins key="transactionFee" amount={row.transactionFee} currency={row.currency} />,
  <Coins key="deliveryFee" amount={row.deliveryFee} currency={row.currency} />,
  <Coins key="fees" amount={row.fees} currency={row.currency} />,
];

const columns = (): readonly string[] => [
  say("orders.operation"),
  say("money.currency"),
  ...figureColumns(),
];

const figureColumns = (): readonly string[] => [
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
      <Terms terms={MEASURES.map((name) => [say(`money.${name}`), say(`money.${name}_text`)])} />
      <Table
        caption={say("money.totals")}
        figures={figureColumns()}
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
        figures={figureColumns()}
        columns={[say("money.day"), ...columns()]}
        rows={days.map((row) => ({
          key: `${row.day} ${row.operation} ${row.currency}`,
          cells: [sayDay(row.day, "short"), ...figures(row)],
        }))}
      />
    </section>
  );
}
