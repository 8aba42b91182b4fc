import type { AdminStop, Treasury, TreasuryAsset } from "@exchange/contract/admin";
import { call, callWhole, type Listed } from "../api.ts";
import { Stops } from "../payouts/stops.tsx";
import { linkTo, type ScreenProps } from "../route.ts";
import { say, sayCoins, sayTime, sayWord } from "../say.ts";
import { Coins, Terms } from "../ui/figures.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { Moves } from "./moves.tsx";

/** The money that there is by asset, low float, sweeps, and breaks of the audit with the stops that they set. */
export function TreasuryBalances({ route, may, me }: ScreenProps) {
  const loaded = useData("treasury", () => call<Treasury>("/treasury"), [
    "payouts",
    "stops",
    "breaks",
  ]);
  const stops = useData("stops", () => callWhole<Listed<AdminStop>>("/stops"), ["stops"]);
  return (
    <Screen title={say("nav.treasury")} isLive>
      <Loading loaded={loaded}>
        {({ assets, breaks }) => (
          <>
            <section>
              <h2>{say("treasury.breaks")}</h2>
              {breaks.length === 0 ? (
                <Empty text={say("treasury.no_breaks")} />
              ) : (
                <>
                  <p class="muted">{say("treasury.breaks_text")}</p>
                  <Breaks breaks={breaks} />
                </>
              )}
            </section>
            <Loading loaded={stops} title={say("payouts.stops")}>
              {({ data }) => (
                <Stops
                  me={me}
                  stops={data}
                  mayResume={may("payouts.approve")}
                  onChange={stops.show}
                />
              )}
            </Loading>
            <section>
              <h2>{say("treasury.balances")}</h2>
              {assets.length === 0 ? (
                <Empty text={say("treasury.empty")}>
                  <a class="button" href={linkTo("orders")}>
                    {say("home.see_orders")}
                  </a>
                </Empty>
              ) : (
                <>
                  <Terms
                    terms={STOCK.map((name) => [
                      say(`treasury.${name}`),
                      say(`treasury.${name}_text`),
                    ])}
                  />
                  <Assets assets={assets} />
                </>
              )}
            </section>
          </>
        )}
      </Loading>
      <Moves filters={route.query} />
    </Screen>
  );
}

/** The figures of a bounded stock, in the words of `docs/operating/treasury.md`. */
const STOCK = ["hot", "promised", "free"] as const;
const FIGURES = ["wallets", "node", "banks", "processors", ...STOCK] as const;

function Breaks({ breaks }: Pick<Treasury, "breaks">) {
  return (
    <Table
      caption={say("treasury.breaks")}
      columns={[
        say("treasury.found"),
        say("audit.subject"),
        say("treasury.check"),
        say("treasury.problem"),
      ]}
      rows={breaks.map(({ subject, check, problem, foundAt }) => ({
        key: `${subject} ${check} ${problem}`,
        cells: [
          sayTime(foundAt),
          subject.startsWith("order:") ? (
            <a key="order" href={linkTo(`orders/${subject.slice(6)}`)}>
              {subject.slice(6)}
            </a>
          ) : (
            subject
          ),
          sayWord("check", check),
          <span key="problem" class="written" lang="en">
            {problem}
          </span>,
        ],
      }))}
    />
  );
}

function Assets({ assets }: Pick<Treasury, "assets">) {
  return (
    <Table
      caption={say("treasury.balances")}
      figures={FIGURES.map((name) => say(`treasury.${name}`))}
      columns={[
        say("money.currency"),
        ...FIGURES.map((name) => say(`treasury.${name}`)),
        say("treasury.float"),
      ]}
      rows={assets.map((asset) => ({
        key: asset.currency,
        cells: [
          asset.currency.toUpperCase(),
          ...FIGURES.map((name) => (
            <Coins key={name} amount={asset[name]} currency={asset.currency} />
          )),
          <FloatOf key="float" asset={asset} />,
        ],
      }))}
    />
  );
}

const TONES = {
  below_floor: "danger",
  low: "warn",
  enough: "good",
  above_ceiling: "warn",
} as const;

/** Where the free coins are between the limits, with the advice, or that the issuer froze them. The colour repeats the word. */
function FloatOf({
  asset: { currency, frozen, float, advice, adviceAmount },
}: {
  readonly asset: TreasuryAsset;
}) {
  if (frozen !== null) {
    return (
      <div>
        <span class="tag danger">{say("treasury.frozen")}</span>{" "}
        {say("treasury.frozen_text", { amount: sayCoins(frozen, currency) })}
      </div>
    );
  }
  if (float === null) return <>{say("treasury.unbounded")}</>;
  return (
    <div>
      <span class={`tag ${TONES[float]}`}>{say(`treasury.${float}`)}</span>
      {advice !== null && (
        <> {say(`treasury.${advice}`, { amount: sayCoins(adviceAmount ?? "0", currency) })}</>
      )}
    </div>
  );
}
