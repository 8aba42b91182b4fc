import type { AdminStop, CatalogueView } from "@exchange/contract/admin";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { countriesByName, say, sayList, sayTime, sayWord } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Table } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { Stop, type Stopping } from "./stop.tsx";

type Key = Pick<AdminStop, "kind" | "subject">;

/** Returns the button that stops an item, or resumes it. Nothing for a person without the right. */
type ButtonOf = (key: Key, stop: AdminStop | null) => ComponentChildren;

/** Currencies, networks and payment methods, with their state and limits. An item is stopped and resumed here. */
export function Catalogue({ may }: ScreenProps) {
  const loaded = useData("catalogue", () => call<CatalogueView>("/catalogue"), ["stops"]);
  const [stopping, setStopping] = useState<Stopping>();
  const { isBusy, error, run } = useAction();
  const resume = ({ kind, subject, reason }: AdminStop) =>
    run(async () => {
      const body = { kind, subject, stopReason: reason };
      loaded.show(await call<CatalogueView>("/catalogue/stops/resume", { method: "POST", body }));
    });
  const buttonOf: ButtonOf = ({ kind, subject }, stop) => {
    const name = say(stop ? "catalogue.resume" : "catalogue.stop");
    const label = `${name}: ${say(`payouts.kind_${kind}`)} ${subject}`;
    const act = () => (stop ? resume(stop) : setStopping({ kind, subject }));
    return (
      <button
        key="stop"
        type="button"
        class={stop ? "button" : "button danger"}
        aria-disabled={isBusy}
        aria-label={label}
        onClick={act}
      >
        {name}
      </button>
    );
  };
  const mayStop = may("catalogue.stop");
  return (
    <Screen
      title={say("nav.catalogue")}
      isLive
      actions={
        mayStop && (
          <button type="button" class="button danger" onClick={() => setStopping({ kind: "pair" })}>
            {say("catalogue.stop_pair")}
          </button>
        )
      }
    >
      <p class="muted">{say("catalogue.text")}</p>
      <ErrorNotice error={error} />
      <Loading loaded={loaded}>
        {(view) => <Items view={view} buttonOf={mayStop ? buttonOf : undefined} />}
      </Loading>
      {stopping && (
        <Stop
          stopping={stopping}
          onEnd={(view) => {
            setStopping(undefined);
            if (view) loaded.show(view);
          }}
        />
      )}
    </Screen>
  );
}

/** The state of an item in words. A stop says who set it, when and why. */
function State({ enabled, stop }: { readonly enabled: boolean; readonly stop: AdminStop | null }) {
  if (stop === null) return <Status word={enabled ? "offered" : "disabled"} />;
  return (
    <div>
      <Status word="stopped" />{" "}
      <span class="small">
        {stop.reason} ({stop.setBy}, {sayTime(stop.since)})
      </span>
    </div>
  );
}

/** The tables of the catalogue. The long list of currencies is the last one. */
function Items(props: { readonly view: CatalogueView; readonly buttonOf: ButtonOf | undefined }) {
  const { buttonOf } = props;
  return (
    <>
      {listsOf(props.view).map(({ title, columns, rows }) => (
        <section key={title}>
          <h2>{title}</h2>
          <Table
            caption={title}
            columns={[...columns, say("order.state"), ...(buttonOf ? [say("reviews.change")] : [])]}
            rows={rows.map(({ key, cells, enabled = true, stop }) => ({
              key: `${key.kind} ${key.subject}`,
              cells: [
                ...cells,
                <State key="state" enabled={enabled} stop={stop} />,
                ...(buttonOf ? [buttonOf(key, stop)] : []),
              ],
            }))}
          />
        </section>
      ))}
      <Countries countries={props.view.countries} />
    </>
  );
}

/** Returns a text without case and accents, by which people search. */
const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const hasText = (text: string, sought: string): boolean =>
  plain(text).includes(plain(sought.trim()));

/**
 * The operations that each country has, with its own limits. The list is long, so it is closed at first, and searched by
 * a part of the name in the person's language or in English, or by the code.
 */
function Countries({ countries }: Pick<CatalogueView, "countries">) {
  const [sought, setSought] = useState("");
  const byCode = new Map(countries.map((country) => [country.code, country]));
  const found = countriesByName([...byCode.keys()]).flatMap(([code, name]) => {
    const country = byCode.get(code);
    const isFound = [code, name, country?.name ?? ""].some((text) => hasText(text, sought));
    return country && isFound ? [{ ...country, name }] : [];
  });
  return (
    <details>
      <summary>
        <h2>{say("catalogue.countries")}</h2>
      </summary>
      <div class="filters">
        <div class="field">
          <label for="find-country">{say("catalogue.find_country")}</label>
          <input
            id="find-country"
            type="search"
            value={sought}
            onInput={({ currentTarget }) => setSought(currentTarget.value)}
          />
        </div>
      </div>
      <p class="muted small" role="status">
        {say("catalogue.countries_found", { count: found.length })}
      </p>
      <Table
        caption={say("catalogue.countries")}
        columns={[
          say("order.country"),
          say("order.name"),
          say("money.currency"),
          say("catalogue.operations"),
          say("catalogue.limits"),
        ]}
        rows={found.map(({ code, name, currencyCode, operations, ...range }) => ({
          key: code,
          cells: [
            asCode(code),
            name,
            currencyCode,
            operations.length === 0
              ? say("catalogue.not_served")
              : sayList(operations.map((word) => sayWord("operation", word))),
            rangeWords(range),
          ],
        }))}
      />
    </details>
  );
}

interface List {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly Item[];
}

const asCode = (text: string) => <code key={text}>{text}</code>;

function listsOf({ currencies, networks, methods, stops }: CatalogueView): readonly List[] {
  const [name, limits] = [say("order.name"), say("catalogue.limits")];
  const stopped = {
    title: say("catalogue.stopped"),
    columns: [say("payouts.kind"), say("payouts.subject")],
    rows: stops.map(itemOfStop),
  };
  return [
    ...(stops.length > 0 ? [stopped] : []),
    {
      title: say("catalogue.methods"),
      columns: [say("order.way"), name, limits],
      rows: methods.map(({ reference, operations, ...one }) => ({
        ...one,
        key: { kind: "method", subject: reference },
        cells: [asCode(reference), one.name, limitsOf(operations)],
      })),
    },
    {
      title: say("catalogue.networks"),
      columns: [say("catalogue.network"), name, say("catalogue.confirmations")],
      rows: networks.map(({ code, ...one }) => ({
        ...one,
        key: { kind: "network", subject: code },
        cells: [asCode(code), one.name, one.confirmations],
      })),
    },
    {
      title: say("catalogue.currencies"),
      columns: [say("money.currency"), name, say("catalogue.network"), limits],
      rows: currencies.map(({ reference, ...one }) => ({
        ...one,
        key: { kind: "currency", subject: reference },
        cells: [asCode(reference), one.name, one.networkCode ?? "", rangeWords(one)],
      })),
    },
  ];
}

const limitsOf = (operations: CatalogueView["methods"][number]["operations"]) => (
  <ul key="limits">
    {operations.map((limit) => (
      <li key={limit.operation}>
        {sayWord("operation", limit.operation)}: {rangeWords(limit)}
      </li>
    ))}
  </ul>
);

interface Item {
  readonly key: Key;
  readonly cells: readonly ComponentChildren[];
  readonly enabled?: boolean;
  readonly stop: AdminStop | null;
}

const itemOfStop = (stop: AdminStop): Item => ({
  key: stop,
  cells: [say(`payouts.kind_${stop.kind}`), <code key="subject">{stop.subject}</code>],
  stop,
});

function rangeWords(range: { readonly minEuro: string | null; readonly maxEuro: string | null }) {
  const { minEuro, maxEuro } = range;
  if (minEuro === null && maxEuro === null) return say("catalogue.unlimited");
  return say("catalogue.range", { min: minEuro ?? "0", max: maxEuro ?? "∞" });
}
