import type { Entry } from "../domain/ledger/entry.ts";
import { type Queryable, statement, type Tx } from "./database.ts";

// Accounts that are there already stay as they are.
const OPEN_ACCOUNTS = statement(
  "ledger_open_accounts",
  `insert into ledger_accounts (merchant_id, purpose, asset_id)
   select $1, purpose, $2 from unnest($3::text[]) as purposes (purpose) order by purpose
   on conflict do nothing`,
);

// Postings of accounts that are not open yet are missing from it: then nothing may be kept.
const INSERT_ENTRY = statement(
  "ledger_insert_entry",
  `with entry as (
     insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, link, effective_at)
     values ($1, $2, $3, $4, $5, $6, business_now()) returning id, merchant_id, asset_id)
   insert into ledger_postings (entry_id, line, account_id, asset_id, units)
   select entry.id, lines.line, account.id, entry.asset_id, lines.units
   from entry, unnest($7::text[], $8::numeric[]) with ordinality as lines (purpose, units, line)
     join ledger_accounts account
       on account.merchant_id = $1 and account.asset_id = $4 and account.purpose = lines.purpose
   returning line`,
);

const COUNT_ACCOUNTS = statement(
  "ledger_count_accounts",
  `select count(*)::int as count from ledger_accounts
   where merchant_id = $1 and asset_id = $2 and purpose = any ($3)`,
);

/**
 * Records a balanced entry. Its key is unique: recording the same thing again violates a constraint
 * and rolls the caller's database transaction back.
 */
export async function recordEntry(
  tx: Tx,
  entry: Entry,
  context: { readonly merchantId: string; readonly orderId: bigint },
): Promise<void> {
  const { merchantId, orderId } = context;
  const purposes = entry.postings.map((posting) => posting.purpose);
  await openAccounts(tx, [merchantId, entry.asset.id, purposes]);
  const lines = await tx.query(INSERT_ENTRY, [
    merchantId,
    entry.key,
    entry.kind,
    entry.asset.id,
    orderId,
    entry.link,
    purposes,
    entry.postings.map((posting) => posting.units),
  ]);
  if (lines.length !== purposes.length) {
    throw new Error(`entry ${entry.key} was not recorded whole`);
  }
}

type Accounts = readonly [merchantId: string, assetId: number, purposes: readonly string[]];

/** A merchant's accounts in an asset are opened when they are needed first. */
async function openAccounts(tx: Tx, [merchantId, assetId, purposes]: Accounts): Promise<void> {
  const distinct = [...new Set(purposes)];
  const [row] = await tx.query<{ count: number }>(COUNT_ACCOUNTS, [merchantId, assetId, distinct]);
  if (row?.count === distinct.length) return;
  await tx.query(OPEN_ACCOUNTS, [merchantId, assetId, distinct]);
}

/** One thing that is wrong with the books, in a sentence. */
export interface LedgerProblem {
  readonly check: string;
  readonly problem: string;
}

export interface LedgerReport {
  readonly ok: boolean;
  readonly entries: number;
  readonly postings: number;
  readonly problems: readonly LedgerProblem[];
}

const COUNT = statement(
  "ledger_count",
  `select (select count(*) from ledger_entries)::int as entries,
          (select count(*) from ledger_postings)::int as postings`,
);

const CHECKS: readonly { readonly check: string; readonly sql: ReturnType<typeof statement> }[] = [
  {
    check: "every entry balances",
    sql: statement(
      "ledger_check_entries",
      `select 'entry ' || e.key || ' sums to ' || coalesce(sum(p.units), 0) as problem
       from ledger_entries e left join ledger_postings p on p.entry_id = e.id
       group by e.id, e.key having coalesce(sum(p.units), 0) <> 0 or count(p.line) < 2 limit 20`,
    ),
  },
  {
    check: "every asset sums to zero",
    sql: statement(
      "ledger_check_assets",
      `select 'asset ' || asset_id || ' sums to ' || sum(units) as problem
       from ledger_postings group by asset_id having sum(units) <> 0`,
    ),
  },
  {
    check: "an order past its payment has exactly one capture of its spend",
    sql: statement(
      "ledger_check_captures",
      `select 'order ' || o.id || ' is ' || o.status || ' with ' || count(e.id) || ' captures'
         as problem
       from orders o left join ledger_entries e on e.order_id = o.id and e.kind = 'capture'
       where o.operation = 'buy' and o.status in ('processing', 'sending', 'completed')
       group by o.id, o.status having count(e.id) <> 1 limit 20`,
    ),
  },
  {
    check: "an order has exactly one payout once it is completed, and none before",
    sql: statement(
      "ledger_check_payouts",
      `select 'order ' || o.id || ' is ' || o.status || ' with ' || count(e.id) || ' payouts'
         as problem
       from orders o left join ledger_entries e on e.order_id = o.id and e.kind = 'payout'
       where o.operation in ('buy', 'crypto_to_crypto')
       group by o.id, o.status
       having count(e.id) <> case when o.status = 'completed' then 1 else 0 end limit 20`,
    ),
  },
  {
    check: "a payout is the amount the order promised",
    sql: statement(
      "ledger_check_payout_amounts",
      `select 'order ' || o.id || ' paid out ' || sum(p.units) || ' instead of ' || o.receive_units
         as problem
       from orders o join ledger_entries e on e.order_id = o.id and e.kind = 'payout'
       join ledger_postings p on p.entry_id = e.id and p.units > 0
       group by o.id, o.receive_units having sum(p.units) <> o.receive_units limit 20`,
    ),
  },
];

/** Whether the books hold: entries and assets balance, and orders agree with their entries. */
export async function checkLedger(queryable: Queryable): Promise<LedgerReport> {
  const problems: LedgerProblem[] = [];
  for (const { check, sql } of CHECKS) {
    const rows = await queryable.query<{ problem: string }>(sql);
    problems.push(...rows.map(({ problem }) => ({ check, problem })));
  }
  const [count] = await queryable.query<{ entries: number; postings: number }>(COUNT);
  return {
    ok: problems.length === 0,
    entries: count?.entries ?? 0,
    postings: count?.postings ?? 0,
    problems,
  };
}
