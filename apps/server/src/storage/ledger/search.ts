import type { AccountPurpose, EntryKind } from "../../domain/ledger/entry.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { readEntryBounds } from "../reports/report-parts.ts";

/** An entry with its postings, by the purposes of their accounts. */
export interface FoundEntry {
  readonly id: string;
  readonly at: Date;
  readonly merchantId: string;
  readonly orderId: string | null;
  readonly key: string;
  readonly kind: EntryKind;
  readonly assetId: number;
  readonly reverses: string | null;
  readonly postings: readonly { readonly purpose: AccountPurpose; readonly units: string }[];
}

/** A filter of entries: those of an order, or of a span of UTC days. A member that is null does not filter. */
export interface EntrySearch {
  readonly of: { readonly orderId: bigint } | { readonly fromDay: string; readonly toDay: string };
  readonly merchantId: string | null;
  readonly account: string | null;
  readonly currency: string | null;
  /** Only entries before the one with this id. */
  readonly olderThan: bigint | null;
  readonly limit: number;
}

const COLUMNS = `e.id::text, e.effective_at as at, e.merchant_id as "merchantId", e.order_id::text as "orderId",
  e.key, e.kind, e.asset_id as "assetId",
  (select undone.key from ledger_entries undone where undone.id = e.reverses) as reverses,
  (select jsonb_agg(jsonb_build_object('purpose', a.purpose, 'units', p.units::text) order by p.line)
   from ledger_postings p join ledger_accounts a on a.id = p.account_id where p.entry_id = e.id) as postings`;

const FILTER = `($1::text is null or e.merchant_id = $1)
  and ($2::text is null or exists (select from ledger_postings p join ledger_accounts a on a.id = p.account_id
    where p.entry_id = e.id and a.purpose = $2))
  and ($3::text is null or c.reference = $3)`;

// The name of the table is needed: the selected `id` is text.
const NEWEST = "order by e.id desc limit $5";
const SEARCH = {
  order: statement(
    "ledger_search_order",
    `select ${COLUMNS} from ledger_entries e join currencies c on c.id = e.asset_id
     where ${FILTER} and e.order_id = $6 and e.id < coalesce($4::bigint, 9223372036854775807) ${NEWEST}`,
  ),
  span: statement(
    "ledger_search_span",
    `select ${COLUMNS} from ledger_entries e join currencies c on c.id = e.asset_id
     where ${FILTER} and e.id > $6 and e.id <= $7 and e.id < coalesce($4::bigint, 9223372036854775807)
       and e.effective_at >= $8::date::timestamp at time zone 'UTC'
       and e.effective_at < ($9::date + 1)::timestamp at time zone 'UTC' ${NEWEST}`,
  ),
} as const;

/** Searches the ledger, the latest entry first. */
export async function searchEntries(
  queryable: Queryable,
  search: EntrySearch,
): Promise<FoundEntry[]> {
  const { of, merchantId, account, currency, olderThan, limit } = search;
  const filters = [merchantId, account, currency, olderThan, limit];
  if ("orderId" in of) return queryable.query<FoundEntry>(SEARCH.order, [...filters, of.orderId]);
  const { first, high } = await readEntryBounds(queryable, of.fromDay, of.toDay);
  const span = [first, high, of.fromDay, of.toDay];
  return queryable.query<FoundEntry>(SEARCH.span, [...filters, ...span]);
}
