import type { DaysReport } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say } from "../say.ts";
import { Select } from "../ui/fields.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { useData } from "../ui/use-data.ts";
import { currenciesOf, DaysPlot, DaysTable, MEASURES, TotalsTable } from "./days.tsx";
import { type Span, SpanForm, spanOf } from "./span.tsx";

const DAYS = 30;
const FILES = ["days", "fees", "payouts", "balances"] as const;

/** Days, volume and fees: a plot, the same numbers as tables, and the files of finance. */
export function Reports({ route, me, may }: ScreenProps) {
  const { query } = route;
  const span = spanOf(query, DAYS);
  const loaded = useData(JSON.stringify(span), () =>
    call<DaysReport>("/reports/days", { query: { ...span } }),
  );
  return (
    <Screen title={say("nav.reports")}>
      <SpanForm place="reports" query={query} span={span} hasMerchant={me.merchantId === null} />
      <Files span={span} mayLedger={may("ledger.read")} />
      <Loading loaded={loaded}>
        {(report) =>
          report.totals.length === 0 ? (
            <Empty text={say("money.no_exchange")}>
              <a class="button" href={linkTo("orders")}>
                {say("home.see_orders")}
              </a>
            </Empty>
          ) : (
            <>
              <Figures report={report} query={query} />
              <TotalsTable totals={report.totals} />
              <DaysTable days={report.days} />
            </>
          )
        }
      </Loading>
    </Screen>
  );
}

function Figures(props: {
  readonly report: DaysReport;
  readonly query: Readonly<Record<string, string>>;
}) {
  const { report, query } = props;
  const measure = MEASURES.find((one) => one === query["measure"]) ?? "volume";
  const currencies = currenciesOf(report, measure);
  const currency = currencies.find((one) => one === query["currency"]) ?? currencies[0] ?? "";
  const choose = (name: string) => (value: string) => goTo("reports", { ...query, [name]: value });
  return (
    <section>
      <div class="filters">
        <Select
          label={say("money.measure")}
          name="measure"
          value={measure}
          options={MEASURES.map((name) => [name, say(`money.${name}`)] as const)}
          onChoose={choose("measure")}
        />
        <Select
          label={say("money.currency")}
          name="currency"
          value={currency}
          options={currencies.map((name) => [name, name.toUpperCase()] as const)}
          onChoose={choose("currency")}
        />
      </div>
      <DaysPlot report={report} currency={currency} measure={measure} />
    </section>
  );
}

/** The reports as files. Each has the span and the merchant of the address. */
function Files({ span, mayLedger }: { readonly span: Span; readonly mayLedger: boolean }) {
  const files = FILES.filter((name) => mayLedger || name !== "balances");
  return (
    <section class="card">
      <h2>{say("money.files")}</h2>
      <div class="actions">
        {files.flatMap((name) =>
          (["csv", "json"] as const).map((format) => (
            <FileButton
              key={`${name} ${format}`}
              label={`${say(`money.file_${name}`)} (${format.toUpperCase()})`}
              path={`/reports/${name}/download`}
              query={{ ...span, format }}
            />
          )),
        )}
      </div>
    </section>
  );
}
