import { jsonRows } from "../postgres/json-rows.ts";

/** The entries of one JSON document and their lines, for `entryParts`. */
export const ENTRY_LISTS = [
  jsonRows(
    "entries",
    "merchant_id text, key text, kind text, asset_id int, order_id bigint, link text",
  ),
  jsonRows(
    "lines",
    "merchant_id text, key text, line int, purpose text, asset_id int, units numeric",
  ),
] as const;

/**
 * Returns parts of a `with` that record entries with their lines. A merchant's account in an asset is opened when it
 * is first needed. An account that another transaction opens at the same moment is not visible yet. The statement
 * then fails, and its error makes the caller run it again.
 */
export const entryParts = (entries: string, lines: string): readonly string[] => [
  `entry as materialized (${entries})`,
  `line as materialized (${lines})`,
  `opened as (
     insert into ledger_accounts (merchant_id, purpose, asset_id)
     select distinct merchant_id, purpose, asset_id from line
     where not exists (select from ledger_accounts account
       where account.merchant_id = line.merchant_id and account.purpose = line.purpose
         and account.asset_id = line.asset_id)
     order by merchant_id, purpose, asset_id on conflict do nothing
     returning id, merchant_id, purpose, asset_id)`,
  `recorded as (
     insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, link, effective_at)
     select merchant_id, key, kind, asset_id, order_id, link, business_now() from entry
     returning id, key, asset_id)`,
  `posted as (
     insert into ledger_postings (entry_id, line, account_id, asset_id, units)
     select recorded.id, line.line,
       coalesce(account.id, opened.id, run_again('the account is being opened')),
       recorded.asset_id, line.units
     from line join recorded using (key)
       left join ledger_accounts account on account.merchant_id = line.merchant_id
         and account.purpose = line.purpose and account.asset_id = line.asset_id
       left join opened on opened.merchant_id = line.merchant_id
         and opened.purpose = line.purpose and opened.asset_id = line.asset_id)`,
];
