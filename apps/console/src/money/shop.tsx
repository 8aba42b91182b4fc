import type { Shop } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayNumber, sayPercent, sayTime } from "../say.ts";
import { Empty, Loading, Screen, Status } from "../ui/parts.tsx";
import { useData } from "../ui/use-data.ts";
import { currenciesOf, DaysPlot, DaysTable, TotalsTable } from "./days.tsx";

/** A merchant's first screen: the last seven days. It reads a report, so it is read again only when somebody asks. */
export function ShopHome({ may }: ScreenProps) {
  const loaded = useData("shop", () => call<Shop>("/shop"));
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
        {(shop) => (
          <>
            <Endpoints endpoints={shop.endpoints} />
            <Conversion shop={shop} />
            <Volume shop={shop} />
          </>
        )}
      </Loading>
    </Screen>
  );
}

function Conversion({ shop: { sessions, placed, fulfilled } }: { readonly shop: Shop }) {
  const figures = [
    [say("shop.sessions"), sayNumber(sessions)],
    [say("home.placed"), sayNumber(placed)],
    [say("home.completed"), sayNumber(fulfilled)],
    [say("shop.conversion"), sessions === 0 ? "–" : sayPercent((fulfilled / sessions) * 10_000)],
  ] as const;
  return (
    <section>
      <h2>{say("shop.last_days")}</h2>
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

function Volume({ shop: { report } }: { readonly shop: Shop }) {
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

function Endpoints({ endpoints }: Pick<Shop, "endpoints">) {
  return (
    <section>
      <h2>{say("shop.webhooks")}</h2>
      {endpoints.length === 0 ? (
        <p class="muted">{say("shop.webhooks_sound")}</p>
      ) : (
        endpoints.map(({ endpointId, origin, state, failingSince }) => (
          <div key={endpointId} class="notice danger">
            <p>
              <strong>{origin}</strong> {state === "disabled" && <Status word="disabled" />}
            </p>
            {failingSince !== null && (
              <p class="small">{say("shop.failing_since", { time: sayTime(failingSince) })}</p>
            )}
          </div>
        ))
      )}
    </section>
  );
}
