import type { Overview, Treasury } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayAge, sayEuro, sayNumber, sayTime, sayWord } from "../say.ts";
import { Empty, Facts, Loading, Screen } from "../ui/parts.tsx";
import { useData } from "../ui/use-data.ts";
import { MoneyToday } from "./home-money.tsx";

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
  return (
    <Screen
      title={say("nav.home")}
      isLive
      actions={
        <button type="button" class="button quiet" onClick={loaded.reload}>
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
            {may("reports.read") && <MoneyToday />}
            <ByItself overview={overview} treasury={treasury.data} />
          </>
        )}
      </Loading>
    </Screen>
  );
}

/** One thing that waits for a person, with the place where it is decided. */
interface Waiting {
  readonly key: string;
  readonly text: string;
  readonly detail: string;
  readonly link: string;
}

interface Seen {
  readonly overview: Overview;
  readonly seesPrices: boolean;
  /** Undefined until it was read, and for a person without the right. */
  readonly treasury: Treasury | undefined;
}

/** The kinds of alerts that the rest of the overview does not have. */
const OTHER_ALERTS = /^(rail_down|workers_late|webhooks_late|excess_held)\b/;
const isRailDown = ({ cause }: Overview["alerts"][number]): boolean =>
  cause.startsWith("rail_down");

/** The assets of which there is too little to pay with. */
const lowAssets = (treasury: Treasury | undefined) =>
  (treasury?.assets ?? []).filter(
    ({ float, frozen }) => frozen !== null || float === "low" || float === "below_floor",
  );

function waitingIn({ overview, seesPrices, treasury }: Seen): readonly Waiting[] {
  const age = (seconds: number): string => say("home.oldest", { age: sayAge(seconds) });
  return [
    ...overview.orders
      .filter(({ status }) => status === "in_review")
      .map(({ reason, count, oldestSeconds }) => ({
        key: `order ${reason}`,
        text: say("home.in_review", { count, reason: sayWord("reason", reason ?? "unknown") }),
        detail: age(oldestSeconds),
        link: linkTo("reviews", { reason: reason ?? undefined }),
      })),
    ...overview.payouts
      .filter(({ state, waitsFor }) => state === "created" && waitsFor !== null)
      .map(({ waitsFor, count, oldestSeconds }) => ({
        key: `payout ${waitsFor}`,
        text: say("home.payouts", { count }),
        detail: `${waitsFor}. ${age(oldestSeconds)}`,
        link: linkTo("payouts"),
      })),
    ...(overview.proposals.count === 0 || !seesPrices
      ? []
      : [
          {
            key: "proposals",
            text: say("home.proposals", { count: overview.proposals.count }),
            detail: age(overview.proposals.oldestSeconds),
            link: linkTo("prices", { which: "proposed" }),
          },
        ]),
    ...overview.stops.map(({ kind, subject, reason, setBy }) => ({
      key: `stop ${kind} ${subject}`,
      text: say("home.stopped", { what: subject || say("payouts.everything") }),
      detail: `${reason} (${setBy})`,
      link: linkTo("payouts"),
    })),
    ...overview.breaks.map(({ subject, check, problem }) => ({
      key: `break ${subject} ${check} ${problem}`,
      text: say("home.break", { subject }),
      detail: `${check}: ${problem}`,
      link: subject.startsWith("order:")
        ? linkTo(`orders/${subject.slice(6)}`)
        : linkTo(treasury ? "treasury" : "home"),
    })),
    ...troublesIn(overview),
    ...lowFloats(treasury),
  ];
}

/** Rails, networks, workers and webhooks that do not work. */
const troublesIn = (overview: Overview): readonly Waiting[] => [
  ...overview.alerts
    .filter(({ cause }) => OTHER_ALERTS.test(cause))
    .map(({ cause, summary, beganAt }) => ({
      key: cause,
      text: summary,
      detail: say("home.since", { time: sayTime(beganAt) }),
      link: linkTo(cause.startsWith("excess_held:") ? `orders/${cause.split(":")[1]}` : "home"),
    })),
  ...overview.networks
    .filter(({ problem }) => problem !== null)
    .map(({ networkCode, problem, movedAt }) => ({
      key: `network ${networkCode}`,
      text: say("home.network", { network: networkCode }),
      detail: `${problem} (${sayTime(movedAt)})`,
      link: linkTo("home"),
    })),
];

const lowFloats = (treasury: Treasury | undefined): readonly Waiting[] =>
  lowAssets(treasury).map(({ currency, float, free, frozen }) => ({
    key: `float ${currency}`,
    ...(frozen === null
      ? {
          text: say("home.float_low", { currency: currency.toUpperCase() }),
          detail: `${say(`treasury.${float ?? "low"}`)}. ${say("treasury.free")}: ${free ?? "0"}`,
        }
      : {
          text: say("home.float_frozen", { currency: currency.toUpperCase() }),
          detail: say("treasury.frozen_text", { amount: frozen }),
        }),
    link: linkTo("treasury"),
  }));

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
            <li key={key}>
              <a href={link}>
                <strong>{text}</strong>
                <span class="muted">{detail}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function LastDay({ overview: { lastDay } }: { readonly overview: Overview }) {
  return (
    <section>
      <h2>{say("home.last_day")}</h2>
      <dl class="figures">
        {(
          [
            [say("home.placed"), sayNumber(lastDay.placed)],
            [say("home.completed"), sayNumber(lastDay.completed)],
            [say("home.refunded"), sayNumber(lastDay.refunded)],
            [say("home.paid_out"), sayEuro(lastDay.paidOutEuroCents)],
          ] as const
        ).map(([name, value]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
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
  const onTheWay = overview.orders.filter(({ status }) => status !== "in_review");
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
          ...onTheWay.map(
            ({ status, reason, count }) =>
              [
                sayWord("status", status) + (reason ? `: ${sayWord("reason", reason)}` : ""),
                sayNumber(count),
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
