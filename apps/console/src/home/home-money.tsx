import type { DaysReport } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { dayText } from "../money/span.tsx";
import { linkTo } from "../route.ts";
import { say } from "../say.ts";
import { Empty, Loading, Table } from "../ui/parts.tsx";
import { useData } from "../ui/use-data.ts";

/** Money that came in from customers and that is owed to them since midnight, by the ledger: the rows of the report. */
export function MoneyToday() {
  const today = dayText(Date.now());
  const loaded = useData(`money ${today}`, () =>
    call<DaysReport>("/reports/days", { query: { from: today, to: today } }),
  );
  return (
    <section>
      <h2>{say("home.money_today")}</h2>
      <Loading loaded={loaded}>
        {({ totals }) => {
          const moved = totals.filter((row) => row.volume !== "0" || row.delivered !== "0");
          return moved.length === 0 ? (
            <Empty text={say("home.no_money")}>
              <a class="button" href={linkTo("reports")}>
                {say("nav.reports")}
              </a>
            </Empty>
          ) : (
            <Moved totals={moved} />
          );
        }}
      </Loading>
    </section>
  );
}

const Moved = ({ totals }: Pick<DaysReport, "totals">) => (
  <Table
    caption={say("home.money_today")}
    columns={[say("money.currency"), say("home.money_in"), say("home.money_out")]}
    rows={[...new Set(totals.map(({ currency }) => currency))].map((currency) => {
      const own = totals.filter((row) => row.currency === currency);
      return {
        key: currency,
        cells: [
          currency.toUpperCase(),
          sumOf(own.map(({ volume }) => volume)),
          sumOf(own.map(({ delivered }) => delivered)),
        ],
      };
    })}
  />
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
