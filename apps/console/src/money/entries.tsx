import type { LedgerEntry } from "@exchange/contract/admin";
import { callWhole, type Listed } from "../api.ts";
import { linkTo } from "../route.ts";
import { say, sayTime, sayWord } from "../say.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";
import { Postings } from "./postings.tsx";

/** A page of entries of the ledger, by the filters of the address. */
export function Entries(props: {
  readonly place: string;
  readonly query: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, string>>;
}) {
  const { place, query, filters } = props;
  const search = { ...filters, cursor: query["cursor"] };
  const loaded = useData(JSON.stringify(search), () =>
    callWhole<Listed<LedgerEntry>>("/ledger/entries", { query: search }),
  );
  return (
    <ListOf
      loaded={loaded}
      place={place}
      filters={query}
      empty={<Empty text={say("ledger.empty")} />}
    >
      {(data) => <EntryTable entries={data} />}
    </ListOf>
  );
}

function EntryTable({ entries }: { readonly entries: readonly LedgerEntry[] }) {
  return (
    <Table
      caption={say("ledger.entries")}
      columns={[
        say("order.at"),
        say("orders.order"),
        say("order.entry"),
        say("ledger.key"),
        say("order.postings"),
      ]}
      rows={entries.map((entry) => ({
        key: String(entry.entryId),
        cells: [
          sayTime(entry.at),
          entry.orderId === null ? (
            say("money.no_order")
          ) : (
            <a key="order" href={linkTo(`orders/${entry.orderId}`)}>
              {entry.orderId}
            </a>
          ),
          sayWord("entry", entry.kind),
          <code key="key">{entry.key}</code>,
          <Postings key="postings" postings={entry.postings} />,
        ],
      }))}
    />
  );
}
