import { type Entry, HOUSE } from "../../domain/ledger/entry.ts";
import { costEntries, type TransactionCosts } from "../../domain/ledger/house-entries.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { ENTRY_LISTS, entryParts } from "./entries.ts";

const BOOK = statement(
  "house_entries_book",
  `with ${entryParts(...ENTRY_LISTS).join(", ")} select`,
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

/** Books the costs of a transaction of ours. Nothing is booked for one that cost nothing. */
export async function bookCosts(tx: Tx, costs: TransactionCosts): Promise<void> {
  for (const entry of costEntries(costs)) await bookHouseEntry(tx, entry);
}

/** Whether the database refused an entry because its fact was booked before. */
export const isBooked = (error: unknown): boolean =>
  (error as { constraint?: string } | null)?.constraint === "ledger_entries_key_key";

const IS_IN_BOOKS = statement(
  "house_entries_is_in_books",
  "select from ledger_entries where key = $1 and asset_id = $2",
);

/** Whether the books have an entry of this key in its asset. */
export const isInBooks = async (
  queryable: Queryable,
  { key, asset }: Pick<Entry, "key" | "asset">,
): Promise<boolean> => (await queryable.query(IS_IN_BOOKS, [key, asset.id])).length > 0;

const LIST_FLOATS = statement(
  "house_entries_list_floats",
  `select entry.key, c.reference as "assetReference", posting.units::text as units,
     entry.effective_at as "bookedAt"
   from ledger_entries entry
     join ledger_postings posting on posting.entry_id = entry.id
     join ledger_accounts account on account.id = posting.account_id
     join currencies c on c.id = account.asset_id
   where entry.merchant_id = '${HOUSE}' and entry.kind in ('float', 'mismatch')
     and account.purpose = 'chain_wallet'
   order by entry.id desc limit $1`,
);

/** An entry of the house's capital. */
export interface BookedFloat {
  /** `float:<network>:<transaction>`, and more where a transaction moved several things. */
  readonly key: string;
  readonly assetReference: string;
  /** Negative for coins that left our wallets. */
  readonly units: bigint;
  readonly bookedAt: Date;
}

/** Lists what is booked as capital of the house, the newest first. */
export async function listFloats(queryable: Queryable, limit: number): Promise<BookedFloat[]> {
  const rows = await queryable.query<Omit<BookedFloat, "units"> & { units: string }>(LIST_FLOATS, [
    limit,
  ]);
  return rows.map(({ units, ...row }) => ({ ...row, units: BigInt(units) }));
}
