import { type Entry, HOUSE } from "../../domain/ledger/entry.ts";
import { statement, type Tx } from "../postgres/database.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { entryParts } from "./entries.ts";

const BOOK = statement(
  "house_entries_book",
  `with ${entryParts(
    jsonRows(
      "entries",
      "merchant_id text, key text, kind text, asset_id int, order_id bigint, link text",
    ),
    jsonRows(
      "lines",
      "merchant_id text, key text, line int, purpose text, asset_id int, units numeric",
    ),
  ).join(", ")} select`,
);

/** Books an entry of the house. Throws a unique violation when its fact was booked before. */
export async function bookHouseEntry(tx: Tx, entry: Entry): Promise<void> {
  const { key, kind, asset, link, postings } = entry;
  const owner = { merchant_id: HOUSE, asset_id: asset.id, key };
  const lines = postings.map(({ purpose, units }, at) => ({
    is_a: "lines",
    ...owner,
    line: at + 1,
    purpose,
    units: String(units),
  }));
  const entries = [{ is_a: "entries", ...owner, kind, link }];
  await tx.query(BOOK, [JSON.stringify({ entries, lines })]);
}

/** Whether the database refused an entry because its fact was booked before. */
export const isBooked = (error: unknown): boolean =>
  (error as { constraint?: string } | null)?.constraint === "ledger_entries_key_key";
