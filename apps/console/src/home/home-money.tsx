import type { DaysReport } from "@exchange/contract/admin";
import { useEffect } from "preact/hooks";
import { call } from "../api.ts";
import { dayText } from "../money/span.tsx";
import { linkTo } from "../route.ts";
import { say, sayDay } from "../say.ts";
import { Coins, Terms } from "../ui/figures.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";

/**
 * Money of the present UTC day by the service's clock, as the ledger has it: the rows of the report that it links to. The
 * clock of a sandbox may be ahead of the browser's.
 */
export function MoneyToday({
  now,
  refreshes,
}: {
  readonly now: number;
  /** How often the person asked for new figures. */
  readonly refreshes: number;
}) {
  const today = dayText(now * 1_000);
  const report = linkTo("reports", { from: today, to: today });
  // No change has the topic of the report. It is read each minute.
  const loaded = useData(
    `money ${today}`,
    () => call<DaysReport>("/reports/days", { query: { from: today, to: today } }),
    [],
  );
  useEffect(() => {
    if (refreshes > 0) loaded.reload();
  }, [refreshes]);
  const title = say("home.money_today", { day: sayDay(today) });
  return (
    <section>
      <div class="head">
        <h2>{title}</h2>
        <a class="button quiet" href={report}>
          {say("home.day_report")}
        </a>
      </div>
      <Loading loaded={loaded}>
        {({ totals }) => {
          const moved = totals.filter((row) => row.volume !== "0" || row.delivered !== "0");
          return moved.length === 0 ? (
            <Empty text={say("home.no_money")} />
          ) : (
            <Moved title={title} totals={moved} />
          );
        }}
      </Loading>
    </section>
  );
}

const Moved = ({ title, totals }: Pick<DaysReport, "totals"> & { readonly title: string }) => (
  <>
    <Terms
      terms={[
        [say("money.volume"), say("money.volume_text")],
        [say("money.delivered"), say("money.delivered_text")],
      ]}
    />
    <Table
      caption={title}
      figures={[say("money.volume"), say("money.delivered")]}
      columns={[say("money.currency"), say("money.volume"), say("money.delivered")]}
      rows={[...new Set(totals.map(({ currency }) => currency))].map((currency) => {
        const own = totals.filter((row) => row.currency === currency);
        return {
          key: currency,
          cells: [
            currency.toUpperCase(),
            <Coins
              key="volume"
              amount={sumOf(own.map(({ volume }) => volume))}
              currency={currency}
            />,
            <Coins
              key="delivered"
              amount={sumOf(own.map(({ delivered }) => delivered))}
              currency={currency}
            />,
          ],
        };
      })}
    />
  </>
);

/** Returns the exact sum of amounts, without zeros at its end. */
function sumOf(amounts: readonly string[]): string {
  const scale = Math.max(...amounts.map((text) => text.split(".")[1]?.length ?? 0));
  const units = amounts.reduce((sum, text) => {
    const [whole = "0", fraction = ""] = text.split(".");
    return sum + BigInt(whole + fraction.padEnd(scale, "0"));
  }, 0n);
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const end = digits.length - scale;
  const fraction = digits.slice(end).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, end)}${fraction && `.${fraction}`}`;
}
