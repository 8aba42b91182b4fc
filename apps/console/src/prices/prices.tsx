import type { PriceBook, PriceChangeData, PriceRule } from "@exchange/contract/admin";
import { call, callWhole, type Listed } from "../api.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say } from "../say.ts";
import { Select } from "../ui/fields.tsx";
import { Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { Changes } from "./changes.tsx";
import { PriceForm } from "./price-form.tsx";
import { FIGURES, matchesOf } from "./words.ts";

const LISTS = ["in_force", "proposed", "scheduled", "past"] as const;

/** Price rules in force, changes of them, and the form that proposes one. */
export function Prices({ route, may }: ScreenProps) {
  const [, place, reference = ""] = route.path;
  const { cursor } = route.query;
  const which = LISTS.find((name) => name === route.query["which"]) ?? "in_force";
  const isForm = place === "change" && may("prices.change");
  // Read again with each list and each decision, which may have changed the rules. A form keeps those that it began with.
  const book = useData(
    `book ${isForm ? "form" : which}`,
    () => call<PriceBook>("/prices"),
    isForm ? undefined : ["prices"],
  );
  if (isForm) {
    const title =
      reference === "" ? say("prices.new_title") : say("prices.change_title", { rule: reference });
    return (
      <Screen title={title}>
        <Loading loaded={book}>
          {(data) => (
            <PriceForm book={data} rule={data.rules.find((rule) => rule.reference === reference)} />
          )}
        </Loading>
      </Screen>
    );
  }
  return (
    <Screen
      title={say("nav.prices")}
      actions={
        may("prices.change") && (
          <a class="button" href={linkTo("prices/change")}>
            {say("prices.new")}
          </a>
        )
      }
    >
      <div class="filters">
        <Select
          label={say("prices.which")}
          name="which"
          value={which}
          options={LISTS.map((name) => [name, say(`prices.${name}`)] as const)}
          onChoose={(value) => goTo("prices", { which: value === "in_force" ? undefined : value })}
        />
      </div>
      {which === "in_force" && <Waiting />}
      <Loading loaded={book}>
        {(data) =>
          which === "in_force" ? (
            <Rules rules={data.rules} mayChange={may("prices.change")} />
          ) : (
            <Changes which={which} cursor={cursor} book={data} />
          )
        }
      </Loading>
    </Screen>
  );
}

/** Leads to the changes that wait for a second person. */
function Waiting() {
  // A rule has one proposal at most, so a page of this size has them all.
  const query = { limit: "100" };
  const { data } = useData(
    "waiting",
    () => callWhole<Listed<PriceChangeData>>("/prices/changes", { query }),
    ["prices"],
  );
  if (!data || data.data.length === 0) return null;
  return (
    <p class="notice">
      <a href={linkTo("prices", { which: "proposed" })}>
        {say("prices.waiting", { count: data.data.length })}
      </a>
    </p>
  );
}

function Rules(props: { readonly rules: readonly PriceRule[]; readonly mayChange: boolean }) {
  const columns = [
    say("prices.rule"),
    say("prices.matches"),
    ...FIGURES.map(([name]) => say(name)),
    say("prices.from"),
  ];
  return (
    <Table
      caption={say("prices.in_force")}
      figures={FIGURES.map(([name]) => say(name))}
      columns={columns}
      rows={props.rules.map((rule) => ({
        key: rule.reference,
        cells: [
          props.mayChange ? (
            <a href={linkTo(`prices/change/${rule.reference}`)}>{rule.reference}</a>
          ) : (
            rule.reference
          ),
          rule.enabled ? matchesOf(rule) : say("prices.disabled"),
          ...FIGURES.map(([, figureOf]) => figureOf(rule)),
          rule.changeId === null
            ? say("prices.files")
            : say("prices.by_change", { id: String(rule.changeId) }),
        ],
      }))}
    />
  );
}
