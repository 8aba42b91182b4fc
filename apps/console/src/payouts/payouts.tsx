import type { AdminPayout, AdminStop, PayoutTotal } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { callWhole, type Listed } from "../api.ts";
import { linkTo, type ScreenProps } from "../route.ts";
import { say } from "../say.ts";
import { Select } from "../ui/fields.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { filterOf } from "../ui/filter.tsx";
import { Empty, Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { useData } from "../ui/use-data.ts";
import { PayoutLimits } from "./payout-limits.tsx";
import { PayoutList } from "./payout-list.tsx";
import { PayoutTotals } from "./payout-totals.tsx";
import { StopForm } from "./stop-form.tsx";
import { Stops } from "./stops.tsx";

/** The data of the list: the payouts, and the sums of all of them by currency. */
interface Shown {
  readonly payouts: readonly AdminPayout[];
  readonly totals: readonly PayoutTotal[];
}

/** The filters of the address that the service accepts. Without one, payouts that wait for a person are listed. */
function filtersOf({ which, orderId, currency }: ScreenProps["route"]["query"]) {
  return { which: which === "under_way" ? which : "waiting", orderId, currency } as const;
}

async function readShown({ currency, ...query }: ReturnType<typeof filtersOf>): Promise<Shown> {
  const [payouts, totals] = await Promise.all([
    callWhole<Listed<AdminPayout>>("/payouts", { query: { ...query, currency } }),
    callWhole<Listed<PayoutTotal>>("/payouts/totals", { query }),
  ]);
  return { payouts: payouts.data, totals: totals.data };
}

/** Payouts that wait, their approvals, limits and stops. */
export function Payouts({ route, may, me }: ScreenProps) {
  const filters = filtersOf(route.query);
  const shown = useData(JSON.stringify(filters), () => readShown(filters), ["payouts", "stops"]);
  const stops = useData("stops", () => callWhole<Listed<AdminStop>>("/stops"), ["stops"]);
  const [isStopping, setStopping] = useState(false);
  return (
    <Screen
      title={say("nav.payouts")}
      isLive
      actions={
        may("payouts.stop") && (
          <button type="button" class="button danger" onClick={() => setStopping(true)}>
            {say("payouts.stop")}
          </button>
        )
      }
    >
      {/* There is rarely a stop, and a placeholder would move the filters when it goes. */}
      {(stops.data || stops.error) && (
        <Loading loaded={stops} title={say("payouts.stops")}>
          {({ data }) => (
            <Stops me={me} stops={data} mayResume={may("payouts.approve")} onChange={stops.show} />
          )}
        </Loading>
      )}
      <Filters filters={route.query} />
      <Loading loaded={shown} title={say("nav.payouts")}>
        {(data) => <Found {...data} filters={route.query} onChange={shown.reload} />}
      </Loading>
      <PayoutLimits mayLower={may("payouts.stop")} />
      {isStopping && (
        <StopForm
          onEnd={(answer) => {
            setStopping(false);
            if (answer) stops.show(answer);
          }}
        />
      )}
    </Screen>
  );
}

interface FilterProps {
  readonly filters: ScreenProps["route"]["query"];
}

/** The filters of the list. Each choice leaves the others as they are. */
function Filters({ filters }: FilterProps) {
  const { which, orderId, currency } = filtersOf(filters);
  const sentences = [
    orderId !== undefined && say("payouts.of_order", { id: orderId }),
    currency !== undefined && say("payouts.of_currency", { currency: currency.toUpperCase() }),
  ].filter(Boolean);
  return (
    <>
      <div class="filters">
        <Select
          label={say("payouts.which")}
          name="which"
          value={which}
          options={[
            ["waiting", say("payouts.waiting")],
            ["under_way", say("payouts.under_way")],
          ]}
          onChoose={(value) =>
            filterOf("payouts", filters)("which", value === "waiting" ? "" : value)
          }
        />
        <FileButton
          label={say("file.csv")}
          path="/payouts/export"
          query={{ which, orderId, currency }}
        />
      </div>
      {sentences.length > 0 && (
        <p class="notice">
          {sentences.join(" ")}{" "}
          <a
            class="button"
            href={linkTo("payouts", { ...filters, orderId: undefined, currency: undefined })}
          >
            {say("payouts.show_all")}
          </a>
        </p>
      )}
    </>
  );
}

/** The sums and the payouts. A list that is cut says so, because its sums have every payout. */
function Found(props: Shown & FilterProps & { readonly onChange: () => void }) {
  const { payouts, totals, filters, onChange } = props;
  const { currency } = filtersOf(filters);
  const count = totals
    .filter(({ amount }) => currency === undefined || amount.currency === currency)
    .reduce((sum, total) => sum + total.count, 0);
  return (
    <>
      {totals.length > 0 && <PayoutTotals totals={totals} filters={filters} />}
      {payouts.length < count && (
        <p class="notice">{say("payouts.cut", { shown: payouts.length, count })}</p>
      )}
      {payouts.length === 0 ? (
        <Empty text={say("payouts.empty")}>
          <a class="button" href={linkTo("orders", { status: "sending" })}>
            {say("payouts.see_sending")}
          </a>
        </Empty>
      ) : (
        <PayoutList payouts={payouts} onChange={onChange} />
      )}
    </>
  );
}
