import type { LoggedChange } from "@exchange/contract/admin";
import { callWhole, type Listed } from "../api.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say, sayMember, sayReason, sayTime, sayWord } from "../say.ts";
import { Field } from "../ui/fields.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { readForm } from "../ui/form.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";

/** The log of changes, by filters that live in the address. */
export function Audit({ route }: ScreenProps) {
  const filters = route.query;
  const loaded = useData(
    JSON.stringify(filters),
    () => callWhole<Listed<LoggedChange>>("/audit", { query: filters }),
    ["audit"],
  );
  const search = (event: SubmitEvent) => {
    const text = readForm(event);
    goTo("audit", { person: text("person"), subject: text("subject") });
  };
  return (
    <Screen title={say("nav.audit")} isLive>
      <form role="search" class="filters" onSubmit={search}>
        <Field label={say("audit.person")} name="person" initial={filters["person"] ?? ""} />
        <Field label={say("audit.subject")} name="subject" initial={filters["subject"] ?? ""} />
        <button type="submit" class="button">
          {say("audit.search")}
        </button>
        <FileButton
          label={say("file.csv")}
          path="/audit/export"
          query={{ ...filters, cursor: "" }}
        />
      </form>
      <ListOf
        loaded={loaded}
        place="audit"
        filters={filters}
        empty={
          <Empty text={say("audit.empty")}>
            <a class="button" href={linkTo("audit")}>
              {say("audit.show_all")}
            </a>
          </Empty>
        }
      >
        {(data) => <Changes changes={data} />}
      </ListOf>
    </Screen>
  );
}

function Changes({ changes }: { readonly changes: readonly LoggedChange[] }) {
  return (
    <Table
      caption={say("nav.audit")}
      columns={[
        say("order.at"),
        say("audit.person"),
        say("audit.did"),
        say("audit.subject"),
        say("audit.changes"),
        say("audit.reason"),
        say("audit.from"),
      ]}
      rows={changes.map((change) => ({
        key: String(change.changeId),
        cells: [
          sayTime(change.at),
          <Long key="person" text={change.person} />,
          sayWord("did", change.action),
          <Long key="subject" text={change.subject} />,
          <Long key="changes" text={membersOf(change).map(wordsOf).join("; ")} />,
          sayReason(change.reason),
          change.address ?? sayWord("via", change.via),
        ],
      }))}
    />
  );
}

/** The changed members that the other columns do not have: a stop repeats its person and its reason. */
const membersOf = ({ changes, person, reason }: LoggedChange) =>
  changes.filter(
    ({ name, after }) =>
      !(name === "reason" && after === reason) && !(name === "setBy" && after === person),
  );

const wordsOf = ({ name, before, after }: LoggedChange["changes"][number]): string => {
  const member = sayMember(name);
  return before === null ? `${member}: ${after}` : `${member}: ${before} → ${after ?? "–"}`;
};

/** Ids and values without spaces break where the column ends. */
const Long = ({ text }: { readonly text: string }) => <span class="long">{text}</span>;
