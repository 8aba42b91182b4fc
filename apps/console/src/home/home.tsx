import type { Overview, Treasury } from "@exchange/contract/admin";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayAge, sayNumber, sayWord } from "../say.ts";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Facts } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { MoneyToday } from "./home-money.tsx";
import { Count, LastDay } from "./last-day.tsx";
import { isRailDown, lowAssets, type Seen, waitingIn } from "./waiting.ts";

/** The first screen: what needs a person now, then what the service does by itself. */
export function Home({ may }: ScreenProps) {
  const loaded = useData("overview", () => call<Overview>("/overview"), [
    "reviews",
    "payouts",
    "stops",
    "breaks",
    "prices",
  ]);
  const treasury = useData(
    "treasury",
    async () => (may("treasury.read") ? await call<Treasury>("/treasury") : undefined),
    ["payouts"],
  );
  const [refreshes, setRefreshes] = useState(0);
  const refresh = (): void => {
    loaded.reload();
    treasury.reload();
    setRefreshes(refreshes + 1);
  };
  return (
    <Screen
      title={say("nav.home")}
      isLive
      actions={
        <button type="button" class="button quiet" onClick={refresh}>
          {say("common.refresh")}
        </button>
      }
    >
      <Loading loaded={loaded}>
        {(overview) => (
          <>
            <NeedsPerson
              overview={overview}
              seesPrices={may("prices.read")}
              treasury={treasury.data}
            />
            <LastDay overview={overview} />
            {may("reports.read") && (
              <MoneyToday now={overview.lastDay.before - 1} refreshes={refreshes} />
            )}
            <ByItself overview={overview} treasury={treasury.data} />
          </>
        )}
      </Loading>
    </Screen>
  );
}

const MaybeLink = (props: {
  readonly link: string | undefined;
  readonly children: ComponentChildren;
}) =>
  props.link === undefined ? (
    <span>{props.children}</span>
  ) : (
    <a href={props.link}>{props.children}</a>
  );

function NeedsPerson(seen: Seen) {
  const waiting = waitingIn(seen);
  return (
    <section>
      <h2>{say("home.needs_person")}</h2>
      {waiting.length === 0 ? (
        <Empty text={say("home.nothing")}>
          <a class="button" href={linkTo("orders")}>
            {say("home.see_orders")}
          </a>
        </Empty>
      ) : (
        <ul class="list">
          {waiting.map(({ key, text, detail, link }) => (
            <li key={key} class={link === undefined ? "row" : ""}>
              <MaybeLink link={link}>
                <strong>{text}</strong>
                <span class="muted">{detail}</span>
              </MaybeLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Status = Overview["orders"][number]["status"];

/** Returns the number of orders by status, since the list that it opens has no filter for orders without a reason. */
function onTheWay({ orders }: Overview): readonly (readonly [Status, number])[] {
  const counts = new Map<Status, number>();
  for (const { status, count } of orders) {
    if (status !== "in_review") counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return [...counts];
}

function ByItself({ overview, treasury }: Pick<Seen, "overview" | "treasury">) {
  const late = (count: number, seconds: number | null): string =>
    count === 0 || seconds === null
      ? sayNumber(count)
      : say("home.late", { count, age: sayAge(seconds) });
  const down = overview.alerts.filter(isRailDown).length;
  const low = lowAssets(treasury)
    .map(({ currency }) => currency.toUpperCase())
    .join(", ");
  return (
    <section class="card">
      <h2>{say("home.by_itself")}</h2>
      <Facts
        facts={[
          [
            say("home.rails"),
            down === 0 ? say("home.rails_work") : say("home.rails_down", { count: down }),
          ],
          [say("treasury.float"), treasury && (low || say("home.float_none"))],
          ...onTheWay(overview).map(
            ([status, count]) =>
              [
                sayWord("status", status),
                <Count
                  key={status}
                  name={sayWord("status", status)}
                  count={count}
                  link={linkTo("orders", { status })}
                />,
              ] as const,
          ),
          [say("home.jobs"), late(overview.dueJobs, overview.jobsLateSeconds)],
          [say("home.webhooks"), late(overview.pendingDeliveries, overview.deliveriesLateSeconds)],
          [
            say("home.endpoints"),
            sayNumber(overview.failingEndpoints + overview.disabledEndpoints),
          ],
          [
            say("home.newest_quote"),
            overview.newestQuoteSeconds === null
              ? say("common.none")
              : sayAge(overview.newestQuoteSeconds),
          ],
        ]}
      />
    </section>
  );
}
