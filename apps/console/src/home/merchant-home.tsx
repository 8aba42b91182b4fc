import type { MerchantOverview } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { currenciesOf, DaysPlot, DaysTable, TotalsTable } from "../money/days.tsx";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayNumber, sayPercent, sayTime } from "../say.ts";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { useData } from "../ui/use-data.ts";

/** A merchant's first screen: the last seven days. It reads a report, so it is read again only when somebody asks. */
export function MerchantHome({ may }: ScreenProps) {
  const loaded = useData("merchant_overview", () => call<MerchantOverview>("/merchant_overview"));
  return (
    <Screen
      title={say("nav.home")}
      actions={
        <>
          <button type="button" class="button quiet" onClick={loaded.reload}>
            {say("common.refresh")}
          </button>
          {may("ledger.read") && (
            <a class="button" href={linkTo("statements")}>
              {say("nav.statements")}
            </a>
          )}
        </>
      }
    >
      <Loading loaded={loaded}>
        {(overview) => (
          <>
            <Endpoints endpoints={overview.endpoints} />
            <Conversion overview={overview} />
            <Volume overview={overview} />
          </>
        )}
      </Loading>
    </Screen>
  );
}

function Conversion({
  overview: { sessions, placed, fulfilled },
}: {
  readonly overview: MerchantOverview;
}) {
  const figures = [
    [say("merchant_home.sessions"), sayNumber(sessions)],
    [say("home.placed"), sayNumber(placed)],
    [say("home.completed"), sayNumber(fulfilled)],
    [
      say("merchant_home.conversion"),
      sessions === 0 ? "–" : sayPercent((fulfilled / sessions) * 10_000),
    ],
  ] as const;
  return (
    <section>
      <h2>{say("merchant_home.last_days")}</h2>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Volume({ overview: { report } }: { readonly overview: MerchantOverview }) {
  const [currency] = currenciesOf(report, "volume");
  if (currency === undefined) {
    return (
      <Empty text={say("money.no_exchange")}>
        <a class="button" href={linkTo("orders")}>
          {say("home.see_orders")}
        </a>
      </Empty>
    );
  }
  return (
    <>
      <DaysPlot report={report} currency={currency} measure="volume" />
      <TotalsTable totals={report.totals} />
      <DaysTable days={report.days} />
    </>
  );
}

function Endpoints({ endpoints }: Pick<MerchantOverview, "endpoints">) {
  return (
    <section>
      <h2>{say("merchant_home.webhooks")}</h2>
      {endpoints.length === 0 ? (
        <p class="muted">{say("merchant_home.webhooks_sound")}</p>
      ) : (
        endpoints.map(({ endpointId, origin, state, failingSince }) => (
          <div key={endpointId} class="notice danger">
            <p>
              <strong>{origin}</strong> {state === "disabled" && <Status word="disabled" />}
            </p>
            {failingSince !== null && (
              <p class="small">
                {say("merchant_home.failing_since", { time: sayTime(failingSince) })}
              </p>
            )}
          </div>
        ))
      )}
    </section>
  );
}
