import type { TreasuryMove } from "@exchange/contract/admin";
import { callWhole, type Listed } from "../api.ts";
import { say, sayAge, sayAmount } from "../say.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Short } from "../ui/short.tsx";
import { Table } from "../ui/table.tsx";
import { useData } from "../ui/use-data.ts";

const TONES: Readonly<Partial<Record<TreasuryMove["state"], string>>> = {
  final: "good",
  failed: "danger",
  dead: "warn",
  vacated: "warn",
};

/** Sweeps and top-ups, under way and ended, by a cursor that lives in the address. */
export function Moves({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const loaded = useData(
    `moves ${filters["cursor"] ?? ""}`,
    () => callWhole<Listed<TreasuryMove>>("/treasury/moves", { query: filters }),
    ["payouts"],
  );
  return (
    <section>
      <h2>{say("moves.title")}</h2>
      <ListOf
        loaded={loaded}
        place="treasury"
        filters={filters}
        empty={<Empty text={say("moves.empty")} />}
      >
        {(data) => <MoveTable moves={data} />}
      </ListOf>
    </section>
  );
}

const MoveTable = ({ moves }: { readonly moves: readonly TreasuryMove[] }) => (
  <Table
    caption={say("moves.title")}
    columns={[
      say("moves.kind"),
      say("moves.network"),
      say("order.amount"),
      say("moves.way"),
      say("orders.status"),
      say("moves.age"),
      say("moves.transaction"),
    ]}
    rows={moves.map((move) => ({
      key: move.moveId,
      cells: [
        say(`moves.${move.kind}`),
        move.network,
        <span key="amount" class="amount">
          {sayAmount(move.amount)}
        </span>,
        <span key="way">
          <Short text={move.from} /> → <Short text={move.to} />
        </span>,
        <span key="state" class={`tag ${TONES[move.state] ?? ""}`}>
          {say(`moves.${move.state}`)}
        </span>,
        sayAge(Math.max(0, Date.now() / 1_000 - move.createdAt)),
        move.transactionHash === null ? "–" : <Short text={move.transactionHash} />,
      ],
    }))}
  />
);
