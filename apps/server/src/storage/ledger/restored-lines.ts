import type { Entry } from "../../domain/ledger/entry.ts";
import type { StatementLine } from "../../domain/ports/rail-statement.ts";
import { statement, type Tx } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { ENTRY_LISTS, entryParts } from "./entries.ts";

// The line's key is the entry's natural key too, so a line is booked once.
const BOOK = statement(
  "restored_lines_book",
  `with ${entryParts(...ENTRY_LISTS).join(", ")},
   noted as (
     insert into restored_lines
       (kind, source, reference, rail_reference, merchant_id, asset_id, units, booked_by)
     select kind, source, reference, rail_reference, merchant_id, asset_id, units, booked_by
     from (${jsonRows(
       "noted",
       `kind text, source text, reference text, rail_reference text, merchant_id text, asset_id int,
        units numeric, booked_by text`,
     )}) noted)
   select`,
);

export interface BookedLine {
  readonly line: Pick<StatementLine, "kind" | "source" | "reference" | "railReference">;
  readonly entry: Entry;
  readonly units: bigint;
  readonly merchantId: string;
  readonly person: string;
}

/** Books a rail's movement for an order that a restore lost, with the line that it stands for. */
export async function bookRestoredLine(tx: Tx, booked: BookedLine): Promise<void> {
  const { line, entry, units, merchantId, person } = booked;
  const { key, kind, asset, link } = entry;
  const owner = { merchant_id: merchantId, asset_id: asset.id };
  await tx.query(BOOK, [
    JSON.stringify({
      entries: [{ is_a: "entries", ...owner, key, kind, link }],
      lines: entry.postings.map((posting, at) => ({
        is_a: "lines",
        ...owner,
        key,
        line: at + 1,
        purpose: posting.purpose,
        units: String(posting.units),
      })),
      noted: [
        {
          is_a: "noted",
          ...owner,
          kind: line.kind,
          source: line.source,
          reference: line.reference,
          rail_reference: line.railReference,
          units: String(units),
          booked_by: person,
        },
      ],
    }),
  ]);
}
